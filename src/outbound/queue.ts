/** The outbound queue: rows in the store. Memory only has which of them are being tried now, and where several daemons send, so does the
 *  store. */

import type { Settings } from "#/config/schema.ts";
import { LoopTurns } from "#/src/fairness/loop-turns.ts";
import { server } from "#/src/model/author.ts";
import { dryRun } from "#/src/model/caller.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { BreakerLimits } from "#/src/model/pause.ts";
import { readBlobRange } from "#/storage/blob.ts";
import {
  type DueGroup,
  type DueRow,
  findNextDue,
  findSubmission,
  listDue,
  listDueAgents,
  listDueDomains,
  listDueRecipients,
} from "#/storage/queries/outbound/submissions.ts";
import type { Store } from "#/storage/store.ts";
import type { SubmissionRow } from "#/storage/submission.ts";
import type { ReportedOutcome } from "#/storage/transactions/outbound/report-delivery.ts";
import { createClaims, nameOf } from "./claims.ts";
import { reportOutcomes } from "./gate/gate.ts";
import {
  dueDomainsPage,
  duePageRows,
  firstRetryMs,
  hurriedAtOnce,
  longestRetryMs,
  lookedAtOfAgentMax,
  queueWaitMsMax,
} from "./limits.ts";
import type { DueDelivery, DueOptions, Outbound, OutboundRooms, RecipientOutcome } from "./outbound.ts";
import { createScheduled } from "./scheduled.ts";

export type Queue = Omit<
  Outbound,
  | "submit"
  | "plan"
  | "asksAlways"
  | "askHere"
  | "maySend"
  | "readTold"
  | "recipientsMax"
  | "readDelivery"
  | "retry"
  | "cancel"
  | "tokenOf"
>;

/** Whether it is time to notify the sender of the delay. */
export function isDelayDue({ startedAt }: Pick<DueDelivery, "startedAt">, now: number): boolean {
  return now - startedAt >= delayNoticeMs;
}

const delayNoticeMs = 4 * 3_600_000;

export function createQueue(rooms: OutboundRooms): Queue {
  const { store } = rooms;
  const listeners = new Set<() => void>();
  const claims = createClaims(store);

  const ring = (): void => {
    if (dryRun() !== undefined) return;
    for (const listener of listeners) listener();
  };

  const scheduled = createScheduled(rooms, ring);

  store.leases.onChange(ring);

  /** Those of these deliveries that are the caller's now, as they stand. */
  async function take(groups: readonly DueGroup[], now: number): Promise<DueDelivery[]> {
    const deliveries: DueDelivery[] = [];
    const turns = new LoopTurns();
    for (const group of await claims.claim(groups))
      try {
        await turns.turn();
        const delivery = await readDelivery(store, group, now);
        // The row was finished by another caller since the page was read.
        if (delivery === undefined) claims.release(group);
        else deliveries.push(delivery);
      } catch (error) {
        // A row that cannot be read, as in a damaged file, stays taken until the next start, so that the rows behind it do not wait.
        if (isDamage(error)) continue;
        for (const one of groups) claims.release(one);
        throw error;
      }
    return deliveries;
  }

  return {
    ring,

    onDue(listener) {
      // Wrapped, so that the same function can be registered twice and removed once.
      const own = (): void => listener();
      listeners.add(own);
      return () => void listeners.delete(own);
    },

    async nextDueAt() {
      const now = store.clock.now();
      const after = now + queueWaitMsMax;
      const { next, isSetAhead } = await findNextDue(store, { now, after });
      if (isSetAhead) {
        await store.write(server, "hurryQueue", { after, at: now, limit: hurriedAtOnce });
        return now;
      }
      const times = [next, scheduled.retryAt()];
      const known = times.filter((at) => at !== undefined);
      return known.length === 0 ? undefined : Math.min(...known);
    },

    reschedule: scheduled.reschedule,
    findSendAt: scheduled.findSendAt,

    async takeDue(options) {
      await scheduled.startDue(options.now);
      const deliveries: DueDelivery[] = [];
      let found: DueGroup[] = [];
      const takeFound = async (): Promise<void> => {
        const groups = found;
        found = [];
        try {
          deliveries.push(...(await take(groups, options.now)));
        } catch (error) {
          for (const other of deliveries) claims.release(other);
          throw error;
        }
      };
      for await (const group of dueGroups(store, options)) {
        if (claims.isTaken(group)) continue;
        found.push(group);
        if (deliveries.length + found.length < options.limit) continue;
        await takeFound();
        if (deliveries.length >= options.limit) break;
      }
      if (found.length > 0) await takeFound();
      return deliveries;
    },

    isOwn: claims.isOwn,

    release(delivery) {
      claims.release(delivery);
      ring();
    },

    async report(delivery, outcomes, letters = []) {
      const at = store.clock.now();
      const report = await reportOutcomes(store, server, {
        agent: delivery.agent,
        submission: delivery.submission,
        outcomes: outcomes.map((outcome) => reportedOutcome(delivery, outcome, at)),
        isDelayTold: isDelayDue(delivery, at),
        letters,
        claim: claims.named(delivery),
        breaker: breakerOf(rooms.settings),
        at,
      });
      claims.forget(delivery);
      ring();
      return report;
    },

    readMessage: ({ account, blob, size }) => readBlobRange(store, account, blob, 0, size),
  };
}

function isDamage(error: unknown): boolean {
  return isWaypostError(error) && error.code === "internal";
}

/** Each submission and domain once, in the order in which their first recipients are due. If domains are skipped, it reads domain by
 *  domain, and if mailboxes are skipped, mailbox by mailbox, so that rows of a busy one are not read each time. */
async function* dueGroups(
  store: Store,
  { now, skipDomains, skipAgents = noAgents }: DueOptions,
): AsyncGenerator<DueGroup> {
  const limit = dueDomainsPage;
  if (skipAgents.size > 0) {
    const skip = [...skipAgents];
    for await (const agent of inPages((after: AgentNumber | undefined) =>
      listDueAgents(store, { now, limit, skip, after }),
    )) {
      let looked = 0;
      for await (const group of groupsOf(store, now, { agent })) {
        if (!skipDomains.has(group.domain)) yield group;
        if (++looked >= lookedAtOfAgentMax) break;
      }
    }
  } else if (skipDomains.size === 0) yield* groupsOf(store, now, {});
  else {
    const skip = [...skipDomains];
    for await (const domain of inPages((after: string | undefined) =>
      listDueDomains(store, { now, limit, skip, after }),
    ))
      yield* groupsOf(store, now, { domain });
  }
}

const noAgents: ReadonlySet<AgentNumber> = new Set();

/** The values of a paged list, one after the other. */
async function* inPages<V>(page: (after: V | undefined) => Promise<V[]>): AsyncGenerator<V> {
  let after: V | undefined;
  for (;;) {
    const values = await page(after);
    yield* values;
    after = values.at(-1);
    if (values.length < dueDomainsPage) return;
  }
}

async function* groupsOf(
  store: Store,
  now: number,
  of: { readonly domain?: string; readonly agent?: AgentNumber },
): AsyncGenerator<DueGroup> {
  const seen = new Set<string>();
  const turns = new LoopTurns();
  let after: DueRow | undefined;
  for (;;) {
    await turns.turn();
    const rows = await listDue(store, {
      now,
      limit: duePageRows,
      ...of,
      after,
      daemon: store.leases.daemon,
    });
    for (const row of rows) {
      const name = nameOf(row);
      if (seen.has(name)) continue;
      seen.add(name);
      yield row;
    }
    after = rows.at(-1);
    if (rows.length < duePageRows) return;
  }
}

async function readDelivery(store: Store, group: DueGroup, now: number): Promise<DueDelivery | undefined> {
  const recipients = await listDueRecipients(store, group, now);
  const submission = await findSubmission(store, group.agent as AgentNumber, group.submission);
  if (recipients.length === 0 || submission === undefined) return undefined;
  return deliveryOf(submission, group.domain, recipients);
}

function deliveryOf(row: SubmissionRow, domain: string, recipients: DueDelivery["recipients"]): DueDelivery {
  return {
    agent: row.agent,
    account: row.account,
    submission: row.submission,
    message: row.message,
    blob: row.blob,
    source: row.source,
    envelopeFrom: row.envelopeFrom,
    envid: row.envid,
    ret: row.ret,
    size: row.size,
    bodyType: row.bodyType,
    isSmtputf8: row.isSmtputf8,
    tlsWish: row.tlsWish,
    domain,
    recipients: recipients.map(({ number, address, notify, orcpt, attemptCount, delayToldAt }) => ({
      number,
      address,
      notify,
      orcpt,
      attemptCount,
      delayToldAt,
    })),
    startedAt: Math.max(row.createdAt, row.sendAt),
    createdAt: row.createdAt,
    expiresAt: row.expiresAt,
  };
}

function reportedOutcome(delivery: DueDelivery, outcome: RecipientOutcome, at: number): ReportedOutcome {
  const attemptCount = delivery.recipients.find(({ number }) => number === outcome.number)?.attemptCount ?? 0;
  return {
    number: outcome.number,
    state: outcome.state,
    status: outcome.status,
    host: outcome.host ?? null,
    reply: outcome.reply ?? null,
    nextAttemptAt: outcome.state === "deferred" ? (outcome.retryAt ?? retryAt(attemptCount, at)) : at,
    isSuppressed: outcome.state === "failed" && delivery.domain !== "" && isBadAddress(outcome.status),
  };
}

/** null if the operator has switched the breaker off. */
export function breakerOf({ breaker }: Pick<Settings, "breaker">): BreakerLimits | null {
  return breaker.enabled ? { bounces: breaker.bounces, sends: breaker.sends } : null;
}

/** The time of the next attempt, after one minute, two, four, … at most two hours. */
export function retryAt(attemptCount: number, at: number): number {
  return at + Math.min(longestRetryMs, firstRetryMs * 2 ** Math.min(attemptCount, 20));
}

/** Whether the status means that the mailbox or its domain does not exist (RFC 3463 section 3.2), or never takes mail (5.1.10, RFC
 *  7505 section 5.1). */
export function isBadAddress(status: string): boolean {
  return ["5.1.1", "5.1.2", "5.1.3", "5.1.6", "5.1.10"].includes(status);
}
