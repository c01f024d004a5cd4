import type { AgentNumber } from "#/src/model/numbers.ts";
import { insertion } from "../../schema/insertion.ts";
import type { Transaction } from "../../sql.ts";
import { assertPerson, countPasskeys, personTables } from "../../writing/accounts/page-sessions.ts";
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
    ...insertion("invitation", {
      invitation_id: invitation,
      agent_id: args.agent,
      hash: args.hash,
      created_at: args.at,
      expires_at: args.expiresAt,
      had_passkey: (await countPasskeys(tx, personTables, args.agent)) > 0 ? 1 : 0,
      used_at: null,
      device: null,
    }),
  );
  return { invitation };
}
