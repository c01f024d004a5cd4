/** PUT and DELETE of a scheduling object. One transaction writes the object, the copies of local attendees, the inbox items and the
 *  mails. It asserts the state that the change was computed from. If another write changed that state, the change is computed again. */
import type { AgentFacts } from "#/src/accounts/accounts.ts";
import type { PutAttachments } from "#/src/collections/attachments.ts";
import type { ActionsDone, AgentActions, ItemExpectation, PutItem } from "#/src/collections/collections.ts";
import type { Item, ItemProvenance, StoredItem } from "#/src/collections/item.ts";
import { findsLetters } from "#/src/formats/content-lines/unfold.ts";
import { writeContentLines } from "#/src/formats/content-lines/write-content-lines.ts";
import type { Once } from "#/src/mail/write-once.ts";
import { isWaypostError, WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber, CollectionNumber } from "#/src/model/numbers.ts";
import { pausedError } from "#/src/model/pause.ts";
import type { SubmitMessage } from "#/storage/transactions/outbound/submit-message.ts";
import { readCalendar } from "./arriving/arriving-calendar.ts";
import { refreshAttendees } from "./arriving/refresh-attendees.ts";
import { type CalendarAddress, mailAddressOf } from "./calendar-address.ts";
import { findCalendarUser, listOwnAddresses, maySendFor } from "./calendar-users.ts";
import { plainKnowledge } from "./decisions/store-organizer.ts";
import type { Decided, WrittenMessage } from "./jobs.ts";
import { createLocalCopies } from "./outgoing/local-copies.ts";
import { createAttachedReader } from "./outgoing/mailed-attachments.ts";
import type { Method } from "./outgoing/messages.ts";
import { planMails } from "./outgoing/outgoing-mail.ts";
import { type DeliveryStatus, withScheduleStatus } from "./outgoing/schedule-status.ts";
import type {
  CalendarWriter,
  Scheduling,
  SchedulingOptions,
  SchedulingRooms,
  SchedulingState,
} from "./scheduling.ts";

/** How often a change is computed at most, if other writes change the state that it was computed from. */
const attemptsMax = 5;

export function createSchedulingWrites(rooms: SchedulingRooms): Pick<Scheduling, "putItem" | "deleteItem"> {
  const { collections } = rooms;
  return {
    async putItem(writer, put, options = {}) {
      const place = await collections.findCollection(writer.agent, put.collection);
      const isPlain = place?.kind !== "calendar" || place.role === "inbox";
      if (isPlain) return withoutScheduling(rooms, writer, put, options);
      const repeat = await collections.findItemRepeat(options.idempotency);
      if (repeat !== undefined) return { ...repeat, isRewritten: false, scheduling: "none" };
      return untilAgreed(() => tryPut(rooms, writer, put, options));
    },
    async deleteItem(writer, item, expected, options = {}) {
      const { agent, actor } = writer;
      const { idempotency } = options;
      const repeat = await collections.findItemRepeat(idempotency);
      if (repeat !== undefined) return { ...repeat, scheduling: "none" };
      return untilAgreed(async () => {
        const [held] = await collections.readItems(agent, [item]);
        const place = held && (await collections.findCollection(agent, held.collection));
        // A message in the inbox is not an event of its owner: deleting it sends no messages.
        const isPlain = held?.scheduleTag === undefined || place?.role === "inbox";
        if (isPlain || options.messages === "none") {
          const deleted = await collections.deleteItem(agent, actor, item, expected, idempotency);
          return { ...deleted, scheduling: "none" as const };
        }
        assertExpected(held, expected);
        return deleteObject(rooms, writer, held, await decideDeletion(rooms, writer, held), options);
      });
    },
  };
}

/** The messages that a deletion sends; undefined where `decideChange` has no decision. */
export function decideDeletion(
  rooms: SchedulingRooms,
  writer: CalendarWriter,
  held: StoredItem,
): Promise<Decided | undefined> {
  return decideChange(rooms, writer, held, undefined);
}

/** Deletes one scheduling object, with the messages that were decided. */
export async function deleteObject(
  rooms: SchedulingRooms,
  writer: CalendarWriter,
  held: StoredItem,
  decided: Decided | undefined,
  options: SchedulingOptions,
): ReturnType<Scheduling["deleteItem"]> {
  const plan = isSilent(decided, options)
    ? undefined
    : await planDelivery(rooms, writer, decided!, held, held.provenance);
  const action = { kind: "remove", item: held.number, expected: { version: String(held.modseq) } } as const;
  const done = await write(rooms, writer, [action], plan, options);
  return {
    modseq: done.agents[0]!.items[0]!.modseq,
    isReplayed: done.isReplayed,
    scheduling: stateOf(done, plan),
  };
}

export function isSilent(decided: Decided | undefined, { isReplying }: SchedulingOptions): boolean {
  return decided === undefined || (isReplying === false && decided.role === "attendee");
}

async function withoutScheduling(
  { collections }: SchedulingRooms,
  { agent, actor }: CalendarWriter,
  put: PutItem,
  { idempotency }: SchedulingOptions,
): ReturnType<Scheduling["putItem"]> {
  const written = await collections.putItem(agent, actor, put, idempotency);
  return { ...written, isRewritten: false, scheduling: "none" };
}

/** Makes the plan again if another write changed one of its calendars or the sending policy. */
export async function untilAgreed<R>(attempt: () => Promise<R>): Promise<R> {
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

export function overruledBy(error: unknown): unknown {
  if (!isWaypostError(error)) return error;
  const { reason } = error.details;
  const isOverruled =
    error.code === "precondition_failed" || reason === "policy_changed" || reason === "no-uid-conflict";
  return isOverruled ? new Overruled("A plan was overruled", { cause: error }) : error;
}

function assertExpected(held: StoredItem | undefined, expected: ItemExpectation | undefined): void {
  const version = expected?.version;
  const isOther =
    version === "absent" ? held !== undefined : version !== undefined && version !== String(held?.modseq);
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

const hasOrganizer = findsLetters("ORGANIZER");

async function tryPut(
  rooms: SchedulingRooms,
  writer: CalendarWriter,
  put: PutItem,
  options: SchedulingOptions,
): ReturnType<Scheduling["putItem"]> {
  const { agent } = writer;
  const held = await findHeld(rooms, agent, put);
  const mayBeScheduled = held?.scheduleTag !== undefined || hasOrganizer(put.bytes);
  if (!mayBeScheduled) return withoutScheduling(rooms, writer, put, options);
  assertExpected(held, put.expected);
  const isMerging = put.expected?.scheduleTag !== undefined && put.expected.version === undefined;
  const decided = await decideChange(rooms, writer, held, put.bytes, {
    isMerging,
    answersProposals: options.answersProposals ?? false,
    isTelling: options.messages !== "none",
  });
  // The plain write refuses octets that are not a calendar object. An object without messages is only stored.
  if (decided === undefined || (decided.role === "none" && decided.messages.length === 0))
    return withoutScheduling(rooms, writer, put, options);
  await assertOnlyOne(rooms, agent, decided.uid, held, put.collection);
  const plan =
    options.messages === "none"
      ? undefined
      : await planDelivery(rooms, writer, decided, held, put.provenance, put.attachments);
  const told = decided.role === "attendee" ? "ORGANIZER" : "ATTENDEE";
  const stored = withStatuses(decided.stored ?? put.bytes, told, plan?.statuses);
  const version =
    held === undefined ? (put.segment === undefined ? undefined : "absent") : String(held.modseq);
  const action = {
    ...put,
    kind: "put" as const,
    bytes: stored,
    expected: { version },
    hasUniqueUid: decided.role !== "none",
  };
  const done = await write(rooms, writer, [action], plan, options);
  const { item, isCreated, modseq } = done.agents[0]!.items[0]!;
  const { isReplayed } = done;
  const isRewritten = stored !== put.bytes;
  return { item, isCreated, modseq, isReplayed, isRewritten, scheduling: stateOf(done, plan) };
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

/** Undefined for octets that are not a calendar, and for the deletion of a series that is too much work. */
export async function decideChange(
  rooms: SchedulingRooms,
  { agent }: CalendarWriter,
  held: StoredItem | undefined,
  now: Uint8Array | undefined,
  knowledge = plainKnowledge,
): Promise<Decided | undefined> {
  const { accounts, schedulers, collections } = rooms;
  const owner = await accounts.findAgentFacts(agent);
  if (owner === undefined) throw new WaypostError("not_found", "There is no such agent.");
  const old = held?.bytes;
  const who = await listOwnAddresses(rooms, owner, [old, now]);
  const nowMs = collections.clock.now();
  const result = await schedulers.run({ kind: "decide", old, now, who, nowMs, ...knowledge });
  switch (result.outcome) {
    case "decided":
      return result;
    case "broken":
      throw new WaypostError("policy_refused", result.rule.explanation, {
        reason: result.rule.precondition,
        ...(held === undefined ? {} : { object: held.number }),
      });
    case "beyond_limits":
      // A series that is too much work can still be deleted.
      if (now === undefined) return undefined;
      throw new WaypostError("policy_refused", "The series takes too much work to be scheduled.", {
        reason: "max-instances",
      });
    default:
      return undefined;
  }
}

/** RFC 4791 section 5.3.2.1, RFC 6638 section 3.2.4.1. The write checks it again. */
export async function assertOnlyOne(
  { collections }: SchedulingRooms,
  agent: AgentNumber,
  uid: string,
  held: Item | undefined,
  collection: CollectionNumber,
): Promise<void> {
  const items = await collections.findItemsByUid(agent, uid, { kind: "calendar" });
  const others = items.filter((one) => one.number !== held?.number);
  const there =
    held !== undefined && held.uid !== uid ? held : others.find((one) => one.collection === collection);
  if (there !== undefined)
    throw new WaypostError("policy_refused", "The calendar has another item of this UID.", {
      reason: "no-uid-conflict",
      object: there.number,
    });
  const other = others.find((one) => one.scheduleTag !== undefined);
  if (other !== undefined)
    throw new WaypostError("policy_refused", "Another event of this UID with an organizer is there.", {
      reason: "unique-scheduling-object-resource",
      object: other.number,
    });
}

interface DeliveryPlan {
  readonly actions: readonly AgentActions[];
  readonly mails: readonly SubmitMessage[];
  readonly statuses: ReadonlyMap<CalendarAddress, DeliveryStatus>;
}

async function planDelivery(
  rooms: SchedulingRooms,
  writer: CalendarWriter,
  decided: Decided,
  held: StoredItem | undefined,
  origin: ItemProvenance,
  attachments?: PutAttachments,
): Promise<DeliveryPlan | undefined> {
  if (decided.messages.length === 0) return undefined;
  const { agent, principal, actor } = writer;
  const owner = (await rooms.accounts.findAgentFacts(agent))!;
  if (owner.pause !== undefined) throw pausedError(owner.pause.reason);
  const statuses = new Map<CalendarAddress, DeliveryStatus>();
  const copies = createLocalCopies(rooms, decided.uid);
  const leaving: WrittenMessage[] = [];
  const isAsking = await rooms.outbound.asksAlways(agent, principal);
  const maySend = await maySendFor(rooms, principal, agent);
  const delivered = new Set<AgentNumber>([agent]);
  for (const message of decided.messages) {
    // The copy and the message in the inbox.
    const neededBytes = 2 * message.content.bytes.byteLength;
    const user = await findCalendarUser(rooms, message.to, owner.account, neededBytes);
    if (user.kind === "unknown") statuses.set(message.to, "unknown_user");
    else if (!maySend) statuses.set(message.to, "refused");
    else if (user.kind === "full") statuses.set(message.to, "no_way");
    else if (user.kind === "mail" || isAsking) leaving.push(message);
    else {
      const { from, to, content, isSignificant } = message;
      const known = mailAddressOf(to);
      let isTaken = user.agents.length > 0;
      for (const one of user.agents.filter((each) => each !== agent)) {
        delivered.add(one);
        const addresses = known === undefined ? [] : [known];
        const arriving = { content, author: from, known: addresses, isSignificant, isDirect: true };
        const applied = await copies.apply(one, arriving);
        // The UID is that of somebody else's event there.
        isTaken &&= applied.outcome === "ignored" && applied.reason === "other_organizer";
        if (content.method === "REPLY" && applied.old !== undefined && applied.now !== undefined)
          await refreshAttendees(rooms, copies, one, { old: applied.old, now: applied.now }, delivered);
      }
      statuses.set(to, isTaken ? "no_way" : "delivered");
    }
  }
  const mails = await planLeaving(rooms, writer, owner, decided.uid, leaving, held, attachments);
  for (const [address, status] of mails.statuses) statuses.set(address, status);
  const { source } = origin;
  const domain = owner.address.slice(owner.address.lastIndexOf("@") + 1);
  const actions = await copies.listActions(actor, { source, fromDomain: domain }, agent);
  return { actions, mails: mails.mails, statuses };
}

/** Nobody is written to for what is no news. */
async function planLeaving(
  rooms: SchedulingRooms,
  { principal }: CalendarWriter,
  owner: AgentFacts,
  uid: string,
  messages: readonly WrittenMessage[],
  held: StoredItem | undefined,
  attachments: PutAttachments | undefined,
): ReturnType<typeof planMails> {
  const news = messages.filter(({ isSignificant }) => isSignificant);
  if (news.length === 0) return { mails: [], statuses: new Map() };
  // Only authenticated mail changes a calendar. That of an assistant proves the domain of the organizer, which counts here.
  const isInvited = held?.provenance.source === "smtp";
  const answer = isInvited ? news.find(({ content }) => isAnswer(content.method)) : undefined;
  const inviter = answer && mailAddressOf(answer.to);
  const { collections } = rooms;
  const nowMs = collections.clock.now();
  const readAttached = createAttachedReader(collections, owner, attachments);
  return planMails(rooms, { owner, principal, uid, inviter, nowMs, readAttached }, news);
}

function isAnswer(method: Method): boolean {
  return method === "REPLY" || method === "COUNTER";
}

function withStatuses(
  bytes: Uint8Array,
  told: "ORGANIZER" | "ATTENDEE",
  statuses: ReadonlyMap<CalendarAddress, DeliveryStatus> | undefined,
): Uint8Array {
  if (statuses === undefined || statuses.size === 0) return bytes;
  const calendar = readCalendar(bytes)!;
  const noted = withScheduleStatus(calendar, told, statuses);
  return noted === calendar ? bytes : new Uint8Array(writeContentLines({ items: [noted] }));
}

async function write(
  { collections, outbound }: SchedulingRooms,
  { agent, actor }: CalendarWriter,
  own: AgentActions["actions"],
  plan: DeliveryPlan | undefined,
  { idempotency }: SchedulingOptions,
): Promise<Once<ActionsDone>> {
  const others = plan?.actions ?? [];
  const mine = others.find((one) => one.agent === agent)?.actions ?? [];
  const agents = [
    { agent, actor, actions: [...own, ...mine] },
    ...others.filter((one) => one.agent !== agent),
  ];
  const done = await collections
    .changeItems(actor, agents, idempotency, plan?.mails)
    .catch((error: unknown) => Promise.reject(overruledBy(error)));
  if (done.mails.length > 0) outbound.ring();
  return done;
}

function stateOf({ mails }: ActionsDone, plan: DeliveryPlan | undefined): SchedulingState {
  if (mails.some(({ state }) => state === "held")) return "held";
  const statuses = [...(plan?.statuses.values() ?? [])];
  return statuses.some((status) => status === "sent" || status === "delivered") ? "sent" : "none";
}
