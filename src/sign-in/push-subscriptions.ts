/** Who is told by Web Push: browsers of people (`own-pushes.ts`) and programs that follow a collection (`collection-pushes.ts`). What tells them
 *  is loaded with the first one (`protocols/webhooks/start-pushes.ts`). */
import { createECDH } from "node:crypto";
import type { Settings } from "#/config/schema.ts";
import { readUrl } from "#/src/accounts/administration/webhooks.ts";
import type { Author } from "#/src/model/author.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { pushSubscriptionsMax } from "#/src/model/limits.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { PushSubscriptionRow } from "#/storage/push-subscription.ts";
import {
  hasPushSubscription,
  listPushSubscriptionsOf,
} from "#/storage/queries/accounts/push-subscriptions.ts";
import type { Store } from "#/storage/store.ts";
import type { KeepPushSubscription } from "#/storage/transactions/sign-in/keep-push-subscription.ts";
import { vapidKeyOf } from "./vapid-key.ts";

/** Where a receiver is told, and its keys in base64url (RFC 8291 section 3.1). */
export interface WantedPush {
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
}

type Kept = Pick<
  KeepPushSubscription,
  "agent" | "session" | "password" | "follows" | "language" | "told" | "expiresAt"
>;

export interface PushSubscriptions {
  /** The key to which receivers bind their subscriptions, in base64url. */
  readonly key: string;
  /** Answers its number. Throws `invalid` for an address that webhooks don't go to either, and for keys that are none, and `policy_refused`
   *  (limit_reached). */
  keep(by: Author, wanted: WantedPush, kept: Kept): Promise<number>;
  listOf(person: AgentNumber): Promise<readonly PushSubscriptionRow[]>;
  /** Throws `not_found`. */
  end(by: Author, person: AgentNumber, subscription: number): Promise<void>;
  /** Whether there is one of anybody. */
  exist(): Promise<boolean>;
  /** Whether another daemon may keep one. */
  readonly isShared: boolean;
  /** Called when this daemon has kept one. Answers how to stop listening. */
  onKept(listener: () => void): () => void;
}

const authBytes = 16;

export function createPushSubscriptions(store: Store, settings: Settings): PushSubscriptions {
  const listeners = new Set<() => void>();
  let key: string | undefined;
  return {
    get key() {
      key ??= vapidKeyOf(store).publicKey.toString("base64url");
      return key;
    },
    async keep(by, { endpoint, p256dh, auth }, kept) {
      const { subscription } = await store.write(by, "keepPushSubscription", {
        ...kept,
        endpoint: readUrl(endpoint, settings.webhooks, "/endpoint"),
        ...readKeys(p256dh, auth),
        limit: pushSubscriptionsMax,
        at: store.clock.now(),
      });
      for (const tell of listeners) tell();
      return subscription;
    },
    listOf: (person) => listPushSubscriptionsOf(store, person),
    end: (by, agent, subscription) => store.write(by, "deletePushSubscription", { agent, subscription }),
    exist: () => hasPushSubscription(store),
    isShared: store.leases.isShared,
    onKept(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function readKeys(p256dh: string, auth: string) {
  const publicKey = Buffer.from(p256dh.slice(0, 200), "base64url");
  const authSecret = Buffer.from(auth.slice(0, 100), "base64url");
  if (!isPoint(publicKey) || authSecret.length !== authBytes)
    throw new WaypostError("invalid", "The keys of the push subscription are none.", { field: "/keys" });
  return { publicKey, authSecret };
}

function isPoint(octets: Buffer): boolean {
  const pair = createECDH("prime256v1");
  pair.generateKeys();
  try {
    pair.computeSecret(octets);
    return octets.length === 65;
  } catch {
    return false;
  }
}
