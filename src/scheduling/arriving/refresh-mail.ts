/** The answer to a REFRESH that came by mail: what its sender was sent, again. The server answers, in the owner's name and by the owner's
 *  rules; the request vouches for nobody. */
import type { AgentActions } from "#/src/collections/collections.ts";
import { nobody } from "#/src/model/author.ts";
import type { Outbound } from "#/src/outbound/outbound.ts";
import type { CalendarArrival } from "#/storage/queries/collections/calendar-arrivals.ts";
import type { SubmitMessage } from "#/storage/transactions/outbound/submit-message.ts";
import { readCalendarAddress } from "../calendar-address.ts";
import { listOwnAddresses } from "../calendar-users.ts";
import { toldOf } from "../decisions/told-rows.ts";
import type { LocalRooms } from "../outgoing/local-copies.ts";
import { createAttachedReader } from "../outgoing/mailed-attachments.ts";
import { planMails } from "../outgoing/outgoing-mail.ts";

export interface RefreshRooms extends LocalRooms {
  readonly outbound: Pick<Outbound, "plan" | "ring" | "readTold" | "recipientsMax">;
}

const nothing = { actions: [], mails: [] } as const;

/** The mails, and the organizer's object with the time of the answer. If the answer cannot be sent (paused, a limit), it is dropped: the
 *  attendee can ask again. */
export async function planRefreshAnswer(
  rooms: RefreshRooms,
  { agent, uid, author, addresses, octets }: CalendarArrival,
): Promise<{ readonly actions: readonly AgentActions[]; readonly mails: readonly SubmitMessage[] }> {
  const { accounts, collections, schedulers, outbound } = rooms;
  const owner = await accounts.findAgentFacts(agent);
  const items = await collections.findItemsByUid(agent, uid, { kind: "calendar" });
  const number = items.find(({ scheduleTag }) => scheduleTag !== undefined)?.number;
  const [held] = number === undefined ? [] : await collections.readItems(agent, [number]);
  if (owner === undefined || held === undefined) return nothing;
  const who = await listOwnAddresses(rooms, owner, [held.bytes], addresses);
  const nowMs = collections.clock.now();
  const { messages: told } = await outbound.readTold(agent, uid);
  const answer = await schedulers.run({
    kind: "answer",
    stored: held.bytes,
    message: octets,
    who,
    author: readCalendarAddress(`mailto:${author}`),
    told: toldOf(told),
    nowMs,
  });
  if (answer.outcome !== "decided" || answer.stored === undefined) return nothing;
  // An automaton of this mailbox: the mail is marked as automatic, and the owner has a copy.
  const principal = { agent, kind: "agent", isServer: true } as const;
  const readAttached = createAttachedReader(collections, owner);
  const asking = { owner, principal, uid, inviter: undefined, nowMs, readAttached, isRepeat: true };
  const { mails } = await planMails(rooms, asking, answer.messages);
  if (mails.length === 0) return nothing;
  const { collection, provenance, isAuthenticated, modseq } = held;
  const put = {
    kind: "put" as const,
    collection,
    item: held.number,
    bytes: answer.stored,
    provenance,
    isAuthenticated,
    expected: { version: String(modseq) },
    keepsScheduleTag: true,
  };
  return { actions: [{ agent, actor: { ...nobody, agent }, actions: [put] }], mails };
}
