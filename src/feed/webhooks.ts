/** Webhooks: an agent's events for a program that is called, as `watch` tells them to one that listens: the same events in the
 *  same order, at least once, from a position that is kept. What is due is told here; who sends it is a runner. */
import { createHash } from "node:crypto";
import type { Clock } from "#/src/model/clock.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { Modseq } from "#/src/model/numbers.ts";
import { findPosition } from "#/storage/queries/agents.ts";
import { findWebhook, listWebhookAttempts, listWebhooks } from "#/storage/queries/webhooks.ts";
import type { WebhookRow } from "#/storage/rows.ts";
import type { Store } from "#/storage/store.ts";
import type { Position } from "./change-log.ts";
import type { MailEvent } from "./events.ts";
import type { Feed } from "./feed.ts";

export type Webhook = WebhookRow;

/** One request. What it holds follows from where the webhook stands and how many events there are, so it can be made again. */
export interface WebhookBatch {
  /** `webhook-id`: the same for the same events. */
  readonly message: string;
  /** Behind the events; `wait` and `watch` go on from it. */
  readonly cursor: string;
  readonly events: readonly MailEvent[];
  readonly position: string;
}

/** What came of a request. */
export interface WebhookOutcome {
  /** Of HTTP; null when there was no answer. */
  readonly status: number | null;
  /** Why it is not taken; null when it is. */
  readonly error: string | null;
  /** What the receiver asked for, at most. */
  readonly retryAfterMs?: number;
  /** The receiver wants no more of it. */
  readonly isGone?: boolean;
}

export interface Webhooks {
  readonly clock: Clock;
  list(): Promise<readonly Webhook[]>;
  find(webhook: number): Promise<Webhook | undefined>;
  /** What comes next for one, and how it stands when what it does not want is passed over. `count`: as many events as that,
   *  to make a batch again. */
  next(
    webhook: Webhook,
    count?: number,
  ): Promise<{ readonly webhook: Webhook; readonly batch: WebhookBatch | undefined }>;
  /** How many events the last request had, when it is to be made again. */
  pendingCount(webhook: Webhook): Promise<number | undefined>;
  /** Durable. Answers how the webhook stands now, or undefined for one that has gone. */
  report(webhook: Webhook, batch: WebhookBatch, outcome: WebhookOutcome): Promise<Webhook | undefined>;
  /** Called when there may be events for one. Returns the way to stop. */
  subscribe(webhook: Webhook, onRing: () => void): () => void;
  /** Called when webhooks were added, removed or taken up again, and when `isSender` changes. Returns the way to stop. */
  onChange(listener: () => void): () => void;
  /** For who has changed some. */
  changed(): void;
  /** Whether this daemon is the one that sends. */
  isSender(): boolean;
  /** Whether another daemon may change some. */
  readonly isShared: boolean;
}

/** Events of one request: some 15 KiB, under the 20 that Standard Webhooks recommends. */
const eventsMax = 25;
/** Requests that are remembered of each. */
const historyMax = 100;
/** Changes that are read again at most when there was nothing to send. */
const passedOverMax = 1000;
const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
/** Waits after each failure; the last one is repeated. */
const waitsMs = [
  5 * secondMs,
  30 * secondMs,
  2 * minuteMs,
  10 * minuteMs,
  30 * minuteMs,
  hourMs,
  2 * hourMs,
  4 * hourMs,
];
const longestWaitMs = 4 * hourMs;
/** A receiver that takes nothing for so long is given up. */
const patienceMs = 72 * hourMs;

export function createWebhooks(store: Store, feed: Feed): Webhooks {
  const listeners = new Set<() => void>();
  /** How far each is known to the store, where it has got further without anything to send. */
  const keptModseqs = new Map<number, Modseq>();

  const webhooks: Webhooks = {
    clock: store.clock,
    list: () => listWebhooks(store),
    find: (webhook) => findWebhook(store, webhook),

    async next(webhook, count = eventsMax) {
      const { agent } = webhook;
      const types = new Set<string>(webhook.types);
      // Whatever it asked for: what it was not told of yet is lost with it.
      if (types.size > 0) types.add("mailbox.restored");
      const filter = { isVisible: () => true, ...(types.size === 0 ? {} : { types }) };
      let position = await presentPosition(webhook);
      for (;;) {
        const page = await feed.events.read(agent, new Map([[agent, position]]), [agent], filter);
        if (page.events.length > 0)
          return { webhook, batch: batchOf(webhook, page.events.slice(0, Math.min(count, eventsMax))) };
        position = page.positions.get(agent)!;
        if (!page.hasMore) return { webhook: await passOver(webhook, position), batch: undefined };
      }
    },

    async pendingCount({ webhook, failureCount }) {
      if (failureCount === 0) return undefined;
      return (await listWebhookAttempts(store, webhook, 1))[0]?.eventCount;
    },

    async report(webhook, batch, outcome) {
      const now = store.clock.now();
      const after = outcome.error === null ? taken(batch) : refused(webhook, outcome, now);
      const { isKnown } = await store.write("reportWebhook", {
        webhook: webhook.webhook,
        ...after,
        attempt: {
          message: batch.message,
          at: now,
          status: outcome.status,
          error: outcome.error,
          eventCount: batch.events.length,
        },
        historyMax,
      });
      keptModseqs.delete(webhook.webhook);
      return isKnown ? { ...webhook, ...after } : undefined;
    },

    subscribe: ({ agent }, onRing) => feed.subscribe(agent, onRing),

    onChange(listener) {
      // Wrapped, so that one function can listen twice and stop once.
      const own = (): void => listener();
      listeners.add(own);
      const stop = store.leases.onChange(own);
      return () => {
        listeners.delete(own);
        stop();
      };
    },
    changed() {
      for (const listener of listeners) listener();
    },
    isSender: () => store.leases.isHeld("webhooks"),
    isShared: store.leases.isShared,
  };
  return webhooks;

  function batchOf(webhook: Webhook, events: readonly MailEvent[]): WebhookBatch {
    const { cursor } = events.at(-1)!;
    const position = formatPosition(feed.events.open(webhook.agent, cursor).get(webhook.agent)!);
    return { message: messageId(webhook.webhook, cursor, events.length), cursor, events, position };
  }

  /** What nobody wants is not kept with every commit, only so often that a restart has little to read again. */
  async function passOver(webhook: Webhook, position: Position): Promise<Webhook> {
    const moved = { ...webhook, position: formatPosition(position) };
    const kept = keptModseqs.get(webhook.webhook) ?? parsePosition(webhook.position).modseq;
    keptModseqs.set(webhook.webhook, kept);
    if (position.modseq - kept < passedOverMax) return moved;
    await store.write("reportWebhook", { ...moved, historyMax });
    keptModseqs.set(webhook.webhook, position.modseq);
    return moved;
  }

  /** Where it stands, or the beginning of what is kept when it stands before that, or the end where the log is shorter. */
  async function presentPosition(webhook: Webhook): Promise<Position> {
    const position = parsePosition(webhook.position);
    const log = await findPosition(store, webhook.agent);
    if (log === undefined) throw new WaypostError("not_found", "There is no such mailbox.");
    if (position.modseq < log.logFloor) return { modseq: log.logFloor };
    return position.modseq > log.modseq ? { modseq: log.modseq } : position;
  }
}

type Standing = Pick<Webhook, "state" | "position" | "failureCount" | "failingSince" | "nextAttemptAt">;

function taken({ position }: WebhookBatch): Standing {
  return { state: "active", position, failureCount: 0, failingSince: null, nextAttemptAt: 0 };
}

function refused(webhook: Webhook, outcome: WebhookOutcome, now: number): Standing {
  const failingSince = webhook.failingSince ?? now;
  const waitMs = waitsMs[Math.min(webhook.failureCount, waitsMs.length - 1)]!;
  const askedMs = Math.min(outcome.retryAfterMs ?? 0, longestWaitMs);
  const isGivenUp = outcome.isGone === true || now - failingSince >= patienceMs;
  return {
    state: isGivenUp ? "disabled" : "active",
    position: webhook.position,
    failureCount: webhook.failureCount + 1,
    failingSince,
    nextAttemptAt: now + Math.max(waitMs, askedMs),
  };
}

function messageId(webhook: number, cursor: string, count: number): string {
  const digest = createHash("sha256").update(`${webhook} ${cursor} ${count}`).digest("base64url");
  return `msg_${digest.slice(0, 27)}`;
}

function formatPosition({ modseq, ordinal }: Position): string {
  return ordinal === undefined ? String(modseq) : `${modseq}.${ordinal}`;
}

function parsePosition(text: string): Position {
  const [modseq, ordinal] = text.split(".").map(Number) as [Modseq, number | undefined];
  return ordinal === undefined ? { modseq } : { modseq, ordinal };
}
