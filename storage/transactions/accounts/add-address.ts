import { WaypostError } from "#/src/model/errors.ts";
import type { AccountNumber, AgentNumber } from "#/src/model/numbers.ts";
import type { Transaction } from "../../sql.ts";
import { insertAddress } from "../../writing/accounts/addresses.ts";
import { replaceOwnerKeys } from "../../writing/accounts/owner-keys.ts";

export interface AddAddress {
  readonly agent: AgentNumber;
  readonly domain: string;
  /** `*`: every local part that has no address of its own in the domain. */
  readonly localPart: string;
  readonly isPrimary: false;
  readonly at: number;
}

/** A further address of an agent. Several agents may have the same one: each gets a copy. */
export async function addAddress(tx: Transaction, args: AddAddress): Promise<void> {
  const agent = await tx.get<{ account: AccountNumber }>(
    "select account_id as account from agent where agent_id = ? and state <> 'deleted'",
    args.agent,
  );
  if (agent === undefined) throw new WaypostError("not_found", "There is no such agent");
  await insertAddress(tx, { ...args, account: agent.account });
  await replaceOwnerKeys(tx, args.agent);
}
