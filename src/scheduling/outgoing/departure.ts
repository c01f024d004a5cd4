/** What leaves an owner with one change of a calendar: messages to calendars here, mails, and unsent mail that is taken back. Nothing is
 *  written here. The gate's answer for each recipient is the only source of SCHEDULE-STATUS and of what the caller is told. */
import type { AgentFacts } from "#/src/accounts/accounts.ts";
import type { PutAttachments } from "#/src/collections/attachments.ts";
import type { AgentActions } from "#/src/collections/collections.ts";
import type { ItemProvenance, StoredItem } from "#/src/collections/item.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { pausedError } from "#/src/model/pause.ts";
import type { Asked, GateAnswer } from "#/src/outbound/gate/answers.ts";
import type { Told } from "#/src/outbound/gate/told.ts";
import type { CalendarMessage } from "#/storage/calendar-messages.ts";
import type { Leaving } from "#/storage/transactions/collections/change-items.ts";
import type { SubmitMessage } from "#/storage/transactions/outbound/submit-message.ts";
import { refreshAttendees } from "../arriving/refresh-attendees.ts";
import { type CalendarAddress, mailAddressOf } from "../calendar-address.ts";
import { findCalendarUser } from "../calendar-users.ts";
import type { Decided, WrittenMessage } from "../jobs.ts";
import type { CalendarWriter, SchedulingRooms } from "../scheduling.ts";
import { createLocalCopies, type LocalCopies } from "./local-copies.ts";
import { createAttachedReader } from "./mailed-attachments.ts";
import type { Method } from "./messages.ts";
import { planMails } from "./outgoing-mail.ts";

export interface Departure {
  readonly actions: readonly AgentActions[];
  readonly mails: readonly SubmitMessage[];
  /** The recipients of each mail. */
  readonly mailed: readonly (readonly CalendarAddress[])[];
  readonly leaving: Leaving | undefined;
  readonly answers: ReadonlyMap<CalendarAddress, GateAnswer>;
  /** Recipients to whom a message has left before, whatever is taken back now. */
  readonly toldBefore: ReadonlySet<CalendarAddress>;
}

export interface DepartureOf {
  readonly decided: Decided;
  readonly told: Told;
  readonly held: StoredItem | undefined;
  readonly origin: ItemProvenance;
  readonly attachments?: PutAttachments | undefined;
  /** The event is deleted. */
  readonly isOver: boolean;
}

/** Recipients of one change who have a calendar here. */
interface Here {
  readonly message: WrittenMessage;
  readonly agents: readonly AgentNumber[];
  readonly address: string;
}

export async function planDeparture(
  rooms: SchedulingRooms,
  writer: CalendarWriter,
  { decided, told, held, origin, attachments, isOver }: DepartureOf,
): Promise<Departure | undefined> {
  const { messages, uid, superseded } = decided;
  const isSilent = messages.length === 0 && superseded.length === 0 && !(isOver && told.messages.length > 0);
  if (isSilent) return silentDeparture(writer.agent, decided, told, held);
  const { agent, actor, principal } = writer;
  const owner = (await rooms.accounts.findAgentFacts(agent))!;
  if (owner.pause !== undefined && messages.length > 0) throw pausedError(owner.pause.reason);
  const answers = new Map<CalendarAddress, GateAnswer>();
  for (const { hold, recipients } of told.messages)
    if (superseded.includes(hold))
      for (const [to] of recipients) answers.set(to as CalendarAddress, { state: "superseded" });
  const toldBefore = new Set(
    told.messages.flatMap(({ state, recipients }) =>
      state === "left" ? recipients.map(([to]) => to as CalendarAddress) : [],
    ),
  );
  const unapproved = listUnapproved(decided, told, toldBefore);
  const { leaving, asking, here } = await findWays(
    rooms,
    writer,
    owner,
    { messages, unapproved, ended: new Set(decided.ended.filter((to) => toldBefore.has(to))) },
    answers,
  );
  const news = here.filter(({ message }) => message.isSignificant);
  const asked =
    news.length === 0
      ? undefined
      : await rooms.outbound.askHere(
          agent,
          principal,
          news.map(({ address }) => address),
        );
  const copies = createLocalCopies(rooms, uid);
  const arrived = await deliverHere(rooms, agent, copies, here, asked, answers);
  const mail = { writer, owner, uid, held, attachments };
  const mailed = await planLeaving(rooms, mail, leaving);
  const waiting = await planLeaving(rooms, { ...mail, isUnapproved: true }, asking);
  for (const [address, answer] of [...mailed.answers, ...waiting.answers]) answers.set(address, answer);
  const mails = [...mailed.mails, ...waiting.mails];
  const domain = owner.address.slice(owner.address.lastIndexOf("@") + 1);
  const provenance = { source: origin.source, fromDomain: domain };
  return {
    actions: await copies.listActions(actor, provenance, agent),
    mails,
    mailed: [...mailed.recipients, ...waiting.recipients],
    answers,
    toldBefore,
    leaving: {
      agent,
      uid,
      basis: asked?.basis ?? null,
      // Mails count for themselves.
      limits: asked !== undefined && arrived && mails.length === 0 ? asked.limits : null,
      messages: [...listNoted(uid, messages, answers), ...notePlanted(decided, told, held, answers)],
      superseded: listVersions(superseded, told),
      isOver,
    },
  };
}

/** A change that tells nobody anything. What an agent has written is noted. */
export function silentDeparture(
  agent: AgentNumber,
  decided: Decided,
  told: Told,
  held: StoredItem | undefined,
): Departure | undefined {
  const answers = new Map<CalendarAddress, GateAnswer>();
  const messages = notePlanted(decided, told, held, answers);
  if (messages.length === 0) return undefined;
  const leaving = {
    agent,
    uid: decided.uid,
    basis: null,
    limits: null,
    messages,
    superseded: [],
    isOver: false,
  };
  return { actions: [], mails: [], mailed: [], answers, toldBefore: new Set(), leaving };
}

/** What an agent or a program has written into a person's event, for those whom it has not reached. Of an event that is new, its participants
 *  are marked. */
function notePlanted(
  { uid, spokenTo }: Decided,
  told: Told,
  held: StoredItem | undefined,
  answers: ReadonlyMap<CalendarAddress, GateAnswer>,
): Leaving["messages"] {
  if (held === undefined && told.messages.length === 0) return [];
  const hasReached = (to: CalendarAddress): boolean => {
    const state = answers.get(to)?.state;
    return state === "sent" || state === "delivered";
  };
  const recipients = spokenTo
    .filter((to) => !hasReached(to))
    .map((to): CalendarMessage["recipients"][number] => [to, ""]);
  if (recipients.length === 0) return [];
  const message = { uid, method: "REQUEST", instances: [""], recipients, octets: null };
  return [{ message, state: "unapproved" }];
}

/** Recipients for whom an agent or a program has written something that no person has approved. */
function listUnapproved(
  { marked, approved }: Decided,
  told: Told,
  toldBefore: ReadonlySet<CalendarAddress>,
): ReadonlySet<CalendarAddress> {
  const planted = told.messages.flatMap(({ state, recipients }) =>
    state === "unapproved" ? recipients.map(([to]) => to as CalendarAddress) : [],
  );
  const all = new Set([...marked.filter((address) => !toldBefore.has(address)), ...planted]);
  return all.difference(new Set(approved));
}

/** Unsent mail about an event that is deleted without messages, or leaves its owner. */
export function takeBack(agent: AgentNumber, uid: string, told: Told): Leaving | undefined {
  if (told.messages.length === 0) return undefined;
  const superseded = listVersions([...told.versions.keys()], told);
  return { agent, uid, basis: null, limits: null, messages: [], superseded, isOver: true };
}

function listVersions(holds: readonly number[], { versions }: Told): Leaving["superseded"] {
  // One that was decided meanwhile has no version that the write accepts.
  return holds.map((hold) => ({ hold, version: versions.get(hold) ?? "" }));
}

async function findWays(
  rooms: SchedulingRooms,
  { agent, principal }: CalendarWriter,
  owner: AgentFacts,
  {
    messages,
    unapproved,
    ended,
  }: Pick<Decided, "messages"> & {
    readonly unapproved: ReadonlySet<CalendarAddress>;
    readonly ended: ReadonlySet<CalendarAddress>;
  },
  answers: Map<CalendarAddress, GateAnswer>,
): Promise<{
  readonly leaving: readonly WrittenMessage[];
  /** What waits for the owner, a person. */
  readonly asking: readonly WrittenMessage[];
  readonly here: readonly Here[];
}> {
  const isAsking = await rooms.outbound.asksAlways(agent, principal);
  const maySend = await rooms.outbound.maySend(principal, agent);
  const leaving: WrittenMessage[] = [];
  const asking: WrittenMessage[] = [];
  const here: Here[] = [];
  // A cancellation has the words that its recipient was told before, and where this change makes it, it is the person's.
  const isOwnWord = ({ to, content }: WrittenMessage): boolean =>
    !unapproved.has(to) || (content.method === "CANCEL" && ended.has(to));
  for (const message of messages) {
    const { to, content } = message;
    // The copy and the message in the inbox.
    const neededBytes = 2 * content.bytes.byteLength;
    const user = await findCalendarUser(rooms, to, owner.account, neededBytes);
    if (user.kind === "unknown") answers.set(to, { state: "refused", reason: "no_such_recipient" });
    else if (!maySend) answers.set(to, { state: "refused", reason: "no_scope" });
    else if (principal.kind === "person" && !isOwnWord(message)) asking.push(message);
    else if (user.kind === "full") answers.set(to, { state: "refused", reason: "over_quota" });
    else if (user.kind === "mail" || isAsking) leaving.push(message);
    else {
      const [first] = user.agents;
      const address =
        mailAddressOf(to) ??
        (first === undefined ? "" : ((await rooms.accounts.findAgentFacts(first))?.address ?? ""));
      here.push({ message, agents: user.agents, address });
    }
  }
  return { leaving, asking, here };
}

/** Whether anybody is told news. */
async function deliverHere(
  rooms: SchedulingRooms,
  sender: AgentNumber,
  copies: LocalCopies,
  here: readonly Here[],
  asked: Asked | undefined,
  answers: Map<CalendarAddress, GateAnswer>,
): Promise<boolean> {
  const delivered = new Set<AgentNumber>([sender]);
  let hasNews = false;
  for (const { message, agents, address } of here) {
    const { from, to, content, isSignificant } = message;
    const reason = asked?.refused.get(address);
    if (reason !== undefined) {
      answers.set(to, { state: "refused", reason });
      continue;
    }
    const known = mailAddressOf(to);
    let isTaken = agents.length > 0;
    for (const one of agents.filter((each) => each !== sender)) {
      delivered.add(one);
      const addresses = known === undefined ? [] : [known];
      const arriving = { content, author: from, known: addresses, isSignificant, isDirect: true };
      const applied = await copies.apply(one, arriving);
      // The UID is that of somebody else's event there.
      isTaken &&= applied.outcome === "ignored" && applied.reason === "other_organizer";
      if (content.method === "REPLY" && applied.old !== undefined && applied.now !== undefined)
        await refreshAttendees(rooms, copies, one, { old: applied.old, now: applied.now }, delivered);
    }
    hasNews ||= isSignificant && !isTaken;
    answers.set(to, isTaken ? { state: "refused", reason: "no-uid-conflict" } : { state: "delivered" });
  }
  return hasNews;
}

interface MailOf {
  readonly writer: CalendarWriter;
  readonly owner: AgentFacts;
  readonly uid: string;
  readonly held: StoredItem | undefined;
  readonly attachments: PutAttachments | undefined;
  /** It waits for the owner. */
  readonly isUnapproved?: boolean;
}

/** Nobody is written to for what is no news. */
async function planLeaving(
  rooms: SchedulingRooms,
  { writer: { principal }, owner, uid, held, attachments, isUnapproved = false }: MailOf,
  messages: readonly WrittenMessage[],
): ReturnType<typeof planMails> {
  const news = messages.filter(({ isSignificant }) => isSignificant);
  if (news.length === 0) return { mails: [], recipients: [], answers: new Map() };
  // Who has written is the exact From: an organizer for whom an assistant has sent it (SENT-BY) has not.
  const isInvited = held?.provenance.source === "smtp" && held.isAuthenticated;
  const answer = isInvited ? news.find(({ content }) => isAnswer(content.method)) : undefined;
  const inviter = answer && mailAddressOf(answer.to);
  const { collections } = rooms;
  const nowMs = collections.clock.now();
  const readAttached = createAttachedReader(collections, owner, attachments);
  return planMails(rooms, { owner, principal, uid, inviter, nowMs, readAttached, isUnapproved }, news);
}

function isAnswer(method: Method): boolean {
  return method === "REPLY" || method === "COUNTER";
}

/** The messages that are no mail of their own: what reached calendars here, and what was refused. */
function listNoted(
  uid: string,
  messages: readonly WrittenMessage[],
  answers: ReadonlyMap<CalendarAddress, GateAnswer>,
): Leaving["messages"] {
  const noted = messages.flatMap(({ to, content, isSignificant }) => {
    const state = answers.get(to)?.state;
    const isNoted = isSignificant && (state === "delivered" || state === "refused");
    return isNoted ? [{ to, content, state: state === "delivered" ? ("left" as const) : state }] : [];
  });
  const groups = Map.groupBy(noted, ({ content }) => content);
  return [...groups].flatMap(([{ method, instances, bytes }, group]) =>
    (["left", "refused"] as const).flatMap((state) => {
      const recipients = group
        .filter((one) => one.state === state)
        .map(({ to }): CalendarMessage["recipients"][number] => [to, ""]);
      const octets = state === "left" ? Uint8Array.from(bytes) : null;
      return recipients.length === 0
        ? []
        : [{ message: { uid, method, instances, recipients, octets }, state }];
    }),
  );
}
