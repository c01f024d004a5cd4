/** iTIP messages of delivered mail (RFC 6047), and what they change in calendars. A mail is stored with its message in one write; the
 *  message is applied afterwards, one after another for each event, so that no mail is refused for a calendar's sake and no answer is
 *  lost. What is not applied at once is applied by the runner (`src/daemon/calendar-mail-runner.ts`). */
import type { AgentActions } from "#/src/collections/collections.ts";
import type { ItemProvenance } from "#/src/collections/item.ts";
import { nobody, server } from "#/src/model/author.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { changeCalendars } from "#/src/outbound/gate/gate.ts";
import { isPublicProvider } from "#/src/outbound/gate/public-providers.ts";
import type { CalendarArrival } from "#/storage/queries/collections/calendar-arrivals.ts";
import type { SubmitMessage } from "#/storage/transactions/outbound/submit-message.ts";
import { readCalendarAddress } from "../calendar-address.ts";
import { createLocalCopies, type LocalRooms } from "../outgoing/local-copies.ts";
import type { Method } from "../outgoing/messages.ts";
import { inTurn } from "../turns.ts";
import { refreshAttendees } from "./refresh-attendees.ts";
import { planRefreshAnswer, type RefreshRooms } from "./refresh-mail.ts";

export interface Arrivals {
  /** Applies what has come about an event. Throws if it has to be tried again. */
  applyArrivals(agent: AgentNumber, uid: string): Promise<void>;
}

/** How often one message is tried, if other daemons change its calendars. */
const attemptsMax = 20;

export function createArrivals(rooms: RefreshRooms): Arrivals {
  return {
    applyArrivals: (agent, uid) =>
      inTurn(rooms.accounts, { agent, uid }, async () => {
        for (;;) {
          const arrivals = await rooms.collections.listArrivals(agent, uid);
          if (arrivals.length === 0) return;
          for (const arrival of arrivals) await applyOne(rooms, arrival);
        }
      }),
  };
}

async function applyOne(rooms: RefreshRooms, arrival: CalendarArrival): Promise<void> {
  for (let attempt = 1; ; attempt++)
    try {
      const { actions, mails } = await planArrival(rooms, arrival);
      await write(rooms, arrival, actions, mails);
      if (mails.length > 0) rooms.outbound.ring();
      return;
    } catch (error) {
      if (!isWaypostError(error) || error.code === "internal") throw error;
      const isOvertaken = error.code === "precondition_failed" || error.details.reason === "no-uid-conflict";
      if (isOvertaken && (await isApplied(rooms, arrival))) return;
      if (isOvertaken && attempt < attemptsMax) continue;
      if (error.code === "precondition_failed" || error.code === "upstream_unavailable") throw error;
      // The calendar refuses it (quota, an invalid time), or the answer to a REFRESH: it stays a mail for people.
      return write(rooms, arrival, [], []);
    }
}

interface Planned {
  readonly actions: readonly AgentActions[];
  readonly mails: readonly SubmitMessage[];
}

async function planArrival(rooms: RefreshRooms, arrival: CalendarArrival): Promise<Planned> {
  const { agent, uid, method, author, addresses, octets } = arrival;
  if (method === "REFRESH") return planRefreshAnswer(rooms, arrival);
  const copies = createLocalCopies(rooms, uid);
  const { outcome, old, now } = await copies.apply(agent, {
    content: { method: method as Method, bytes: octets },
    author: readCalendarAddress(`mailto:${author}`),
    known: addresses,
    isSignificant: true,
    mayAssist: await mayBeAssistant(rooms, author),
  });
  if (method === "REPLY" && outcome === "changed" && old !== undefined && now !== undefined)
    await refreshAttendees(rooms, copies, agent, { old, now }, new Set([agent]));
  const provenance = JSON.parse(arrival.provenance) as ItemProvenance;
  const actions = await copies.listActions(nobody, provenance);
  return { actions, mails: [] };
}

/** Mail proves a domain. At a public provider its people are strangers to each other, and mailboxes here act for each other by grants. */
async function mayBeAssistant({ accounts }: LocalRooms, author: string): Promise<boolean> {
  const domain = author.slice(author.lastIndexOf("@") + 1);
  return !isPublicProvider(domain) && (await accounts.resolveRecipient(author)).kind === "remote";
}

/** Arriving mail does not approve anything. */
async function write(
  { collections }: LocalRooms,
  { agent, message }: CalendarArrival,
  actions: readonly AgentActions[],
  mails: readonly SubmitMessage[],
): Promise<void> {
  const others = actions.map((one) => ({ ...one, actor: { ...nobody, agent: one.agent } }));
  const own = others.some((one) => one.agent === agent) ? [] : [{ agent, actor: nobody, actions: [] }];
  await changeCalendars(collections, server, [...others, ...own], { mails, arrivals: [{ agent, message }] });
}

async function isApplied(
  { collections }: LocalRooms,
  { agent, uid, message }: CalendarArrival,
): Promise<boolean> {
  const waiting = await collections.listArrivals(agent, uid);
  return waiting.every((one) => one.message !== message);
}
