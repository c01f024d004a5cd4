/** Who is told by Web Push, and what there is to tell. */
import type { Waiting } from "#/src/model/holds.ts";
import type { AgentNumber, Modseq } from "#/src/model/numbers.ts";
import type { PushSubscriptionRow } from "../../push-subscription.ts";
import { expression, type SelectList, selectList } from "../../schema/select-list.ts";
import { paddedList, placesFor, type Reader } from "../../sql.ts";

const columns: SelectList<PushSubscriptionRow, "push_subscription"> = {
  subscription: "push_subscription.push_subscription_id",
  agent: "push_subscription.agent_id",
  session: "push_subscription.page_session_id",
  password: "push_subscription.password_id",
  collectionAgent: "push_subscription.collection_agent_id",
  collection: "push_subscription.collection_id",
  triggers: "push_subscription.triggers",
  endpoint: "push_subscription.endpoint",
  publicKey: "push_subscription.public_key",
  authSecret: "push_subscription.auth_secret",
  language: "push_subscription.language",
  told: "push_subscription.told",
  expiresAt: "push_subscription.expires_at",
  failureCount: "push_subscription.failure_count",
  failingSince: "push_subscription.failing_since",
  nextAttemptAt: "push_subscription.next_attempt_at",
};

const selectSubscription = `select ${selectList<PushSubscriptionRow, "push_subscription">(columns)} from push_subscription`;

/** Those of browsers. */
export function listBrowserPushes(reader: Reader): Promise<PushSubscriptionRow[]> {
  return reader.all(`${selectSubscription} where page_session_id is not null order by push_subscription_id`);
}

/** A subscription to a collection that has something to tell. */
export interface CollectionPushRow extends PushSubscriptionRow {
  /** As the collection is now; null: it is deleted. */
  readonly modseq: Modseq | null;
  readonly propertiesModseq: Modseq | null;
}

/** Those of programs whose collections have changed since they were told. `owners`: only collections of these. */
export async function listCollectionPushes(
  reader: Reader,
  now: number,
  owners?: readonly AgentNumber[],
): Promise<CollectionPushRow[]> {
  if (owners?.length === 0) return [];
  const named = owners === undefined ? [] : paddedList(owners);
  return reader.all(
    `select ${selectList<CollectionPushRow, "push_subscription">({
      ...columns,
      modseq: expression("collection.modseq"),
      propertiesModseq: expression("collection.properties_modseq"),
    })}
    from push_subscription
    left join collection on collection.agent_id = push_subscription.collection_agent_id
      and collection.collection_id = push_subscription.collection_id
      and collection.state = 'live'
    where push_subscription.collection_agent_id is not null
      and push_subscription.expires_at > ?
      and (collection.modseq is null or push_subscription.told <> cast(
        case push_subscription.triggers when 'property-update' then collection.properties_modseq else collection.modseq end
        as text))
      ${owners === undefined ? "" : `and push_subscription.collection_agent_id in (${placesFor(named)})`}
    order by push_subscription.push_subscription_id`,
    now,
    ...named,
  );
}

export async function hasPushSubscription(reader: Reader): Promise<boolean> {
  return (await reader.get("select 1 as found from push_subscription limit 1")) !== undefined;
}

export function listPushSubscriptionsOf(reader: Reader, agent: AgentNumber): Promise<PushSubscriptionRow[]> {
  return reader.all(`${selectSubscription} where agent_id = ? order by push_subscription_id`, agent);
}

/** The newest mail that waits for the same people, and how much does. */
export interface NewestWaiting extends Waiting {
  readonly hold: number;
  readonly count: number;
}

export function listNewestWaiting(reader: Reader): Promise<NewestWaiting[]> {
  return reader.all(
    `select agent_id as agent, requested_by as "requestedBy", reason, max(hold_id) as hold, count(*) as count
    from hold
    where state = 'waiting'
    group by agent_id, requested_by, reason
    order by max(hold_id), agent_id`,
  );
}
