/** Programs that follow a calendar or an addressbook by Web Push (the draft WebDAV-Push), as DAVx5 does: made with an app password of a
 *  person, with which they end. An agent has none, because what it follows would leave to an address of its choice. */
import type { Settings } from "#/config/schema.ts";
import { readUrl } from "#/src/accounts/administration/webhooks.ts";
import type { Principal } from "#/src/accounts/principal.ts";
import type { Collection } from "#/src/collections/collection.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { IdCodec } from "#/src/model/ids.ts";
import { collectionPushesMax, collectionPushMs, pushSubscriptionsMax } from "#/src/model/limits.ts";
import type { AgentNumber, CollectionNumber } from "#/src/model/numbers.ts";
import type { PushTriggers } from "#/storage/push-subscription.ts";
import { listPushSubscriptionsOf } from "#/storage/queries/accounts/push-subscriptions.ts";
import type { Store } from "#/storage/store.ts";
import { readPushKeys } from "./own-pushes.ts";
import { vapidKeyOf } from "./vapid-key.ts";

export type { PushTriggers } from "#/storage/push-subscription.ts";

export interface WantedCollectionPush {
  readonly endpoint: string;
  /** In base64url. */
  readonly publicKey: string;
  readonly authSecret: string;
  readonly triggers: PushTriggers;
  /** Until when it is wanted; absent: as long as may be. */
  readonly expiresAt: number | undefined;
}

/** What of a collection a subscription needs. */
export type Followed = Pick<Collection, "agent" | "number" | "kind" | "modseq" | "propertiesModseq">;

export interface CollectionPushes {
  /** The key to which programs bind their subscriptions, in base64url. */
  readonly key: string;
  isFor(login: Principal): boolean;
  topicOf(collection: Pick<Followed, "agent" | "number">): string;
  /** Makes a subscription, or renews the one that the login has for the same collection and endpoint. Throws `invalid` for an address that
   *  webhooks don't go to either, and for keys that are none, and `policy_refused` (limit_reached). */
  keep(
    login: Principal,
    collection: Followed,
    wanted: WantedCollectionPush,
  ): Promise<{ readonly subscription: number; readonly expiresAt: number }>;
  /** Whether the login has it. */
  has(login: Principal, subscription: number): Promise<boolean>;
  /** Throws `not_found`. */
  end(login: Principal, subscription: number): Promise<void>;
}

export function createCollectionPushes(store: Store, settings: Settings): CollectionPushes {
  let key: string | undefined;

  function isFor({ kind, credential }: Principal): boolean {
    return kind === "person" && credential.kind === "password";
  }

  return {
    get key() {
      key ??= vapidKeyOf(store).publicKey.toString("base64url");
      return key;
    },
    isFor,
    topicOf: ({ agent, number }) => pushTopic(store.ids, agent, number),

    async keep(login, collection, { endpoint, publicKey, authSecret, triggers, expiresAt }) {
      if (!isFor(login)) throw new WaypostError("unauthorized", "Only an app password of a person follows.");
      const at = store.clock.now();
      // A time that is over comes from a clock that is wrong.
      const asked = expiresAt === undefined || expiresAt <= at ? Number.POSITIVE_INFINITY : expiresAt;
      const until = Math.min(asked, at + collectionPushMs);
      const { subscription } = await store.write(login.author, "keepPushSubscription", {
        agent: login.agent,
        password: login.credential.number,
        follows: {
          agent: collection.agent,
          collection: collection.number,
          triggers,
          limit: collectionPushesMax,
        },
        endpoint: readUrl(endpoint, settings.webhooks, "/push-resource"),
        ...readPushKeys(publicKey, authSecret),
        language: "",
        told: toldOf(triggers, collection),
        expiresAt: until,
        limit: pushSubscriptionsMax,
        at,
      });
      return { subscription, expiresAt: until };
    },

    async has({ agent }, subscription) {
      const now = store.clock.now();
      const rows = await listPushSubscriptionsOf(store, agent);
      return rows.some(
        (one) => one.subscription === subscription && one.collection !== null && one.expiresAt > now,
      );
    },

    async end({ agent, author }, subscription) {
      await store.write(author, "deletePushSubscription", { agent, subscription });
    },
  };
}

/** The name of a collection in pushes. It is known also when the collection is gone, and then nobody knows of which kind it was. */
export function pushTopic(
  ids: Pick<IdCodec, "encode">,
  agent: AgentNumber,
  collection: CollectionNumber,
): string {
  return ids.encode("calendar", agent, collection);
}

/** What a program knows that has seen the collection as it is: the words of `push_subscription.told`. */
export function toldOf(
  triggers: PushTriggers | null,
  { modseq, propertiesModseq }: Pick<Followed, "modseq" | "propertiesModseq">,
): string {
  return String(triggers === "property-update" ? propertiesModseq : modseq);
}
