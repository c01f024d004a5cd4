/** Who is told by Web Push, and what there is to tell. */
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { PushSubscriptionRow } from "../../push-subscription.ts";
import { selectList } from "../../schema/select-list.ts";
import type { Reader } from "../../sql.ts";

const selectSubscription = `
  select ${selectList<PushSubscriptionRow, "push_subscription">({
    subscription: "push_subscription.push_subscription_id",
    agent: "push_subscription.agent_id",
    session: "push_subscription.page_session_id",
    password: "push_subscription.password_id",
    collection: "push_subscription.collection_id",
    endpoint: "push_subscription.endpoint",
    publicKey: "push_subscription.public_key",
    authSecret: "push_subscription.auth_secret",
    language: "push_subscription.language",
    told: "push_subscription.told",
    expiresAt: "push_subscription.expires_at",
    failureCount: "push_subscription.failure_count",
    failingSince: "push_subscription.failing_since",
    nextAttemptAt: "push_subscription.next_attempt_at",
  })}
  from push_subscription`;

export function listPushSubscriptions(reader: Reader): Promise<PushSubscriptionRow[]> {
  return reader.all(`${selectSubscription} order by push_subscription_id`);
}

export function listPushSubscriptionsOf(reader: Reader, agent: AgentNumber): Promise<PushSubscriptionRow[]> {
  return reader.all(`${selectSubscription} where agent_id = ? order by push_subscription_id`, agent);
}

/** The newest mail of a mailbox that waits, of each of two kinds: whether it waits for its owner, and how many there are. */
export interface NewestWaiting {
  readonly agent: AgentNumber;
  readonly isOwn: 0 | 1;
  readonly hold: number;
  readonly count: number;
}

export function listNewestWaiting(reader: Reader): Promise<NewestWaiting[]> {
  return reader.all(
    `select agent_id as agent, case when reason = 'unapproved' then 1 else 0 end as "isOwn",
      max(hold_id) as hold, count(*) as count
    from hold
    where state = 'waiting'
    group by agent_id, case when reason = 'unapproved' then 1 else 0 end
    order by 1, 2`,
  );
}
