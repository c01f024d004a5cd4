/** calendar.update: changes name, description, colour, place or time zone. Fields that are not given stay as they are. */
import { z } from "zod";
import { changeContainer, propertiesOf, timeZone, updateFields } from "../../collections/container.ts";
import { operation } from "../../operation.ts";
import { idOf, writeResult } from "../../schemas.ts";

export default operation({
  name: "calendar.update",
  verb: "put",
  summary: "Changes what a calendar is called and how it is shown.",
  scope: "calendar",
  effect: "writes",
  version: "required",
  putsMail: false,
  reaches: "own",
  example: { id: "calendar_…", version: "…", name: "Journeys" },
  input: z.strictObject({
    id: idOf("calendar").describe("The calendar, calendar_…"),
    ...updateFields,
    time_zone: timeZone.nullable().optional(),
  }),
  output: writeResult,
  errors: ["not_billable", "forbidden_scope", "not_found", "policy_refused", "precondition_failed"],
  run: (context, input) =>
    changeContainer(context, "calendar", "calendar.update", input, ({ agent, number }, once) =>
      context.rooms.collections.updateCollection(
        context.principal.author,
        agent,
        number,
        { properties: propertiesOf(input), version: input.version },
        once,
      ),
    ),
});
