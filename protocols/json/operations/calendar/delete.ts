/** calendar.delete: with all events that are in it. The default one stays. */
import { z } from "zod";
import { changeContainer, deleteFields } from "../../collections/container.ts";
import { operation } from "../../operation.ts";
import { idText, writeResult } from "../../schemas.ts";

export default operation({
  name: "calendar.delete",
  verb: "put",
  summary: "Deletes a calendar with its events; the default one stays.",
  scope: "calendar",
  effect: "writes",
  input: z.strictObject({ id: idText.describe("The calendar, calendar_…"), ...deleteFields }),
  output: writeResult,
  errors: ["not_billable", "forbidden_scope", "not_found", "policy_refused", "precondition_failed"],
  run: (context, input) =>
    changeContainer(context, "calendar", "calendar.delete", input, ({ agent, actor, number }, once) =>
      context.rooms.collections.deleteCollection(agent, actor, number, input.version, once),
    ),
});
