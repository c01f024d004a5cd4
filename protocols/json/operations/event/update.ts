/** event.update: patches or replaces an event. Unchanged lines of the iCalendar text keep their octets. `event_…#<recurrence id>` is
 *  one instance of a series: its changes become an override. */
import { z } from "zod";
import { WaypostError } from "#/src/model/errors.ts";
import { attach, withBlobs } from "../../collections/attached-blobs.ts";
import { changeItem } from "../../collections/item-writes.ts";
import {
  changedEvent,
  eventBody,
  eventPatch,
  eventResult,
  invite,
  made,
} from "../../collections/written-event.ts";
import { operation } from "../../operation.ts";
import { idempotencyKey, idOf, versionText } from "../../schemas.ts";

export default operation({
  name: "event.update",
  verb: "put",
  summary: "Changes an event, a task or one instance of a series, by a patch or a whole body.",
  scope: "calendar",
  effect: "writes",
  version: "required",
  putsMail: true,
  reaches: "others",
  example: { id: "event_…", version: "…", patch: { "participants/me/participationStatus": "accepted" } },
  input: z.strictObject({
    id: idOf("event", "calendar").describe(
      "The event, event_… or calendar_…#<uid>; event_…#2026-03-02T10:00:00 is one instance of a series.",
    ),
    version: versionText,
    patch: eventPatch.optional(),
    body: eventBody.optional(),
    attach,
    invite,
    idempotency_key: idempotencyKey,
  }),
  output: eventResult,
  errors: ["not_billable", "forbidden_scope", "not_found", "policy_refused", "precondition_failed", "paused"],
  async run(context, input) {
    const isChanged = input.patch !== undefined || input.body !== undefined;
    if ((input.patch !== undefined && input.body !== undefined) || (!isChanged && input.attach === undefined))
      throw new WaypostError("invalid", "One of patch and body is needed, or attach, and not both.", {
        field: "/patch",
        hint: 'Send patch: {"title": "…"}, or a whole body.',
      });
    const answers = isAnswer(input.patch);
    const told = { ...input, invite: input.invite ?? (answers ? "send" : "none") } as const;
    const invites = input.invite === "send" && !answers;
    return changeItem(
      context,
      "calendar",
      "event.update",
      told,
      async (stored, id, instance, calendar) => {
        const changed = isChanged
          ? await changedEvent(context, stored, id, instance, calendar, input, invites)
          : undefined;
        if (changed === undefined && input.attach === undefined) return undefined;
        const bytes = changed?.bytes ?? stored.bytes;
        return { ...made, ...(await withBlobs(context, bytes, input.attach, stored.bytes, instance)) };
      },
      { answersProposals: declinesProposals(input.patch), isApproving: approves(input.patch) },
    );
  },
});

/** Whether the patch changes only the owner's own participation. Such an answer is sent unless the request says otherwise, since
 *  nobody would learn of it. */
function isAnswer(patch: Readonly<Record<string, unknown>> | undefined): boolean {
  const changed = Object.keys(patch ?? {});
  return changed.length > 0 && changed.every((pointer) => pointer.startsWith("participants/me/"));
}

/** Whether the patch removes a proposed time. The organizer thereby declines it (DECLINECOUNTER). */
function declinesProposals(patch: Readonly<Record<string, unknown>> | undefined): boolean {
  return Object.keys(patch ?? {}).some((pointer) => pointer.endsWith("/waypost:proposal"));
}

/** Whether the patch removes who added a participant: a person approves the participant thereby. */
function approves(patch: Readonly<Record<string, unknown>> | undefined): boolean {
  return Object.keys(patch ?? {}).some((pointer) => pointer.endsWith("/waypost:addedBy"));
}
