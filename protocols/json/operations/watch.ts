/** watch ("Events" of the interface): a stream of frames.
 *
 *  open {cursor}                     first, once: the cursor that the client supplied
 *  batch {cursor, events[], error?}  the position behind the events; with an error the stream ends
 *  keepalive                         after each quiet interval of timeout_s
 *
 *  What can be refused is refused before the first frame. */
import { z } from "zod";
import { asRefusal, errorObject } from "../errors.ts";
import { type EventSource, openEventSource } from "../event-source.ts";
import { type OperationContext, operation, type StreamFrame } from "../operation.ts";
import { errorSchema, eventSchema, watchRequest } from "../schemas.ts";

const defaultSeconds = 20;

export default operation({
  name: "watch",
  verb: "wait",
  summary: "Streams mail events as Server-Sent Events, from a cursor on.",
  scope: "mail:read",
  effect: "streams",
  input: watchRequest,
  output: z
    .strictObject({
      cursor: z.string().describe("The position behind the events."),
      events: z.array(eventSchema),
      error: errorSchema.optional().describe("Present when a failure ends the stream."),
    })
    .meta({ id: "Batch" }),
  errors: ["not_billable", "forbidden_scope", "not_found"],
  async run(context, input): Promise<AsyncIterable<StreamFrame>> {
    const slot = context.holdStream();
    // Whether or not a frame is ever asked for, the slot is free when the client has gone.
    context.signal.addEventListener("abort", () => slot[Symbol.dispose](), { once: true });
    if (context.signal.aborted) slot[Symbol.dispose]();
    try {
      const source = await openEventSource(context, input);
      const first = await source.read();
      const quietMs = (input.timeout_s ?? defaultSeconds) * 1000;
      return frames(context, source, first, input.cursor ?? "", quietMs, slot);
    } catch (error) {
      slot[Symbol.dispose]();
      throw error;
    }
  },
});

type Read = Awaited<ReturnType<EventSource["read"]>>;

async function* frames(
  context: OperationContext,
  source: EventSource,
  first: Read,
  supplied: string,
  quietMs: number,
  slot: Disposable,
): AsyncGenerator<StreamFrame> {
  using _slot = slot;
  using _source = source;
  yield { event: "open", data: { cursor: supplied } };
  let told = supplied;
  try {
    for (let next = first; ; next = await source.read()) {
      if (next.events.length > 0 || (next.hasNewReach && told !== "")) {
        told = next.cursor;
        yield { event: "batch", cursor: told, data: { cursor: told, events: next.events } };
        if (next.hasMore) continue;
      }
      const how = await source.wait(quietMs);
      if (how === "ended") return;
      if (how === "quiet") yield { isKeepalive: true };
    }
  } catch (error) {
    const refusal = asRefusal(error);
    if (refusal.code === "internal")
      context.rooms.log.error({ err: error, requestId: context.requestId }, "watch failed");
    const data = { cursor: told, events: [], error: errorObject(refusal, context.requestId) };
    yield { event: "batch", data };
  }
}
