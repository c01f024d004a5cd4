/** Web Push: which browsers are to be told now that a mail waits for their person, which programs that a collection has changed
 *  (`collection-news.ts`), and how it went. A push says how many mails wait, and no text of anybody. A browser's subscription is made in a
 *  session and ends with it; a runner sends (`protocols/webhooks/send-pushes.ts`). */
import type { Settings } from "#/config/schema.ts";
import { isLivePageSession } from "#/src/accounts/page-session.ts";
import { afterFailure, type RequestOutcome, unfailed, waitOf } from "#/src/feed/retries.ts";
import { server } from "#/src/model/author.ts";
import type { Clock } from "#/src/model/clock.ts";
import { listApprovedBy } from "#/src/reach/approvers.ts";
import type { PushSubscriptionRow } from "#/storage/push-subscription.ts";
import {
  listBrowserPushes,
  listNewestWaiting,
  type NewestWaiting,
} from "#/storage/queries/accounts/push-subscriptions.ts";
import { type CollectionNewsRooms, createCollectionNews } from "./collection-news.ts";
import type { DuePushes, Push } from "./push.ts";
import { type VapidKey, vapidKeyOf } from "./vapid-key.ts";

export interface Pushes {
  readonly clock: Clock;
  readonly key: VapidKey;
  /** Whom the operator of a push service can ask (RFC 8292 section 2.1). */
  readonly contact: string;
  listDue(): Promise<DuePushes>;
  report(push: Push, outcome: RequestOutcome): Promise<void>;
  /** Whether this daemon sends. */
  isSender(): boolean;
  /** `listener` is called when there may be something to send. Returns a function that ends the subscription. */
  onChange(listener: () => void): () => void;
}

export interface PushRooms extends CollectionNewsRooms {
  readonly settings: Settings;
}

/** The highest number of a hold that was told, of each mailbox. */
type Told = Readonly<Record<string, number>>;

export function createPushes({ store, accounts, collections, settings }: PushRooms): Pushes {
  const news = createCollectionNews({ store, accounts, collections });
  /** What waits, in one text, and for each subscription the one that it was last compared with: only news ask for the rights anew. */
  let waiting = "";
  const compared = new Map<number, string>();

  async function isLive({ agent, session }: PushSubscriptionRow, now: number): Promise<boolean> {
    const row = session === null ? undefined : await accounts.access.findPageSessionOf(agent, session);
    return row !== undefined && isLivePageSession(row, now);
  }

  /** What waits for the person, if something of it is new. */
  async function newsOf(
    { agent, told }: PushSubscriptionRow,
    newest: readonly NewestWaiting[],
  ): Promise<(Pick<Push, "told"> & { readonly waiting: number }) | undefined> {
    const approved = await listApprovedBy({ accounts }, agent);
    const mine = newest.filter((one) => approved.some(({ decides }) => decides(one)));
    const before = JSON.parse(told) as Told;
    if (!mine.some((one) => one.hold > (before[one.agent] ?? 0))) return undefined;
    return {
      // Of one mailbox the newest comes last.
      told: JSON.stringify(Object.fromEntries(mine.map((one) => [one.agent, one.hold]))),
      waiting: mine.reduce((sum, { count }) => sum + count, 0),
    };
  }

  return {
    clock: store.clock,
    get key() {
      return vapidKeyOf(store);
    },
    contact: `mailto:postmaster@${settings.server.domain}`,

    async listDue() {
      const now = store.clock.now();
      const { pushes: ofCollections, nextAt: next } = await news.listDue(now);
      const all = await listBrowserPushes(store);
      if (all.length === 0) return { pushes: ofCollections, nextAt: next };
      const newest = await listNewestWaiting(store);
      const present = newest.map(({ agent, requestedBy, hold }) => `${agent} ${requestedBy} ${hold}`).join();
      if (present !== waiting) compared.clear();
      waiting = present;
      const pushes: Push[] = [...ofCollections];
      let nextAt = next;
      for (const subscription of all) {
        const { subscription: number, endpoint, language } = subscription;
        const waitMs = waitOf(subscription, now);
        if (waitMs > 0) nextAt = Math.min(nextAt, now + waitMs);
        if (waitMs > 0 || compared.get(number) === endpoint) continue;
        if (!(await isLive(subscription, now))) {
          await store.write(server, "reportPush", { subscription: number, endpoint });
          continue;
        }
        const fresh = await newsOf(subscription, newest);
        if (fresh === undefined) compared.set(number, endpoint);
        else
          pushes.push({
            subscription,
            text: JSON.stringify({ waiting: fresh.waiting, language }),
            type: "application/octet-stream",
            urgency: "high",
            topic: "approvals",
            told: fresh.told,
            pauseMs: 0,
          });
      }
      return { pushes, nextAt };
    },

    async report({ subscription: row, told, pauseMs }, outcome) {
      const { subscription, endpoint, collectionAgent } = row;
      // What has changed while it was sent.
      if (collectionAgent !== null) news.noteChanged([collectionAgent]);
      if (outcome.error === null) {
        const nextAttemptAt = pauseMs === 0 ? 0 : store.clock.now() + pauseMs;
        const standing = told === undefined ? undefined : { ...unfailed, told, nextAttemptAt };
        return store.write(server, "reportPush", { subscription, endpoint, standing });
      }
      const { isGivenUp, ...standing } = afterFailure(row, outcome, store.clock.now());
      // 404: the push service knows the subscription no more (RFC 8030 section 7.3).
      const isOver = isGivenUp || outcome.status === 404;
      await store.write(server, "reportPush", {
        subscription,
        endpoint,
        standing: isOver ? undefined : { told: row.told, ...standing },
      });
    },

    isSender: () => store.leases.isHeld("webhooks"),
    onChange(listener) {
      const stops = [
        store.onCommit((touched) => {
          news.noteChanged(touched.map(({ agent }) => agent));
          listener();
        }),
        store.onMissed(listener),
        store.leases.onChange(listener),
      ];
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}
