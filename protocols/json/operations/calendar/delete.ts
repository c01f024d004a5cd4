/** calendar.delete: deletes a calendar with all its events. The default one cannot be deleted. With `invite: "send"` each event sends
 *  the mail that event.delete would send. */
import { z } from "zod";
import { changeContainer, deleteFields } from "../../collections/container.ts";
import { optionsOf } from "../../collections/item-writes.ts";
import { invite } from "../../collections/written-event.ts";
import { operation } from "../../operation.ts";
import { idOf, writeResult } from "../../schemas.ts";

export default operation({
  name: "calendar.delete",
  verb: "put",
  summary: "Deletes a calendar with its events; the default one stays.",
  scope: "calendar",
  effect: "writes",
  version: "required",
  putsMail: true,
  reaches: "others",
  example: { id: "calendar_…", version: "…", invite: "none" },
  input: z.strictObject({
    id: idOf("calendar").describe("The calendar, calendar_…"),
    ...deleteFields,
    invite,
  }),
  output: writeResult,
  errors: ["not_billable", "forbidden_scope", "not_found", "policy_refused", "precondition_failed", "paused"],
  run: (context, input) =>
    changeContainer(context, "calendar", "calendar.delete", input, async ({ agent, actor, number }, once) =>
      context.rooms.scheduling.deleteCalendar(
        { agent, actor, principal: context.principal },
        number,
        input.version,
        await optionsOf(context, agent, input, once),
      ),
    ),
});
