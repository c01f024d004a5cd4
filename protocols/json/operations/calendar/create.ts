/** calendar.create: creates a calendar. Calendar clients show it at once. */
import { z } from "zod";
import { createFields, ownerField, propertiesOf, timeZone } from "../../collections/container.ts";
import { placeIn } from "../../collections/reach.ts";
import { operation } from "../../operation.ts";
import { writeResult } from "../../schemas.ts";
import { writeInOrder } from "../../write-in-order.ts";

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
  async run(context, input) {
    const { collections } = context.rooms;
    const { author } = context.principal;
    const { agent, collection, modseq } = await writeInOrder(context, {
      request: ["calendar.create", input],
      reach: () => placeIn(context, "calendar", input.in),
      async repeat(once, { agent }) {
        const made = await collections.findCollectionRepeat(once);
        return made && { ...made, agent };
      },
      async write({ agent }, once) {
        const properties = propertiesOf(input);
        const made = await collections.createCollection(
          author,
          agent,
          { kind: "calendar", properties },
          once,
        );
        return { ...made, agent };
      },
    });
    return {
      ref: collections.ids.encode("calendar", agent, collection),
      created: true,
      version: String(modseq),
    };
  },
});
