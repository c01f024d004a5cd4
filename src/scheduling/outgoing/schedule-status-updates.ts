/** Updates of SCHEDULE-STATUS after invitations and answers were sent (RFC 6638 section 3.2.9 and 7.3): the status in the sender's
 *  object follows the queue, the holds, and the reports of other servers. The Schedule-Tag stays, because nobody changed the event.
 *
 *  | the mail | status |
 *  | --- | --- |
 *  | is held for approval | 1.0 |
 *  | is in the queue, or was relayed to another server | 1.1 |
 *  | was delivered to a mailbox | 1.2 |
 *  | has an invalid address | 3.7 |
 *  | was declined by a person, or cancelled | 3.8 |
 *  | failed | 5.1 |
 *
 *  1.0 and 1.1 change to another status, and 3.8 of what the owner has approved afterwards. So a second run changes nothing, and a final
 *  status stays. */

import { LoopTurns } from "#/src/fairness/loop-turns.ts";
import { nobody, server } from "#/src/model/author.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import { isLiveHold } from "#/src/model/holds.ts";
import { attendeesOfInstanceMax } from "#/src/model/limits.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { isBadAddress } from "#/src/outbound/queue.ts";
import {
  type CalendarHold,
  type CalendarMailDelivery,
  findLastCalendarDelivery,
  listAgentsWithCalendarDeliveries,
  listCalendarDeliveries,
  listCalendarHolds,
  listUidsWithDeliveries,
} from "#/storage/queries/collections/calendar-mail.ts";
import { listCalendarMessages } from "#/storage/queries/collections/calendar-messages.ts";
import type { Store } from "#/storage/store.ts";
import { type CalendarAddress, readCalendarAddress } from "../calendar-address.ts";
import type { SchedulingJob } from "../jobs.ts";
import type { LocalRooms } from "./local-copies.ts";
import type { DeliveryStatus } from "./schedule-status.ts";

export interface StatusUpdateRooms extends Pick<LocalRooms, "collections" | "schedulers"> {
  readonly store: Store;
}

export interface ScheduleStatusUpdates {
  /** Updates the objects of an agent with the outcomes of mail since a time. Returns the number of changed objects. */
  follow(agent: AgentNumber, since: number): Promise<number>;
  /** Where to begin after a start: the outcomes that may not have been applied before the process ended. */
  findBacklog(): Promise<{ readonly since: number; readonly agents: readonly AgentNumber[] } | undefined>;
}

/** Objects of one run; further ones follow in the next. */
const uidsMax = 200;
const holdsMax = 500;
/** Holds that are read at once: an envelope may have a thousand recipients. */
const holdsOfPage = 10;
const attemptsMax = 5;
/** Outcomes that were not applied when a process ended are younger than this, counted from the latest outcome of any mail. */
const backlogMs = 3_600_000;

export function createScheduleStatusUpdates(rooms: StatusUpdateRooms): ScheduleStatusUpdates {
  const { store } = rooms;
  return {
    async follow(agent, since) {
      const holds = await listHolds(store, agent, since);
      const uids = new Set(await listUidsWithDeliveries(store, agent, since, uidsMax));
      for (const { uid, state } of holds) if (!isLiveHold(state)) uids.add(uid);
      let changed = 0;
      for (const uid of uids) {
        const statuses = await readStatuses(store, agent, uid, holds);
        if (await note(rooms, agent, uid, { statuses, left: await readLeft(store, agent, uid) })) changed++;
      }
      return changed;
    },
    async findBacklog() {
      const last = await findLastCalendarDelivery(store);
      if (last === undefined) return undefined;
      const since = last - backlogMs;
      return { since, agents: await listAgentsWithCalendarDeliveries(store, since) };
    },
  };
}

/** Of the newest holds of any mail, in turns of the event loop. */
async function listHolds(store: Store, agent: AgentNumber, since: number): Promise<readonly CalendarHold[]> {
  const turns = new LoopTurns();
  const found: CalendarHold[] = [];
  let before: number | undefined = Number.MAX_SAFE_INTEGER;
  for (let looked = 0; looked < holdsMax && before !== undefined; looked += holdsOfPage) {
    const page = await listCalendarHolds(store, agent, since, { before, limit: holdsOfPage });
    found.push(...page.holds);
    before = page.last;
    await turns.turn();
  }
  return found;
}

/** If there are several mails to one address, the last one is used. */
async function readStatuses(
  store: Store,
  agent: AgentNumber,
  uid: string,
  holds: readonly CalendarHold[],
): Promise<ReadonlyMap<CalendarAddress, DeliveryStatus>> {
  const deliveries = await listCalendarDeliveries(store, agent, uid, attendeesOfInstanceMax);
  const all = [
    ...deliveries.map((mail) => ({ number: mail.number, address: mail.address, status: statusOf(mail) })),
    ...holds
      .filter((one) => one.uid === uid)
      .flatMap(({ number, addresses, state }) => {
        const status: DeliveryStatus = isLiveHold(state) ? "pending" : "refused";
        return addresses.map((address) => ({ number, address, status }));
      }),
  ];
  all.sort((one, other) => one.number - other.number);
  return new Map(all.map(({ address, status }) => [nameOf(address), status]));
}

/** Whom the last message that was meant for them has reached. */
async function readLeft(
  store: Store,
  agent: AgentNumber,
  uid: string,
): Promise<ReadonlySet<CalendarAddress>> {
  const last = new Map<string, string>();
  for (const { recipients, state } of await listCalendarMessages(store, agent, uid))
    for (const [to] of recipients) last.set(to, state);
  return new Set([...last].flatMap(([to, state]) => (state === "left" ? [to as CalendarAddress] : [])));
}

function nameOf(address: string): CalendarAddress {
  return readCalendarAddress(`mailto:${address}`);
}

function statusOf({ state, status }: CalendarMailDelivery): DeliveryStatus {
  switch (state) {
    case "delivered":
      return "delivered";
    case "failed":
      return isBadAddress(status ?? "") ? "unknown_user" : "failed";
    case "cancelled":
      return "refused";
    default:
      return "sent";
  }
}

async function note(
  { collections, schedulers }: StatusUpdateRooms,
  agent: AgentNumber,
  uid: string,
  told: Pick<Extract<SchedulingJob, { readonly kind: "note" }>, "statuses" | "left">,
): Promise<boolean> {
  for (let attempt = 1; attempt <= attemptsMax; attempt++) {
    const items = await collections.findItemsByUid(agent, uid, { kind: "calendar" });
    const number = items.find(({ scheduleTag }) => scheduleTag !== undefined)?.number;
    const [held] = number === undefined ? [] : await collections.readItems(agent, [number]);
    if (held === undefined) return false;
    const noted = await schedulers.run({ kind: "note", stored: held.bytes, ...told });
    if (noted.outcome !== "changed") return false;
    const put = {
      kind: "put" as const,
      collection: held.collection,
      item: held.number,
      bytes: noted.bytes,
      provenance: held.provenance,
      isAuthenticated: held.isAuthenticated,
      expected: { version: String(held.modseq) },
      keepsScheduleTag: true,
    };
    try {
      await collections.changeItems(server, [{ agent, actor: { ...nobody, agent }, actions: [put] }]);
      return true;
    } catch (error) {
      const isGone = isWaypostError(error) && (error.code === "not_found" || error.code === "policy_refused");
      if (isGone) return false;
      if (!isWaypostError(error) || error.code !== "precondition_failed") throw error;
    }
  }
  return false;
}
