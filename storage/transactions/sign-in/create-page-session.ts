import type { AgentNumber } from "#/src/model/numbers.ts";
import type { Transaction } from "../../sql.ts";
import {
  assertPerson,
  insertPageSession,
  type NewPageSession,
} from "../../writing/accounts/page-sessions.ts";

/** The session of a person who has signed in with an app password. */
export async function createPageSession(
  tx: Transaction,
  args: { readonly agent: AgentNumber; readonly session: NewPageSession; readonly at: number },
): Promise<{ session: number }> {
  await assertPerson(tx, args.agent);
  return { session: await insertPageSession(tx, args.agent, args.session, args.at) };
}
