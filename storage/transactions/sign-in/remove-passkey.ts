import { WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { Transaction } from "../../sql.ts";
import { countPasskeys } from "../../writing/accounts/page-sessions.ts";

/** Removes one of several passkeys of a person. The last one stays, so that nobody loses the way in by a mistake. */
export async function removePasskey(
  tx: Transaction,
  args: { readonly agent: AgentNumber; readonly passkey: number },
): Promise<void> {
  if ((await countPasskeys(tx, args.agent)) < 2)
    throw new WaypostError("policy_refused", "The only passkey can't be removed.", {
      hint: "Make another one first.",
    });
  const removed = await tx.run(
    "delete from passkey where passkey_id = ? and agent_id = ?",
    args.passkey,
    args.agent,
  );
  if (removed === 0) throw new WaypostError("not_found", "There is no such passkey.");
}
