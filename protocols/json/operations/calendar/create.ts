/** calendar.create: creates a calendar. Calendar clients show it at once. */
import { z } from "zod";
import { createFields, ownerField, propertiesOf, timeZone } from "../../collections/container.ts";
import { placeIn } from "../../collections/reach.ts";
import { idempotencyOf } from "../../idempotency.ts";
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
  async run(context, input) {
    const { collections } = context.rooms;
    const { agent } = await placeIn(context, "calendar", input.in);
    const once = idempotencyOf(context, "calendar.create", input);
    const create = () =>
      collections.createCollection(
        context.principal.author,
        agent,
        { kind: "calendar", properties: propertiesOf(input) },
        once,
      );
    const made = (await collections.findCollectionRepeat(once)) ?? (await create());
    return {
      ref: collections.ids.encode("calendar", agent, made.collection),
      created: true,
      version: String(made.modseq),
    };
  },
});
