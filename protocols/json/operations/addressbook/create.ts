/** addressbook.create: creates an addressbook. Contact clients show it at once. */
import { z } from "zod";
import { createFields, ownerField } from "../../collections/container.ts";
import { createContainer } from "../../collections/create-container.ts";
import { operation } from "../../operation.ts";
import { writeResult } from "../../schemas.ts";

export default operation({
  name: "addressbook.create",
  verb: "put",
  summary: "Makes an addressbook.",
  scope: "contacts",
  effect: "writes",
  version: "none",
  putsMail: false,
  reaches: "own",
  example: { name: "Customers" },
  input: z.strictObject({ in: ownerField, ...createFields }),
  output: writeResult,
  errors: ["not_billable", "forbidden_scope", "not_found", "policy_refused"],
  run: (context, input) => createContainer(context, "addressbook", input),
});
