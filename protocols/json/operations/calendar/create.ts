/** calendar.create: creates a calendar. Calendar clients show it at once. */
import { z } from "zod";
import { createFields, ownerField, timeZone } from "../../collections/container.ts";
import { createContainer } from "../../collections/create-container.ts";
import { operation } from "../../operation.ts";
import { writeResult } from "../../schemas.ts";

export default operation({
  name: "calendar.create",
  verb: "put",
  summary: "Makes a calendar.",
  scope: "calendar",
  effect: "writes",
  version: "none",
  putsMail: false,
  reaches: "own",
  example: { name: "Travel", color: "#3366cc", time_zone: "Europe/Berlin" },
  input: z.strictObject({ in: ownerField, ...createFields, time_zone: timeZone.optional() }),
  output: writeResult,
  errors: ["not_billable", "forbidden_scope", "not_found", "policy_refused"],
  run: (context, input) => createContainer(context, "calendar", input),
});
