/** The computations of scheduling on octets: a change, an arriving message, the attendees' view of an answer. They are pure, so a
 *  thread can run them (`src/daemon/reading-thread.ts`), as objects from strangers may need much work. */
import { Buffer } from "node:buffer";
import { type Component, findProperty } from "#/src/formats/content-lines/content-line.ts";
import { unfoldedOctets } from "#/src/formats/content-lines/unfold.ts";
import { writeContentLines } from "#/src/formats/content-lines/write-content-lines.ts";
import {
  listManagedIdsOf,
  withoutAttachments,
  withoutManagedIds,
} from "#/src/formats/icalendar/managed-attachments.ts";
import type { ErrorReason } from "#/src/model/errors.ts";
import type { IgnoredReason } from "./arriving/applied.ts";
import { applyMessage, isFromOrganizer, readMessage, speaksFor } from "./arriving/apply.ts";
import { readCalendar } from "./arriving/arriving-calendar.ts";
import { answerRefresh } from "./arriving/refresh-answer.ts";
import { showAnswers } from "./arriving/show-answers.ts";
import { type CalendarAddress, readCalendarAddress } from "./calendar-address.ts";
import { withAuthors } from "./decisions/authors.ts";
import { decide, isBrokenRule, type SchedulingRole } from "./decisions/decide.ts";
import { instancesOf, type ToldMessage } from "./decisions/told.ts";
import { type AttachmentEdit, type AttachmentRefusal, editAttachments } from "./edit-attachments.ts";
import { type FreeBusyRequestFacts, readFreeBusyRequest } from "./free-busy-facts.ts";
import { describeMessage, type MessageText } from "./outgoing/message-text.ts";
import type { Method, SchedulingMessage } from "./outgoing/messages.ts";
import { type DeliveryStatus, withLaterStatus, withScheduleStatus } from "./outgoing/schedule-status.ts";
import { findAttendee, listAttendees } from "./participants.ts";
import {
  type BrokenSchedulingRule,
  listSchedulingComponents,
  readSchedulingObject,
} from "./scheduling-object.ts";

export type SchedulingJob =
  | {
      readonly kind: "decide";
      readonly old: Uint8Array | undefined;
      readonly now: Uint8Array | undefined;
      readonly who: readonly CalendarAddress[];
      readonly nowMs: number;
      readonly isMerging: boolean;
      readonly answersProposals: boolean;
      readonly isTelling: boolean;
      readonly addedBy?: string | undefined;
      readonly mayApprove?: boolean;
      readonly isApproving?: boolean;
      readonly told?: readonly ToldMessage[] | undefined;
    }
  | {
      readonly kind: "apply";
      readonly stored: Uint8Array | undefined;
      readonly message: Uint8Array;
      readonly who: readonly CalendarAddress[];
      readonly author: CalendarAddress;
      /** Whether the author may be an assistant of the organizer (SENT-BY). */
      readonly mayAssist: boolean;
      /** The author's address, if the calendar is a person's and the author none of its account: whom it names is marked. */
      readonly addedBy?: string | undefined;
    }
  /** Who else takes part in an organizer's object. */
  | { readonly kind: "others"; readonly now: Uint8Array; readonly who: readonly CalendarAddress[] }
  /** The copy of another attendee, after an answer was applied to the organizer's object. */
  | {
      readonly kind: "show";
      readonly stored: Uint8Array;
      readonly old: Uint8Array;
      readonly now: Uint8Array;
      /** Addresses of that attendee. */
      readonly who: readonly CalendarAddress[];
    }
  /** The message for an attendee who requests the event. */
  | {
      readonly kind: "answer";
      readonly stored: Uint8Array;
      readonly message: Uint8Array;
      readonly who: readonly CalendarAddress[];
      readonly author: CalendarAddress;
      readonly told: readonly ToldMessage[];
      readonly nowMs: number;
    }
  /** The delivery status of messages that were sent. */
  | {
      readonly kind: "note";
      readonly stored: Uint8Array;
      readonly statuses: ReadonlyMap<CalendarAddress, DeliveryStatus>;
      /** For whom what was to be told last has left. */
      readonly left: ReadonlySet<CalendarAddress>;
    }
  /** What became of the messages of a change. */
  | {
      readonly kind: "status";
      readonly now: Uint8Array;
      readonly of: "ORGANIZER" | "ATTENDEE";
      readonly statuses: ReadonlyMap<CalendarAddress, DeliveryStatus | undefined>;
    }
  /** The managed attachments that a message names, and the message as another server gets it, without those that the mail carries. */
  | { readonly kind: "attached"; readonly now: Uint8Array }
  | { readonly kind: "mailed"; readonly now: Uint8Array; readonly carried: readonly string[] }
  | { readonly kind: "attach"; readonly now: Uint8Array; readonly edit: AttachmentEdit }
  /** Whether a message is of a whole event, which its author had cancelled. */
  | {
      readonly kind: "renew";
      readonly stored: Uint8Array;
      readonly message: Uint8Array;
      readonly author: CalendarAddress;
    }
  | { readonly kind: "ask"; readonly message: Uint8Array }
  /** The calendar user addresses that texts name. */
  | { readonly kind: "name"; readonly texts: readonly Uint8Array[] };

/** The content that several messages share. */
export interface MessageContent extends MessageText {
  readonly method: Method;
  /** The VCALENDAR with METHOD, lines with CRLF. */
  readonly bytes: Uint8Array;
  /** Keys of the instances that it is about; "" is the whole event. */
  readonly instances: readonly string[];
}

export interface WrittenMessage {
  readonly from: CalendarAddress;
  readonly to: CalendarAddress;
  readonly isSignificant: boolean;
  readonly content: MessageContent;
}

export interface Decided {
  readonly outcome: "decided";
  readonly role: SchedulingRole;
  readonly uid: string;
  readonly organizer: CalendarAddress | undefined;
  /** Undefined if it is the same as the given one, or deleted. */
  readonly stored: Uint8Array | undefined;
  readonly messages: readonly WrittenMessage[];
  /** Holds whose mail the change overtakes. */
  readonly superseded: readonly number[];
  /** Participants that no person has written or approved. */
  readonly marked: readonly CalendarAddress[];
  /** Participants whom the person approves with this change. */
  readonly approved: readonly CalendarAddress[];
  /** To whom an agent or a program would say something else in a person's name. */
  readonly spokenTo: readonly CalendarAddress[];
  /** Whom a cancellation is for that this change makes, and none before it. */
  readonly ended: readonly CalendarAddress[];
}

export type SchedulingResult =
  | Decided
  | { readonly outcome: "broken"; readonly rule: BrokenSchedulingRule }
  /** `isByAssistant`: its author is the SENT-BY of the organizer, who is not proved. */
  | { readonly outcome: "changed"; readonly bytes: Uint8Array; readonly isByAssistant?: boolean }
  | { readonly outcome: "attached"; readonly managedIds: readonly string[] }
  | { readonly outcome: "unattached"; readonly reason: AttachmentRefusal }
  | { readonly outcome: "told" }
  | { readonly outcome: "named"; readonly addresses: readonly CalendarAddress[] }
  | { readonly outcome: "renewed"; readonly isNewAgain: boolean }
  | { readonly outcome: "asked"; readonly request: FreeBusyRequestFacts }
  | { readonly outcome: "unasked"; readonly reason: ErrorReason }
  | { readonly outcome: "ignored"; readonly reason: IgnoredReason }
  /** The octets are not a calendar. The write that stores them refuses them with the reason. */
  | { readonly outcome: "unreadable" }
  | { readonly outcome: "beyond_limits" };

export function runJob(job: SchedulingJob): SchedulingResult {
  if (job.kind === "note") return note(job);
  if (job.kind === "status") return noteStatus(job);
  if (job.kind === "attached") return { outcome: "attached", managedIds: listManagedIdsOf(job.now) };
  if (job.kind === "mailed") {
    const without = withoutAttachments(job.now, new Set(job.carried));
    return { outcome: "changed", bytes: new Uint8Array(withoutManagedIds(without)) };
  }
  if (job.kind === "attach") return attach(job);
  if (job.kind === "renew") return renew(job);
  if (job.kind === "ask") return ask(job);
  if (job.kind === "name") return { outcome: "named", addresses: listNamed(job.texts) };
  const who = new Set(job.who);
  if (job.kind === "apply") return apply(job, who);
  if (job.kind === "answer") return answer(job, who);
  if (job.kind === "show") return show(job, who);
  if (job.kind === "others") return others(job, who);
  const [old, now] = [job.old && readCalendar(job.old), job.now && readCalendar(job.now)];
  if (job.now !== undefined && now === undefined) return { outcome: "unreadable" };
  const { kind: _kind, ...asked } = job;
  const decision = decide({ ...asked, old, now, who });
  if (isBrokenRule(decision)) return { outcome: "broken", rule: decision };
  const { role, messages, superseded, marked, approved, spokenTo, ended } = decision;
  const stored = decision.stored === now ? undefined : decision.stored;
  const made = decided(role, stored && bytesOf(stored), messages, (now ?? old)!);
  return { ...made, superseded, marked, approved, spokenTo, ended };
}

/** Addresses that are tested for being the owner's: each costs a read or two. */
const namedMax = 500;

/** All texts that look like an address; one that is not an address has no owner. */
function listNamed(texts: readonly Uint8Array[]): readonly CalendarAddress[] {
  const named = new Set<CalendarAddress>();
  for (const text of texts)
    for (const [, address] of unfoldedOctets(text).matchAll(/mailto:([^\s"';:,\\]{1,320})/gi)) {
      if (named.size >= namedMax) return [...named];
      if (address!.includes("@")) named.add(readCalendarAddress(`mailto:${address}`));
    }
  return [...named];
}

function decided(
  role: SchedulingRole,
  stored: Uint8Array | undefined,
  messages: readonly SchedulingMessage[],
  calendar: Component,
): Decided {
  const object = readSchedulingObject(calendar);
  const contents = new Map<Component, MessageContent>();
  const written = messages.map(({ method, from, to, isSignificant, calendar: tree }): WrittenMessage => {
    let content = contents.get(tree);
    if (content === undefined) {
      const bytes = mailBytesOf(tree);
      content = { method, bytes, instances: instancesOf(tree), ...describeMessage(method, tree) };
      contents.set(tree, content);
    }
    return { from, to, isSignificant, content };
  });
  const organizer = object?.organizer?.address;
  const uid = object?.uid ?? "";
  const nobody = { superseded: [], marked: [], approved: [], spokenTo: [], ended: [] };
  return { outcome: "decided", role, uid, organizer, stored, messages: written, ...nobody };
}

function apply(
  job: Extract<SchedulingJob, { readonly kind: "apply" }>,
  who: ReadonlySet<CalendarAddress>,
): SchedulingResult {
  const stored = job.stored && readCalendar(job.stored);
  const calendar = readCalendar(job.message);
  const message = calendar && readMessage(calendar);
  if (message === undefined || (job.stored !== undefined && stored === undefined))
    return { outcome: "ignored", reason: "malformed" };
  const senders = speaksFor(message, job.author, { stored, mayAssist: job.mayAssist });
  const applied = applyMessage({ stored, message, who, from: (address) => senders.has(address) });
  if (applied.outcome !== "changed") return applied;
  const isByAssistant = isFromOrganizer(message.method) && message.object.organizer?.address !== job.author;
  const { addedBy } = job;
  const signed =
    addedBy === undefined
      ? applied.calendar
      : withAuthors(stored && readSchedulingObject(stored), applied.calendar, {
          addedBy,
          approved: new Set(),
          isApproving: false,
          who,
        });
  return { outcome: "changed", bytes: bytesOf(signed), isByAssistant };
}

function answer(
  job: Extract<SchedulingJob, { readonly kind: "answer" }>,
  who: ReadonlySet<CalendarAddress>,
): SchedulingResult {
  const [stored, calendar] = [readCalendar(job.stored), readCalendar(job.message)];
  const [object, message] = [stored && readSchedulingObject(stored), calendar && readMessage(calendar)];
  if (object === undefined || message?.method !== "REFRESH")
    return { outcome: "ignored", reason: "malformed" };
  const from = (address: CalendarAddress) => address === job.author;
  const applied = applyMessage({ stored, message, who, from });
  if (applied.outcome !== "told") return { outcome: "ignored", reason: "not_attendee" };
  const attendee = listSchedulingComponents(message.object.calendar)
    .map((component) => findAttendee(component, from))
    .find((one) => one !== undefined)!;
  const answered = answerRefresh(object, attendee.address, job.told, job.nowMs);
  if (answered === undefined) return { outcome: "ignored", reason: "stale" };
  return decided("organizer", bytesOf(answered.stored), answered.messages, answered.stored);
}

function others(
  { now }: Extract<SchedulingJob, { readonly kind: "others" }>,
  who: ReadonlySet<CalendarAddress>,
): SchedulingResult {
  const calendar = readCalendar(now);
  const attendees = calendar === undefined ? [] : listSchedulingComponents(calendar).flatMap(listAttendees);
  const scheduled = attendees.filter((one) => one.scheduleAgent === "SERVER" && !who.has(one.address));
  return { outcome: "named", addresses: [...new Set(scheduled.map(({ address }) => address))] };
}

function show(
  { stored, old, now }: Extract<SchedulingJob, { readonly kind: "show" }>,
  who: ReadonlySet<CalendarAddress>,
): SchedulingResult {
  const copy = readCalendar(stored);
  const [before, after] = [old, now].map((bytes) => {
    const calendar = readCalendar(bytes);
    return calendar && readSchedulingObject(calendar);
  });
  if (copy === undefined || before === undefined || after === undefined)
    return { outcome: "ignored", reason: "malformed" };
  const shown = showAnswers(copy, before, after, who);
  return shown === copy
    ? { outcome: "ignored", reason: "stale" }
    : { outcome: "changed", bytes: bytesOf(shown) };
}

function note({
  stored,
  statuses,
  left,
}: Extract<SchedulingJob, { readonly kind: "note" }>): SchedulingResult {
  return noted(stored, (calendar) => withLaterStatus(calendar, statuses, left));
}

function noteStatus({
  now,
  of,
  statuses,
}: Extract<SchedulingJob, { readonly kind: "status" }>): SchedulingResult {
  return noted(now, (calendar) => withScheduleStatus(calendar, of, statuses));
}

/** `write` returns the calendar itself if nothing of it changes. */
function noted(stored: Uint8Array, write: (calendar: Component) => Component): SchedulingResult {
  const calendar = readCalendar(stored);
  const changed = calendar && write(calendar);
  if (changed === undefined || changed === calendar) return { outcome: "ignored", reason: "stale" };
  return { outcome: "changed", bytes: bytesOf(changed) };
}

function attach({ now, edit }: Extract<SchedulingJob, { readonly kind: "attach" }>): SchedulingResult {
  const calendar = readCalendar(now);
  if (calendar === undefined) return { outcome: "unreadable" };
  const edited = editAttachments(calendar, edit);
  return typeof edited === "string"
    ? { outcome: "unattached", reason: edited }
    : { outcome: "changed", bytes: bytesOf(edited) };
}

/** An organizer who deletes an event and stores it again (undo) begins with its former SEQUENCE again. */
function renew({
  stored,
  message,
  author,
}: Extract<SchedulingJob, { readonly kind: "renew" }>): SchedulingResult {
  const [before, after] = [stored, message].map((bytes) => {
    const calendar = readCalendar(bytes);
    return calendar && readSchedulingObject(calendar);
  });
  const isCancelled =
    before?.organizer?.address === author &&
    listSchedulingComponents(before.calendar).every(
      (component) => findProperty(component, "STATUS")?.value.trim().toUpperCase() === "CANCELLED",
    );
  return { outcome: "renewed", isNewAgain: isCancelled && after?.master !== undefined };
}

function ask({ message }: Extract<SchedulingJob, { readonly kind: "ask" }>): SchedulingResult {
  const request = readFreeBusyRequest(message);
  return typeof request === "string"
    ? { outcome: "unasked", reason: request }
    : { outcome: "asked", request };
}

function bytesOf(calendar: Component): Uint8Array {
  return new Uint8Array(writeContentLines({ items: [calendar] }));
}

/** Replaces the line ends of clients that write only LF by CRLF, which mail requires. */
function mailBytesOf(calendar: Component): Uint8Array {
  const text = writeContentLines({ items: [calendar] }).toString("latin1");
  return new Uint8Array(Buffer.from(text.replace(/\r?\n/g, "\r\n"), "latin1"));
}
