import { WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber, CollectionNumber } from "#/src/model/numbers.ts";
import type { PushSubscriptionRow, PushTriggers } from "../../push-subscription.ts";
import { insertion } from "../../schema/insertion.ts";
import type { Transaction } from "../../sql.ts";
import { assertPerson } from "../../writing/accounts/page-sessions.ts";
import { takeLimitedCounter } from "../../writing/counters.ts";

export interface FollowedCollection {
  readonly agent: AgentNumber;
  readonly collection: CollectionNumber;
  readonly triggers: PushTriggers;
  /** The most that the collection may have. */
  readonly limit: number;
}

export interface KeepPushSubscription {
  readonly agent: AgentNumber;
  /** One of both: with what it ends. */
  readonly session?: number | undefined;
  readonly password?: number | undefined;
  /** Absent: mail that waits is told. */
  readonly follows?: FollowedCollection | undefined;
  readonly endpoint: string;
  readonly publicKey: Uint8Array;
  readonly authSecret: Uint8Array;
  readonly language: string;
  /** What is known already. */
  readonly told: string;
  readonly expiresAt: number;
  /** The most that the person may have. */
  readonly limit: number;
  readonly at: number;
}

type Former = Pick<PushSubscriptionRow, "subscription" | "endpoint" | "told" | "triggers">;

/** A browser has one subscription, and a program has one for each endpoint and collection: a new one takes its place, and keeps what it was
 *  told of the same. */
export async function keepPushSubscription(
  tx: Transaction,
  args: KeepPushSubscription,
): Promise<{ subscription: number }> {
  const { agent, session = null, password = null, follows } = args;
  await assertPerson(tx, agent);
  const former = await tx.get<Former>(
    `select push_subscription_id as subscription, endpoint, told, triggers
    from push_subscription
    where agent_id = ? and ${follows === undefined ? "page_session_id = ?" : "collection_agent_id = ? and collection_id = ? and endpoint = ?"}`,
    agent,
    ...(follows === undefined ? [session] : [follows.agent, follows.collection, args.endpoint]),
  );
  if (former !== undefined)
    await tx.run("delete from push_subscription where push_subscription_id = ?", former.subscription);
  const isSame = former?.endpoint === args.endpoint && former.triggers === (follows?.triggers ?? null);
  const subscription =
    former?.subscription ?? (await takeLimitedCounter(tx, "push_subscription", agent, args.limit));
  if (former === undefined && follows !== undefined) await assertPlace(tx, follows);
  await tx.run(
    ...insertion("push_subscription", {
      push_subscription_id: subscription,
      agent_id: agent,
      page_session_id: session,
      password_id: password,
      collection_agent_id: follows?.agent ?? null,
      collection_id: follows?.collection ?? null,
      triggers: follows?.triggers ?? null,
      endpoint: args.endpoint,
      public_key: args.publicKey,
      auth_secret: args.authSecret,
      language: args.language,
      told: isSame ? former.told : args.told,
      created_at: args.at,
      expires_at: args.expiresAt,
      failure_count: 0,
      failing_since: null,
      next_attempt_at: 0,
    }),
  );
  return { subscription };
}

/** After the number is taken, as `takeLimitedCounter` says. */
async function assertPlace(tx: Transaction, { agent, collection, limit }: FollowedCollection): Promise<void> {
  const { count } = (await tx.get<{ count: number }>(
    "select count(*) as count from push_subscription where collection_agent_id = ? and collection_id = ?",
    agent,
    collection,
  ))!;
  if (count >= limit)
    throw new WaypostError("policy_refused", `The collection has ${count} push subscriptions.`, {
      reason: "limit_reached",
    });
}
