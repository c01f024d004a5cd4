import { WaypostError } from "#/src/model/errors.ts";
import { passkeysMax } from "#/src/model/limits.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { Transaction } from "../../sql.ts";
import {
  assertPerson,
  countPasskeys,
  insertPasskey,
  type NewPasskey,
  personTables,
  type SpentChallenge,
  spendChallenge,
} from "../../writing/accounts/page-sessions.ts";

export interface AddPasskey {
  readonly agent: AgentNumber;
  readonly passkey: NewPasskey & { readonly challenge: SpentChallenge };
  readonly at: number;
}

/** Another passkey of a person. Throws `unauthorized` for an answer that was given before, `policy_refused` over the bound. */
export async function addPasskey(tx: Transaction, args: AddPasskey): Promise<{ passkey: number }> {
  await assertPerson(tx, args.agent);
  await spendChallenge(tx, args.passkey.challenge);
  if ((await countPasskeys(tx, personTables, args.agent)) >= passkeysMax)
    throw new WaypostError("policy_refused", `A person has at most ${passkeysMax} passkeys.`, {
      hint: "Remove one that you do not use.",
    });
  return { passkey: await insertPasskey(tx, personTables, args.agent, args.passkey, args.at) };
}
