/** watch ("Events" of the interface): a stream of frames.
 *
 *  open {cursor}                     first, once: the cursor that the client supplied
 *  batch {cursor, events[], error?}  the position after the events; with an error the stream ends
 *  keepalive                         after each quiet interval of timeout_s
 *
 *  Refusals of the request are answered before the first frame. */
import { z } from "zod";
import { WatchStream } from "../events/watch-stream.ts";
import { operation } from "../operation.ts";
import { errorSchema, eventSchema, watchRequest } from "../schemas.ts";

const defaultSeconds = 20;

export default operation({
  name: "watch",
  verb: "wait",
  summary: "Streams mail events as Server-Sent Events, from a cursor on.",
  scope: "mail:read",
  effect: "streams",
  reaches: "own",
  example: { cursor: "…", types: ["mail.received"] },
  input: watchRequest,
  output: z
    .strictObject({
      cursor: z.string().describe("The position behind the events."),
      events: z.array(eventSchema),
      error: errorSchema.optional().describe("Present when a failure ends the stream."),
    })
    .meta({ id: "Batch" }),
  errors: ["not_billable", "forbidden_scope", "not_found"],
  run: (context, input) => WatchStream.open(context, input, (input.timeout_s ?? defaultSeconds) * 1000),
});
