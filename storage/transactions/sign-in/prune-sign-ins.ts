import type { Transaction } from "../../sql.ts";
import { operatorTables, personTables } from "../../writing/accounts/page-sessions.ts";
import type { PruneSlice } from "../../writing/prune-slice.ts";

/** Deletes challenges and push subscriptions that have expired, and invitations and sessions of which nothing is told any more, a slice at a time. */
export async function pruneSignIns(
  tx: Transaction,
  args: PruneSlice & { readonly now: number; readonly before: number },
): Promise<{ isDone: boolean }> {
  const { limit, skip = 0 } = args;
  const spent = await tx.all<{ nonce: Uint8Array }>(
    "select nonce from spent_challenge where expires_at <= ? order by expires_at limit ? offset ?",
    args.now,
    limit,
    skip,
  );
  for (const { nonce } of spent) await tx.run("delete from spent_challenge where nonce = ?", nonce);
  const invitations = await tx.all<{ invitation: number }>(
    `select invitation_id as invitation
    from invitation
    where expires_at < ?
    order by invitation_id
    limit ? offset ?`,
    args.before,
    limit,
    skip,
  );
  for (const { invitation } of invitations)
    await tx.run("delete from invitation where invitation_id = ?", invitation);
  const pushes = await tx.all<{ subscription: number }>(
    `select push_subscription_id as subscription
    from push_subscription
    where expires_at <= ?
    order by push_subscription_id
    limit ? offset ?`,
    args.now,
    limit,
    skip,
  );
  for (const { subscription } of pushes)
    await tx.run("delete from push_subscription where push_subscription_id = ?", subscription);
  let isDone = spent.length < limit && invitations.length < limit && pushes.length < limit;
  for (const { session: table } of [personTables, operatorTables]) {
    const sessions = await tx.all<{ session: number }>(
      `select ${table}_id as session from ${table} where seen_at < ? order by ${table}_id limit ? offset ?`,
      args.before,
      limit,
      skip,
    );
    for (const { session } of sessions) await tx.run(`delete from ${table} where ${table}_id = ?`, session);
    isDone &&= sessions.length < limit;
  }
  return { isDone };
}
