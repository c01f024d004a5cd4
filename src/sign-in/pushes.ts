/** Web Push: which browsers are to be told now that a mail waits for their person, and how it went. A push says how many mails wait, and no
 *  text of anybody. A subscription is made in a session and ends with it; a runner sends (`protocols/webhooks/send-pushes.ts`). */
import type { Settings } from "#/config/schema.ts";
import type { Accounts } from "#/src/accounts/accounts.ts";
import { isLivePageSession } from "#/src/accounts/page-session.ts";
import { principalOf } from "#/src/accounts/principal.ts";
import { afterFailure, type RequestOutcome, unfailed } from "#/src/feed/retries.ts";
import { server } from "#/src/model/author.ts";
import type { Clock } from "#/src/model/clock.ts";
import { reachableAgents } from "#/src/reach/agents.ts";
import type { PushSubscriptionRow } from "#/storage/push-subscription.ts";
import {
  listNewestWaiting,
  listPushSubscriptions,
  type NewestWaiting,
} from "#/storage/queries/accounts/push-subscriptions.ts";
import type { Store } from "#/storage/store.ts";
import { type VapidKey, vapidKeyOf } from "./vapid-key.ts";

/** One push that is due. */
export interface Push {
  readonly subscription: PushSubscriptionRow;
  /** JSON: how many mails wait, and the language of the browser. */
  readonly text: string;
  /** What the browser knows once it has it. */
  readonly told: string;
}

export interface DuePushes {
  readonly pushes: readonly Push[];
  /** When one that failed is tried again. */
  readonly nextAt: number | undefined;
}

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

export interface PushRooms {
  readonly store: Store;
  readonly accounts: Accounts;
  readonly settings: Settings;
}

/** The highest number of a hold that was told, of each mailbox. */
type Told = Readonly<Record<string, number>>;

export function createPushes({ store, accounts, settings }: PushRooms): Pushes {
  /** What waits, in one text, and for each subscription the one that it was last compared with: only news ask for the rights anew. */
  let waiting = "";
  const compared = new Map<number, string>();

  async function isLive({ agent, session }: PushSubscriptionRow, now: number): Promise<boolean> {
    const row = session === null ? undefined : await accounts.access.findPageSessionOf(agent, session);
    return row !== undefined && isLivePageSession(row, now);
  }

  /** What waits for the person, if something of it is new. */
  async function newsOf(
    { agent, session, told }: PushSubscriptionRow,
    newest: readonly NewestWaiting[],
  ): Promise<(Pick<Push, "told"> & { readonly waiting: number }) | undefined> {
    const owner = await accounts.access.findOwner(agent);
    if (owner === undefined) return undefined;
    const principal = principalOf(owner, { kind: "session", number: session! });
    const reached = new Map(
      (await reachableAgents({ rooms: { accounts }, principal }, "approve")).map((one) => [one.agent, one]),
    );
    const mine = newest.filter((one) => reached.get(one.agent)?.isOwn === (one.isOwn === 1));
    const before = JSON.parse(told) as Told;
    if (!mine.some((one) => one.hold > (before[one.agent] ?? 0))) return undefined;
    return {
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
      const all = await listPushSubscriptions(store);
      if (all.length === 0) return { pushes: [], nextAt: undefined };
      const newest = await listNewestWaiting(store);
      const present = newest.map(({ agent, isOwn, hold }) => `${agent} ${isOwn} ${hold}`).join();
      if (present !== waiting) compared.clear();
      waiting = present;
      const pushes: Push[] = [];
      let nextAt: number | undefined;
      for (const subscription of all) {
        const { subscription: number, nextAttemptAt, endpoint, language } = subscription;
        if (nextAttemptAt > now) nextAt = Math.min(nextAt ?? nextAttemptAt, nextAttemptAt);
        if (nextAttemptAt > now || compared.get(number) === endpoint) continue;
        if (!(await isLive(subscription, now))) {
          await store.write(server, "reportPush", { subscription: number, endpoint });
          continue;
        }
        const news = await newsOf(subscription, newest);
        if (news === undefined) compared.set(number, endpoint);
        else
          pushes.push({
            subscription,
            text: JSON.stringify({ waiting: news.waiting, language }),
            told: news.told,
          });
      }
      return { pushes, nextAt };
    },

    async report({ subscription: row, told }, outcome) {
      const { subscription, endpoint } = row;
      if (outcome.error === null)
        return store.write(server, "reportPush", { subscription, endpoint, standing: { told, ...unfailed } });
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
      const stops = [store.onCommit(() => listener()), store.leases.onChange(() => listener())];
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}
