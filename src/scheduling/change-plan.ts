/** PUT and DELETE of a scheduling object. One transaction writes the object, the copies of local attendees, the inbox items and the
 *  mails. It asserts the state that the change was computed from. If another write changed that state, the change is computed again. */
import { mayDecide } from "#/src/accounts/principal.ts";
import type { ActionsDone, AgentActions, ItemExpectation, PutItem } from "#/src/collections/collections.ts";
import type { StoredItem } from "#/src/collections/item.ts";
import { findsLetters } from "#/src/formats/content-lines/unfold.ts";
import type { Once } from "#/src/mail/write-once.ts";
import { isWaypostError, WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { summaryOf } from "#/src/outbound/gate/answers.ts";
import { changeCalendars } from "#/src/outbound/gate/gate.ts";
import type { Leaving } from "#/storage/transactions/collections/change-items.ts";
import { mailAddressOf } from "./calendar-address.ts";
import { findAdder } from "./calendar-users.ts";
import { assertOnlyOne, decideAgainstTold, decideChange } from "./decide-change.ts";
import type { Decided } from "./jobs.ts";
import { type Departure, planDeparture, silentDeparture, takeBack } from "./outgoing/departure.ts";
import { statusOfAnswer } from "./outgoing/schedule-status.ts";
import type {
  CalendarWriter,
  Scheduling,
  SchedulingOptions,
  SchedulingRooms,
  SchedulingTold,
} from "./scheduling.ts";
import { inTurn, type Turn } from "./turns.ts";

/** How often a change is computed at most, if other writes change the state that it was computed from. Those of this process wait for each
 *  other; these are of other daemons, and of other events of the same owners. */
const attemptsMax = 20;

const toldNobody: SchedulingTold = { scheduling: "none", recipients: [], warnings: [] };

export function createSchedulingWrites(rooms: SchedulingRooms): Pick<Scheduling, "putItem" | "deleteItem"> {
  const { collections } = rooms;
  return {
    async putItem(writer, put, options = {}) {
      const place = await collections.findCollection(writer.agent, put.collection);
      const isPlain = place?.kind !== "calendar" || place.role === "inbox";
      if (isPlain) return withoutScheduling(rooms, writer, put, options);
      const repeat = await collections.findItemRepeat(options.idempotency);
      if (repeat !== undefined) return { ...repeat, isRewritten: false, ...toldNobody };
      const uid = (await findHeld(rooms, writer.agent, put))?.uid;
      const turn = { agent: writer.agent, uid };
      return changeInTurn(rooms, turn, () => tryPut(rooms, writer, put, options));
    },
    async deleteItem(writer, item, expected, options = {}) {
      const { agent, actor } = writer;
      const { idempotency } = options;
      const repeat = await collections.findItemRepeat(idempotency);
      if (repeat !== undefined) return { ...repeat, ...toldNobody };
      const uid = (await collections.findItem(agent, item))?.uid;
      return changeInTurn(rooms, { agent, uid }, async () => {
        const [held] = await collections.readItems(agent, [item]);
        const place = held && (await collections.findCollection(agent, held.collection));
        // A message in the inbox is not an event of its owner: deleting it sends no messages.
        if (held?.scheduleTag === undefined || place?.role === "inbox") {
          const deleted = await collections.deleteItem(agent, actor, item, expected, idempotency);
          return { ...deleted, ...toldNobody };
        }
        assertExpected(held, expected, options.isMerging);
        return deleteObject(rooms, writer, held, options);
      });
    },
  };
}

/** Deletes one scheduling object, with the messages that this sends. What has not left of it is taken back. */
export async function deleteObject(
  rooms: SchedulingRooms,
  writer: CalendarWriter,
  held: StoredItem,
  options: SchedulingOptions,
): ReturnType<Scheduling["deleteItem"]> {
  const told = await rooms.outbound.readTold(writer.agent, held.uid);
  const decided =
    options.messages === "none" ? undefined : await decideChange(rooms, writer, held, undefined, { told });
  const departure =
    decided === undefined || isSilent(decided, options)
      ? undefined
      : await planDeparture(rooms, writer, {
          decided,
          told,
          held,
          origin: held.provenance,
          isOver: true,
        });
  const action = { kind: "remove", item: held.number, expected: { version: String(held.modseq) } } as const;
  const leaving = departure?.leaving ?? takeBack(writer.agent, held.uid, told);
  const done = await write(rooms, writer, [action], { ...departure, leaving }, options);
  return {
    modseq: done.agents[0]!.items[0]!.modseq,
    isReplayed: done.isReplayed,
    ...resultOf(departure, done),
  };
}

/** Whether the deletion of an object tells anybody, or takes back what has not left. */
export async function isDeletionHeard(
  rooms: SchedulingRooms,
  writer: CalendarWriter,
  held: StoredItem,
  options: SchedulingOptions,
): Promise<boolean> {
  const told = await rooms.outbound.readTold(writer.agent, held.uid);
  if (told.messages.length > 0) return true;
  if (options.messages === "none") return false;
  const decided = await decideChange(rooms, writer, held, undefined, { told });
  return decided?.messages.length !== 0 && decided !== undefined && !isSilent(decided, options);
}

function isSilent({ role }: Decided, { isReplying }: SchedulingOptions): boolean {
  return isReplying === false && role === "attendee";
}

async function withoutScheduling(
  { collections }: SchedulingRooms,
  { agent, actor }: CalendarWriter,
  put: PutItem,
  { idempotency }: SchedulingOptions,
): ReturnType<Scheduling["putItem"]> {
  const written = await collections.putItem(agent, actor, put, idempotency);
  return { ...written, isRewritten: false, ...toldNobody };
}

/** A change of an event after those before it. */
export function changeInTurn<R>(
  { accounts }: Pick<SchedulingRooms, "accounts">,
  turn: Turn,
  attempt: () => Promise<R>,
): Promise<R> {
  return inTurn(accounts, turn, () => untilAgreed(attempt));
}

/** Makes the plan again if another write changed one of its calendars or the sending policy. */
async function untilAgreed<R>(attempt: () => Promise<R>): Promise<R> {
  for (let count = 1; ; count++)
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof Overruled)) throw error;
      if (count === attemptsMax)
        throw new WaypostError("upstream_unavailable", "The calendars of the attendees are being changed.", {
          reason: "busy",
          hint: "Try again in a moment.",
          cause: error.cause,
        });
    }
}

/** The state that a plan was made from has changed. The conditions of the caller were met when the plan was made. */
class Overruled extends Error {}

function overruledBy(error: unknown): unknown {
  if (!isWaypostError(error)) return error;
  const { reason } = error.details;
  const isOverruled =
    error.code === "precondition_failed" || reason === "policy_changed" || reason === "no-uid-conflict";
  return isOverruled ? new Overruled("A plan was overruled", { cause: error }) : error;
}

/** `isMerging`: another version will do if only statuses and others' answers were written since. */
function assertExpected(
  held: StoredItem | undefined,
  expected: ItemExpectation | undefined,
  isMerging = false,
): void {
  const version = expected?.version;
  const isOther =
    version === "absent"
      ? held !== undefined
      : version !== undefined &&
        version !== String(held?.modseq) &&
        !(isMerging && held !== undefined && isAnsweredSince(held, version));
  const now = held === undefined ? {} : { version: String(held.modseq), object: held.number };
  if (isOther)
    throw new WaypostError("precondition_failed", "The item has changed since that version", {
      ...now,
      ...(version === "absent" ? { reason: "already_exists" as const } : {}),
      hint: "Read it again, or send this version.",
    });
  if (expected?.scheduleTag !== undefined && expected.scheduleTag !== held?.scheduleTag)
    throw new WaypostError("precondition_failed", "The item has another Schedule-Tag", {
      ...now,
      reason: "schedule-tag-match",
    });
}

/** Whether the owner's own last change is not younger than a version: the Schedule-Tag is the version of that change (RFC 6638 section
 *  3.2.10). */
export function isAnsweredSince(
  { modseq, scheduleTag }: Pick<StoredItem, "modseq" | "scheduleTag">,
  version: string,
): boolean {
  const known = /^[0-9]{1,15}$/.test(version) ? Number(version) : Number.NaN;
  return scheduleTag !== undefined && known >= Number(scheduleTag) && known <= modseq;
}

const hasOrganizer = findsLetters("ORGANIZER");
const hasAttendee = findsLetters("ATTENDEE");

async function tryPut(
  rooms: SchedulingRooms,
  writer: CalendarWriter,
  put: PutItem,
  options: SchedulingOptions,
): ReturnType<Scheduling["putItem"]> {
  const { agent } = writer;
  const held = await findHeld(rooms, agent, put);
  const addedBy = await findAdder(rooms, writer, options.copiedFrom);
  const mayBeScheduled =
    held?.scheduleTag !== undefined ||
    hasOrganizer(put.bytes) ||
    ((addedBy !== undefined || held !== undefined) && hasAttendee(put.bytes));
  if (!mayBeScheduled) return withoutScheduling(rooms, writer, put, options);
  assertExpected(held, put.expected, options.isMerging);
  const isStale = put.expected?.version !== undefined && put.expected.version !== String(held?.modseq);
  const isMerging =
    isStale || (put.expected?.scheduleTag !== undefined && put.expected.version === undefined);
  const knowledge = {
    isMerging,
    answersProposals: options.answersProposals ?? false,
    isTelling: options.messages !== "none",
    mayApprove: addedBy === undefined && mayDecide(writer.principal, agent),
    isApproving: options.isApproving === true,
    addedBy,
  };
  const { decided, told } = await decideAgainstTold(rooms, writer, held, put.bytes, knowledge);
  // The plain write refuses octets that are not a calendar object. An object without messages is only stored.
  if (decided === undefined || (decided.role === "none" && decided.messages.length === 0)) {
    const bytes = decided?.stored ?? put.bytes;
    const written = await withoutScheduling(rooms, writer, { ...put, bytes }, options);
    return { ...written, isRewritten: bytes !== put.bytes };
  }
  await assertOnlyOne(rooms, agent, decided.uid, held, put.collection);
  const departure =
    options.messages === "none"
      ? silentDeparture(agent, decided, told, held)
      : await planDeparture(rooms, writer, {
          decided,
          told,
          held,
          origin: put.provenance,
          attachments: put.attachments,
          isOver: false,
        });
  const stored = await withStatuses(rooms, decided.stored ?? put.bytes, decided.role, departure);
  const version =
    held === undefined ? (put.segment === undefined ? undefined : "absent") : String(held.modseq);
  const action = {
    ...put,
    kind: "put" as const,
    bytes: stored,
    expected: { version },
    hasUniqueUid: decided.role !== "none",
  };
  const done = await write(rooms, writer, [action], departure, options);
  const { item, isCreated, modseq } = done.agents[0]!.items[0]!;
  const { isReplayed } = done;
  const isRewritten = stored !== put.bytes;
  return { item, isCreated, modseq, isReplayed, isRewritten, ...resultOf(departure, done) };
}

async function findHeld(
  { collections }: SchedulingRooms,
  agent: AgentNumber,
  put: PutItem,
): Promise<StoredItem | undefined> {
  const number =
    put.item ??
    (put.segment === undefined
      ? undefined
      : (await collections.findItemBySegment(agent, put.collection, put.segment))?.number);
  return number === undefined ? undefined : (await collections.readItems(agent, [number]))[0];
}

async function withStatuses(
  { schedulers }: SchedulingRooms,
  bytes: Uint8Array,
  role: Decided["role"],
  departure: Departure | undefined,
): Promise<Uint8Array> {
  if (departure === undefined || departure.answers.size === 0) return bytes;
  const statuses = new Map(
    [...departure.answers].map(([address, answer]) => [
      address,
      statusOfAnswer(answer, departure.toldBefore.has(address)),
    ]),
  );
  const of = role === "attendee" ? "ORGANIZER" : "ATTENDEE";
  const noted = await schedulers.run({ kind: "status", now: bytes, of, statuses });
  return noted.outcome === "changed" ? noted.bytes : bytes;
}

async function write(
  { collections, outbound }: SchedulingRooms,
  { agent, actor }: CalendarWriter,
  own: AgentActions["actions"],
  departure: (Partial<Departure> & { readonly leaving: Leaving | undefined }) | undefined,
  { idempotency }: SchedulingOptions,
): Promise<Once<ActionsDone>> {
  const others = departure?.actions ?? [];
  const mine = others.find((one) => one.agent === agent)?.actions ?? [];
  const agents = [
    { agent, actor, actions: [...own, ...mine] },
    ...others.filter((one) => one.agent !== agent),
  ];
  const leaves = { idempotency, mails: departure?.mails, leaving: departure?.leaving };
  const done = await changeCalendars(collections, actor, agents, leaves).catch((error: unknown) =>
    Promise.reject(overruledBy(error)),
  );
  if (done.mails.length > 0) outbound.ring();
  return done;
}

function resultOf(departure: Departure | undefined, { mails }: Pick<ActionsDone, "mails">): SchedulingTold {
  if (departure === undefined) return toldNobody;
  const { answers, mailed } = departure;
  const holds = new Map(mails.flatMap(({ hold }, at) => (mailed[at] ?? []).map((to) => [to, hold] as const)));
  return {
    scheduling: summaryOf(answers.values()),
    recipients: [...answers].map(([to, answer]) => {
      const hold = holds.get(to);
      return { address: mailAddressOf(to) ?? to, ...answer, ...(hold === undefined ? {} : { hold }) };
    }),
    warnings: departure.mails.flatMap(({ warnings = [] }) => warnings),
  };
}
