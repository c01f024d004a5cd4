import type { AgentNumber } from "#/src/model/numbers.ts";
import type { Transaction } from "../../sql.ts";
import {
  assertPerson,
  insertPageSession,
  type NewPageSession,
  notePasskeyUse,
  type PasskeyUse,
  personTables,
} from "../../writing/accounts/page-sessions.ts";

export interface UsePasskey extends PasskeyUse {
  /** Of a sign-in. */
  readonly session?: NewPageSession | undefined;
}

/** Records that a passkey of a person has answered a challenge, and begins what that allows. */
export async function usePasskey(
  tx: Transaction,
  args: UsePasskey,
): Promise<{ agent: AgentNumber; session: number | null }> {
  const agent = (await notePasskeyUse(tx, personTables, args)) as AgentNumber;
  await assertPerson(tx, agent);
  const session =
    args.session === undefined ? null : await insertPageSession(tx, agent, args.session, args.at);
  return { agent, session };
}
