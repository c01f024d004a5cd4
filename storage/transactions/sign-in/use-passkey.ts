import { WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { Transaction } from "../../sql.ts";
import {
  assertPerson,
  insertPageSession,
  type NewPageSession,
  type SpentChallenge,
  spendChallenge,
} from "../../writing/accounts/page-sessions.ts";

export interface UsePasskey {
  readonly passkey: number;
  /** As the passkey counts its signatures; 0 where it does not count. */
  readonly signCount: number;
  readonly challenge: SpentChallenge;
  /** Of a sign-in. */
  readonly session?: NewPageSession | undefined;
  readonly at: number;
}

/** Records that a passkey has answered a challenge, and begins what that allows. Throws `unauthorized` for an answer that was given
 *  before, and for a passkey whose count went back: a copy of it has been used. */
export async function usePasskey(
  tx: Transaction,
  args: UsePasskey,
): Promise<{ agent: AgentNumber; session: number | null }> {
  const row = await tx.get<{ agent: AgentNumber; signCount: number }>(
    `select agent_id as agent, sign_count as "signCount" from passkey where passkey_id = ?`,
    args.passkey,
  );
  if (row === undefined) throw new WaypostError("unauthorized", "There is no such passkey.");
  if (row.signCount > 0 && args.signCount <= row.signCount)
    throw new WaypostError("unauthorized", "The passkey's count of signatures went back.");
  await assertPerson(tx, row.agent);
  await spendChallenge(tx, args.challenge);
  await tx.run(
    "update passkey set sign_count = ?, used_at = ? where passkey_id = ?",
    args.signCount,
    args.at,
    args.passkey,
  );
  const session =
    args.session === undefined ? null : await insertPageSession(tx, row.agent, args.session, args.at);
  return { agent: row.agent, session };
}
