/** event.delete: deletes an event, from calendar clients too; there is no trash for events. If one instance of a series is deleted
 *  (`event_…#<recurrence id>`), the series stays and excludes the instance. */
import { z } from "zod";
import { changeItem, deleteItem } from "../../collections/item-writes.ts";
import { eventResult, eventWithout, invite } from "../../collections/written-event.ts";
import { operation } from "../../operation.ts";
import { idempotencyKey, idOf, versionText } from "../../schemas.ts";

export default operation({
  name: "event.delete",
  verb: "put",
  summary: "Deletes an event, or one instance of a series.",
  scope: "calendar",
  effect: "writes",
  version: "required",
  putsMail: true,
  reaches: "others",
  example: { id: "event_…", version: "…", invite: "send" },
  input: z.strictObject({
    id: idOf("event", "calendar").describe(
      "The event, event_… or calendar_…#<uid>; event_…#2026-03-02T10:00:00 is one instance of a series.",
    ),
    version: versionText,
    invite,
    idempotency_key: idempotencyKey,
  }),
  output: eventResult,
  errors: ["not_billable", "forbidden_scope", "not_found", "policy_refused", "precondition_failed", "paused"],
  async run(context, input) {
    if (!/^event_[^#]*#/.test(input.id)) return deleteItem(context, "calendar", "event.delete", input);
    const changed = await changeItem(context, "calendar", "event.delete", input, (stored, _, instance) =>
      eventWithout(context, stored, instance ?? ""),
    );
    const { uid: _, ...result } = changed;
    return { ...result, created: false };
  },
});
