/** addressbook.create: creates an addressbook. Contact clients show it at once. */
import { z } from "zod";
import { createFields, ownerField, propertiesOf } from "../../collections/container.ts";
import { placeIn } from "../../collections/reach.ts";
import { idempotencyOf } from "../../idempotency.ts";
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
  async run(context, input) {
    const { collections } = context.rooms;
    const { agent } = await placeIn(context, "addressbook", input.in);
    const once = idempotencyOf(context, "addressbook.create", input);
    const create = () =>
      collections.createCollection(
        context.principal.author,
        agent,
        { kind: "addressbook", properties: propertiesOf(input) },
        once,
      );
    const made = (await collections.findCollectionRepeat(once)) ?? (await create());
    return {
      ref: collections.ids.encode("addressbook", agent, made.collection),
      created: true,
      version: String(made.modseq),
    };
  },
});
