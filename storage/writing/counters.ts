/** Numbers of objects that belong to no agent: accounts, agents, credentials, grants, webhooks. A number is never used twice. */
import { WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { Sql } from "../sql.ts";

export async function takeCounter(
  tx: Sql,
  name:
    | "account"
    | "agent"
    | "token"
    | "password"
    | "grant"
    | "webhook"
    | "operator_token"
    | "operator_call"
    | "operator_passkey"
    | "operator_session"
    | "access_change"
    | "invitation"
    | "passkey"
    | "page_session"
    | "push_subscription",
): Promise<number> {
  const row = await tx.get<{ value: number }>(
    `update counter
    set value = value + 1
    where name = ?
    returning value`,
    name,
  );
  return row!.value;
}

/** The live rows of an agent that its limit counts. */
const limited = {
  password: [
    "app passwords",
    "select count(*) as count from app_password where agent_id = ? and revoked_at is null",
  ],
  webhook: ["webhooks", "select count(*) as count from webhook where agent_id = ?"],
  push_subscription: [
    "push subscriptions",
    "select count(*) as count from push_subscription where agent_id = ?",
  ],
} as const;

/** The same for an agent that may have `limit` rows. Throws `policy_refused`. The number is taken before the rows are counted: the row of the
 *  counter is locked, so two at once count one after the other, in two daemons too. */
export async function takeLimitedCounter(
  tx: Sql,
  name: keyof typeof limited,
  agent: AgentNumber,
  limit: number,
): Promise<number> {
  const number = await takeCounter(tx, name);
  const [words, query] = limited[name];
  const { count } = (await tx.get<{ count: number }>(query, agent))!;
  if (count >= limit)
    throw new WaypostError("policy_refused", `There are ${count} ${words}.`, {
      reason: "limit_reached",
      hint: "End one that is not used.",
    });
  return number;
}
