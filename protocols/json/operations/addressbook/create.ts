/** addressbook.create: creates an addressbook. Contact clients show it at once. */
import { z } from "zod";
import { createFields, ownerField, propertiesOf } from "../../collections/container.ts";
import { placeIn } from "../../collections/reach.ts";
import { operation } from "../../operation.ts";
import { writeResult } from "../../schemas.ts";
import { writeInOrder } from "../../write-in-order.ts";

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
    const { author } = context.principal;
    const { agent, collection, modseq } = await writeInOrder(context, {
      request: ["addressbook.create", input],
      reach: () => placeIn(context, "addressbook", input.in),
      async repeat(once, { agent }) {
        const made = await collections.findCollectionRepeat(once);
        return made && { ...made, agent };
      },
      async write({ agent }, once) {
        const properties = propertiesOf(input);
        const made = await collections.createCollection(
          author,
          agent,
          { kind: "addressbook", properties },
          once,
        );
        return { ...made, agent };
      },
    });
    return {
      ref: collections.ids.encode("addressbook", agent, collection),
      created: true,
      version: String(modseq),
    };
  },
});
