import { WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { Transaction } from "../../sql.ts";
import {
  assertPerson,
  countPasskeys,
  insertPageSession,
  insertPasskey,
  type NewPageSession,
  type NewPasskey,
  personTables,
  type SpentChallenge,
  spendChallenge,
} from "../../writing/accounts/page-sessions.ts";

export interface UseInvitation {
  /** SHA-256 of the invitation. */
  readonly hash: Uint8Array;
  readonly session: NewPageSession;
  /** Absent where the browser has none, as without script. */
  readonly passkey?: (NewPasskey & { readonly challenge: SpentChallenge }) | undefined;
  readonly at: number;
}

export interface UsedInvitation {
  readonly agent: AgentNumber;
  readonly session: number;
  /** The person had a passkey before. */
  readonly hadPasskey: boolean;
}

/** Spends an invitation and begins the session of its person. Throws `unauthorized`, the same for an unknown, a used and an expired one. */
export async function useInvitation(tx: Transaction, args: UseInvitation): Promise<UsedInvitation> {
  const { hash, session, passkey, at } = args;
  const row = await tx.get<{ invitation: number; agent: AgentNumber }>(
    `select invitation_id as invitation, agent_id as agent
    from invitation
    where hash = ? and used_at is null and expires_at > ?`,
    hash,
    at,
  );
  if (row === undefined)
    throw new WaypostError("unauthorized", "The invitation is unknown, used or expired.");
  await assertPerson(tx, row.agent);
  const hadPasskey = (await countPasskeys(tx, personTables, row.agent)) > 0;
  await tx.run(
    "update invitation set used_at = ?, device = ?, had_passkey = ? where invitation_id = ?",
    at,
    session.device,
    hadPasskey ? 1 : 0,
    row.invitation,
  );
  if (passkey !== undefined) {
    await spendChallenge(tx, passkey.challenge);
    await insertPasskey(tx, personTables, row.agent, passkey, at);
  }
  return { agent: row.agent, session: await insertPageSession(tx, row.agent, session, at), hadPasskey };
}
