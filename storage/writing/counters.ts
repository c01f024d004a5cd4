/** Numbers of objects that belong to no agent: accounts, agents, credentials, grants, webhooks. A number is never used twice. */
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
