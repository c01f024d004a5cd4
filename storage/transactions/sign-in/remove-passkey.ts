import type { AgentNumber } from "#/src/model/numbers.ts";
import type { Transaction } from "../../sql.ts";
import { deletePasskey, personTables } from "../../writing/accounts/page-sessions.ts";

/** Removes one of several passkeys of a person. */
export function removePasskey(
  tx: Transaction,
  args: { readonly agent: AgentNumber; readonly passkey: number },
): Promise<void> {
  return deletePasskey(tx, personTables, args.agent, args.passkey);
}
