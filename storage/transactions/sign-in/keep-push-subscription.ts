import type { AgentNumber, CollectionNumber } from "#/src/model/numbers.ts";
import { insertion } from "../../schema/insertion.ts";
import type { Transaction } from "../../sql.ts";
import { assertPerson } from "../../writing/accounts/page-sessions.ts";
import { takeLimitedCounter } from "../../writing/counters.ts";

export interface KeepPushSubscription {
  readonly agent: AgentNumber;
  /** One of both: with what it ends. */
  readonly session?: number | undefined;
  readonly password?: number | undefined;
  /** Absent: mail that waits is told. */
  readonly collection?: CollectionNumber | undefined;
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

/** A browser has one subscription, and a program has one for each endpoint and collection: a new one takes its place, and keeps what it was
 *  told. */
export async function keepPushSubscription(
  tx: Transaction,
  args: KeepPushSubscription,
): Promise<{ subscription: number }> {
  const { agent, session = null, password = null, collection = null } = args;
  await assertPerson(tx, agent);
  const former = await tx.get<{ subscription: number; endpoint: string; told: string }>(
    session === null
      ? `select push_subscription_id as subscription, endpoint, told
        from push_subscription
        where agent_id = ? and collection_id = ? and endpoint = ?`
      : `select push_subscription_id as subscription, endpoint, told
        from push_subscription
        where agent_id = ? and page_session_id = ?`,
    agent,
    ...(session === null ? [collection, args.endpoint] : [session]),
  );
  if (former !== undefined)
    await tx.run("delete from push_subscription where push_subscription_id = ?", former.subscription);
  const subscription =
    former?.subscription ?? (await takeLimitedCounter(tx, "push_subscription", agent, args.limit));
  await tx.run(
    ...insertion("push_subscription", {
      push_subscription_id: subscription,
      agent_id: agent,
      page_session_id: session,
      password_id: password,
      collection_id: collection,
      endpoint: args.endpoint,
      public_key: args.publicKey,
      auth_secret: args.authSecret,
      language: args.language,
      told: former?.endpoint === args.endpoint ? former.told : args.told,
      created_at: args.at,
      expires_at: args.expiresAt,
      failure_count: 0,
      failing_since: null,
      next_attempt_at: 0,
    }),
  );
  return { subscription };
}
