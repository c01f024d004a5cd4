/** wait: without a cursor answers at once with the position of the latest event. With a cursor answers as soon as there is an event
 *  after it, or when timeout_s is over. `watch` can continue from the answered cursor without a gap. */
import { z } from "zod";
import { createDoorbell } from "../events/doorbell.ts";
import { openEventSource, type Read } from "../events/event-source.ts";
import { operation } from "../operation.ts";
import { eventSchema, watchRequest } from "../schemas.ts";

const defaultSeconds = 20;

export default operation({
  name: "wait",
  verb: "wait",
  summary: "Gives the cursor of the latest event, or waits for the next events after a cursor.",
  scope: "mail:read",
  effect: "reads",
  reaches: "own",
  example: { cursor: "…", timeout_s: 20 },
  input: watchRequest,
  output: z.strictObject({
    cursor: z.string().describe("The position after the events; watch and wait continue from it."),
    events: z.array(eventSchema),
  }),
  errors: ["not_billable", "forbidden_scope", "not_found"],
  async run(context, input) {
    using bell = createDoorbell(context.signal);
    using source = await openEventSource(context, input, bell.ring);
    const first = await source.read();
    if (!input.cursor || first.page.events.length > 0) return answer(first);
    using _slot = context.holdStream();
    const deadline = performance.now() + (input.timeout_s ?? defaultSeconds) * 1000;
    for (;;) {
      const how = await bell.wait(Math.max(0, deadline - performance.now()));
      const next = await source.read();
      if (how !== "rung" || next.page.events.length > 0) return answer(next);
    }
  },
});

function answer({ page: { events, cursor } }: Read) {
  return { cursor, events: [...events] };
}
