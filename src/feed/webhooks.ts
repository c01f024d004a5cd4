/** Webhooks: an agent's events, sent to a program by HTTP. They are the events of `watch`, in the same order, at least once, from a stored
 *  position. This file makes the requests that are due; a runner sends them. */

import { createHash } from "node:crypto";
import { server } from "#/src/model/author.ts";
import type { Clock } from "#/src/model/clock.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { Modseq } from "#/src/model/numbers.ts";
import { findPosition } from "#/storage/queries/accounts/agents.ts";
import {
  findWebhook,
  findWebhookMessage,
  listWebhookAttempts,
  listWebhooks,
} from "#/storage/queries/accounts/webhooks.ts";
import type { WebhookRow } from "#/storage/rows.ts";
import type { Store } from "#/storage/store.ts";
import type { Position } from "./change-log.ts";
import type { MailEvent } from "./events.ts";
import type { Feed } from "./feed.ts";
import { afterFailure, type RequestOutcome, unfailed } from "./retries.ts";

export type Webhook = WebhookRow;

/** One request. The position of the webhook and the number of events determine its content, so it can be made again. */
export interface WebhookBatch {
  /** `webhook-id`: the same for the same events. */
  readonly message: string;
  /** The position behind the events; `wait` and `watch` take it as their cursor. */
  readonly cursor: string;
  readonly events: readonly MailEvent[];
  readonly position: string;
}

export interface Webhooks {
  readonly clock: Clock;
  list(): Promise<readonly Webhook[]>;
  find(webhook: number): Promise<Webhook | undefined>;
  /** The next batch of a webhook, and the webhook with its position behind events that its filter leaves out. `count`: the number of
   *  events, to make a batch again. */
  next(
    webhook: Webhook,
    count?: number,
  ): Promise<{ readonly webhook: Webhook; readonly batch: WebhookBatch | undefined }>;
  /** The number of events of the last request, when it has to be sent again. */
  pendingCount(webhook: Webhook): Promise<number | undefined>;
  /** A request that is in the history, with its webhook, made again as far as its events are kept; undefined for one that is not. */
  findSent(message: string): Promise<{ readonly webhook: Webhook; readonly batch: WebhookBatch } | undefined>;
  /** Stores the outcome, durably. Answers the webhook as it is then, or undefined when it was deleted. */
  report(webhook: Webhook, batch: WebhookBatch, outcome: RequestOutcome): Promise<Webhook | undefined>;
  /** `onRing` is called when there may be events for the webhook. Returns a function that ends the subscription. */
  subscribe(webhook: Webhook, onRing: () => void): () => void;
  /** `listener` is called when webhooks were added, removed or resumed, and when `isSender` changes. Returns a function that ends the
   *  subscription. */
  onChange(listener: () => void): () => void;
  /** Has to be called after every change of webhooks. */
  changed(): void;
  /** Whether this daemon sends the requests. */
  isSender(): boolean;
  /** Whether another daemon may change webhooks. */
  readonly isShared: boolean;
}

/** Events of one request: some 15 KiB, under the 20 that Standard Webhooks recommends. */
const eventsMax = 25;
/** Past requests that are kept of each webhook. */
const historyMax = 100;
/** Events that are looked through for a request of the past. */
const sentEventsMax = 50_000;
/** The most changes that are read again after a restart because the position behind them was not stored. */
const passedOverMax = 1000;

export function createWebhooks(store: Store, feed: Feed): Webhooks {
  const listeners = new Set<() => void>();
  /** The stored position of each webhook that has passed over changes since. */
  const keptModseqs = new Map<number, Modseq>();

  const webhooks: Webhooks = {
    clock: store.clock,
    list: () => listWebhooks(store),
    find: (webhook) => findWebhook(store, webhook),

    async next(webhook, count = eventsMax) {
      const { agent } = webhook;
      const filter = filterOf(webhook);
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

    async findSent(message) {
      const sent = await findWebhookMessage(store, message);
      const webhook = sent && (await findWebhook(store, sent.webhook));
      const log = webhook && (await findPosition(store, webhook.agent));
      if (sent === undefined || webhook === undefined || log === undefined) return undefined;
      let position: Position = { modseq: log.logFloor };
      let last: MailEvent[] = [];
      for (let read = 0; read < sentEventsMax; ) {
        const { agent } = webhook;
        const page = await feed.events.read(agent, new Map([[agent, position]]), [agent], filterOf(webhook));
        for (const event of page.events) {
          last = [...last, event].slice(-sent.eventCount);
          if (messageId(webhook.webhook, event.cursor, sent.eventCount) === message)
            return last.length === sent.eventCount ? { webhook, batch: batchOf(webhook, last) } : undefined;
        }
        read += page.events.length;
        if (!page.hasMore) return undefined;
        position = page.positions.get(agent)!;
      }
      return undefined;
    },

    async report(webhook, batch, outcome) {
      const now = store.clock.now();
      const after = outcome.error === null ? taken(batch) : refused(webhook, outcome, now);
      const { isKnown } = await store.write(server, "reportWebhook", {
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
      // Wrapped, so that one function can subscribe twice and unsubscribe once.
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

  /** The position behind unwanted changes is not stored with every commit, only often enough that a restart reads little again. */
  async function passOver(webhook: Webhook, position: Position): Promise<Webhook> {
    const moved = { ...webhook, position: formatPosition(position) };
    const kept = keptModseqs.get(webhook.webhook) ?? parsePosition(webhook.position).modseq;
    keptModseqs.set(webhook.webhook, kept);
    if (position.modseq - kept < passedOverMax) return moved;
    const { state, failureCount, failingSince, nextAttemptAt } = webhook;
    const standing = { state, position: moved.position, failureCount, failingSince, nextAttemptAt };
    await store.write(server, "reportWebhook", { webhook: webhook.webhook, ...standing, historyMax });
    keptModseqs.set(webhook.webhook, position.modseq);
    return moved;
  }

  /** The webhook's position, but not before the first change that is kept and not beyond the end of the log. */
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
  return { state: "active", position, ...unfailed };
}

function refused(webhook: Webhook, outcome: RequestOutcome, now: number): Standing {
  const { isGivenUp, ...standing } = afterFailure(webhook, outcome, now);
  return { state: isGivenUp ? "disabled" : "active", position: webhook.position, ...standing };
}

function filterOf(webhook: Webhook) {
  const types = new Set<string>(webhook.types);
  // Independent of the filter: events that were not sent yet are lost by a restore.
  if (types.size > 0) types.add("mailbox.restored");
  return { isVisible: () => true, ...(types.size === 0 ? {} : { types }) };
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
