/** Events that are created or changed. The iCalendar text is what is stored; a change edits that text. */
import { randomUUID } from "node:crypto";
import { z } from "zod";
import { calendarZoneName } from "#/src/collections/calendar-zone.ts";
import type { PutItem } from "#/src/collections/collections.ts";
import type { StoredItem } from "#/src/collections/item.ts";
import type { JsonObject } from "#/src/formats/jscontact/json.ts";
import type { ReachedCollection } from "#/src/reach/collection-reach.ts";
import { unknownObject } from "../errors.ts";
import type { OperationContext } from "../operation.ts";
import { addressWarnings, writeResult } from "../schemas.ts";
import { atBody, atPatch, atWholeBody } from "./field-of-change.ts";

export const eventBody = z
  .record(z.string(), z.unknown())
  .describe(
    'A JSCalendar Event or Task (RFC 8984, with the names of version 2.0: organizerCalendarAddress, calendarAddress, recurrenceRule): {title: "Review", start: "2026-03-02T10:00:00", timeZone: "Europe/Berlin", duration: "PT1H"}. Lists may stand for entries: participants: ["ann@example.com", "Ann <ann@example.com>"], locations: ["Room 5"], alerts: ["-PT15M"], keywords, links, virtualLocations. A time has a zone, "2026-03-02T09:00:00Z", or is one of timeZone, else of the calendar\'s clock.',
  );

export const eventPatch = z
  .record(z.string().max(2000), z.unknown())
  .describe(
    'JSON pointers of the event and their new values, null deletes: {"title": "Review", "locations/main": null}. participants/me is the owner of the calendar: {"participants/me/participationStatus": "declined", "participants/me/participationComment": "I am away."}; the comment, at most 1000 characters, goes to the organizer with the answer. A time that a participant proposes is participants/<id>/waypost:proposal; another start answers it, null declines it; participants/me/waypost:proposal proposes one: "2026-03-02T10:00:00Z/2026-03-02T11:00:00Z". participants/<id>/waypost:addedBy is the agent that wrote the participant into a person\'s calendar; nothing is sent to it until that person sets it to null.',
  );

export const invite = z
  .enum(["none", "send"])
  .optional()
  .describe(
    "send: invitations, changes and answers go to all participants, as mail where they are elsewhere, which takes the scope send. none: they are not told. Without the field, a patch of participants/me alone is sent as an answer, and nothing else is sent.",
  );

export const eventResult = writeResult.extend({
  scheduling: z
    .enum(["none", "sent", "held", "refused"])
    .optional()
    .describe(
      "Of invite send: none: there was nothing to say; held: mail of it waits for a person; refused: nobody was told, recipients says why.",
    ),
  recipients: z
    .array(
      z.strictObject({
        address: z.string(),
        state: z
          .enum(["queued", "delivered", "held", "cancelled", "refused"])
          .describe(
            "queued: as mail; delivered: into a calendar here; cancelled: only what had not left yet was taken back.",
          ),
        hold: z.string().optional().describe("The hold in which its mail waits, hold_…"),
        reason: z
          .string()
          .optional()
          .describe(
            "Why it waits: a reason of holds, or not_approved: for the calendar's own person. Why it was refused: no_scope, recipient_blocked, recipient_suppressed, approval_needed, no_such_recipient, …",
          ),
      }),
    )
    .optional()
    .describe("Of invite send: what became of it for each participant."),
  warnings: addressWarnings,
  uid: z.string().optional().describe("UID of its iCalendar text, which names it too: calendar_…#<uid>."),
});

type Written = Pick<PutItem, "bytes" | "provenance" | "isAuthenticated">;

/** The provenance of items that a credential with the scope has written. */
export const made = { provenance: { source: "api" }, isAuthenticated: true } as const;

/** An object of a request, as parsed from JSON. */
type Given = Readonly<Record<string, unknown>>;

const members = "The members of an event are those of RFC 8984 and of JSCalendar 2.0.";

/** Without a named organizer, the owner of the calendar is the organizer who invites others. */
export async function newEvent(
  { rooms }: OperationContext,
  given: Given,
  { agent: owner, timeZone }: Pick<ReachedCollection, "agent" | "timeZone">,
  invites: boolean,
): Promise<Written> {
  const facts = invites ? await rooms.accounts.findAgentFacts(owner) : undefined;
  const job = {
    body: given as JsonObject,
    uid: randomUUID(),
    at: rooms.collections.clock.now(),
    organizer: facts?.address,
    zone: calendarZoneName(timeZone),
  };
  return { bytes: await atBody(members, () => rooms.events.run("create", job)), ...made };
}

export interface EventWriting {
  readonly body?: Given | undefined;
  readonly patch?: Given | undefined;
}

/** undefined if the change changes nothing. `id`: the event's id; `instance`: the recurrence id of the changed instance; `invites`: whoever is
 *  in the event then is told of it. */
export async function changedEvent(
  { rooms }: OperationContext,
  stored: StoredItem,
  id: string,
  instance: string | undefined,
  { timeZone }: Pick<ReachedCollection, "timeZone">,
  given: EventWriting,
  invites: boolean,
): Promise<Written | undefined> {
  const { body, patch } = given as Readonly<Record<keyof EventWriting, JsonObject | undefined>>;
  const owner = (await rooms.accounts.findAgentFacts(stored.agent)) ?? unknownObject();
  const job = {
    bytes: stored.bytes,
    id,
    instance,
    at: rooms.collections.clock.now(),
    addresses: owner.addresses,
    organizer: invites ? owner.address : undefined,
    zone: calendarZoneName(timeZone),
  };
  const bytes =
    patch === undefined
      ? await atWholeBody(members, () => rooms.events.run("change", { ...job, change: { body: body! } }))
      : await atPatch(members, patch, () => rooms.events.run("change", { ...job, change: { patch } }));
  return bytes === undefined ? undefined : { bytes, ...made };
}

export async function eventWithout(
  { rooms }: OperationContext,
  { bytes }: StoredItem,
  instance: string,
): Promise<Written> {
  const job = { bytes, instance, at: rooms.collections.clock.now() };
  return { bytes: await rooms.events.run("exclude", job), ...made };
}
