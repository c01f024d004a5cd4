import type { Accounts } from "#/src/accounts/accounts.ts";
import type { Principal } from "#/src/accounts/principal.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { pausedError } from "#/src/model/pause.ts";

/** Throws for a reverse path that may not begin a message. Another server may use any. A login may use its own addresses, or the null
 *  reverse path, as disposition notifications do (RFC 8098 section 3). The credential, the mailbox and the account are checked again,
 *  because a session can last for days and they may have been revoked, paused or suspended since the login. */
export async function admitSender(
  accounts: Accounts,
  principal: Principal | undefined,
  reversePath: string,
): Promise<void> {
  if (principal === undefined) return;
  await accounts.assertCurrent(principal);
  if (!principal.scopes.has("send"))
    throw new WaypostError("forbidden_scope", "This credential may not send (scope send).");
  const facts = await accounts.findAgentFacts(principal.agent);
  if (facts?.isBillable !== true)
    throw new WaypostError("not_billable", "The account does not send at the moment.");
  if (facts.pause !== undefined) throw pausedError(facts.pause.reason);
  if (reversePath !== "" && !(await accounts.isOwnAddress(principal, reversePath)))
    throw new WaypostError("policy_refused", "The sender is not one of your addresses.", {
      reason: "sender_refused",
    });
}
