import type { AgentNumber } from "#/src/model/numbers.ts";
import type { Transaction } from "../../sql.ts";
import { assertPerson, countPasskeys } from "../../writing/accounts/page-sessions.ts";
import { takeCounter } from "../../writing/counters.ts";

export interface CreateInvitation {
  readonly agent: AgentNumber;
  /** SHA-256 of the invitation. */
  readonly hash: Uint8Array;
  readonly expiresAt: number;
  readonly at: number;
}

/** A person has one invitation that can be used: the last one. */
export async function createInvitation(
  tx: Transaction,
  args: CreateInvitation,
): Promise<{ invitation: number }> {
  await assertPerson(tx, args.agent);
  await tx.run("delete from invitation where agent_id = ? and used_at is null", args.agent);
  const invitation = await takeCounter(tx, "invitation");
  await tx.run(
    `insert into invitation (invitation_id, agent_id, hash, created_at, expires_at, had_passkey)
    values (?, ?, ?, ?, ?, ?)`,
    invitation,
    args.agent,
    args.hash,
    args.at,
    args.expiresAt,
    (await countPasskeys(tx, args.agent)) > 0 ? 1 : 0,
  );
  return { invitation };
}
