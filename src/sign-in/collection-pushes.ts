/** Programs that follow a calendar or an addressbook by Web Push (the draft WebDAV-Push), as DAVx5 does: made with an app password of a
 *  person, with which they end. An agent has none, because what it follows would leave to an address of its choice. */
import type { Principal } from "#/src/accounts/principal.ts";
import type { Collection } from "#/src/collections/collection.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { IdCodec } from "#/src/model/ids.ts";
import { collectionPushesMax, collectionPushMs } from "#/src/model/limits.ts";
import type { AgentNumber, CollectionNumber } from "#/src/model/numbers.ts";
import type { PushTriggers } from "#/storage/push-subscription.ts";
import type { Store } from "#/storage/store.ts";
import type { PushSubscriptions, WantedPush } from "./push-subscriptions.ts";

export type { PushTriggers } from "#/storage/push-subscription.ts";

export interface WantedCollectionPush extends WantedPush {
  readonly triggers: PushTriggers;
  /** Until when it is wanted; absent: as long as may be. */
  readonly expiresAt: number | undefined;
}

/** What of a collection a subscription needs. */
type Followed = Pick<Collection, "agent" | "number" | "modseq" | "propertiesModseq">;

export interface CollectionPushes {
  /** The key to which programs bind their subscriptions, in base64url. */
  readonly key: string;
  isFor(login: Principal): boolean;
  topicOf(collection: Pick<Followed, "agent" | "number">): string;
  /** Makes a subscription, or renews the one that the login has for the same collection and endpoint. Throws as `PushSubscriptions.keep`. */
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

export function createCollectionPushes(
  { clock, ids }: Pick<Store, "clock" | "ids">,
  subscriptions: PushSubscriptions,
): CollectionPushes {
  const isFor = ({ kind, credential }: Principal) => kind === "person" && credential.kind === "password";
  return {
    get key() {
      return subscriptions.key;
    },
    isFor,
    topicOf: ({ agent, number }) => pushTopic(ids, agent, number),

    async keep(login, collection, { triggers, expiresAt: wantedUntil = 0, ...wanted }) {
      if (!isFor(login)) throw new WaypostError("unauthorized", "Only an app password of a person follows.");
      const now = clock.now();
      // A time that is over comes from a clock that is wrong.
      const expiresAt = Math.min(
        wantedUntil > now ? wantedUntil : Number.POSITIVE_INFINITY,
        now + collectionPushMs,
      );
      const { agent, number } = collection;
      const subscription = await subscriptions.keep(login.author, wanted, {
        agent: login.agent,
        password: login.credential.number,
        follows: { agent, collection: number, triggers, limit: collectionPushesMax },
        language: "",
        told: toldOf(triggers, collection),
        expiresAt,
      });
      return { subscription, expiresAt };
    },

    async has({ agent }, subscription) {
      const now = clock.now();
      return (await subscriptions.listOf(agent)).some(
        (one) => one.subscription === subscription && one.collection !== null && one.expiresAt > now,
      );
    },

    end: ({ agent, author }, subscription) => subscriptions.end(author, agent, subscription),
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
