/** Whether a credential may send from a mailbox. Every way out of a login asks it here, whatever its protocol has asked before. And whether
 *  it may be told what became of the mailbox's other mail. */
import type { Accounts } from "#/src/accounts/accounts.ts";
import { hasScope } from "#/src/accounts/principal.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { Asker } from "../outbound.ts";

interface ScopeRooms {
  readonly accounts: Pick<Accounts, "listReach">;
}

/** The scope `send` of the credential on the own mailbox, or a grant of it on another one. */
export async function maySend(
  { accounts }: ScopeRooms,
  principal: Asker,
  mailbox: AgentNumber,
): Promise<boolean> {
  if ("isServer" in principal) return principal.agent === mailbox;
  if (principal.agent === mailbox) return hasScope(principal.scopes, "send");
  const reach = await accounts.listReach(principal);
  return reach.some(({ agent, scopes }) => agent === mailbox && hasScope(scopes, "send"));
}

/** Throws `forbidden_scope`. */
export async function assertMaySend(
  rooms: ScopeRooms,
  principal: Asker,
  mailbox: AgentNumber,
): Promise<void> {
  if (await maySend(rooms, principal, mailbox)) return;
  throw new WaypostError("forbidden_scope", "This needs the scope send.", {
    hint: "The credential itself is fine; the operator gives scopes.",
  });
}

/** Whether the credential reads all mail of the mailbox. */
export async function readsAllMail(
  { accounts }: ScopeRooms,
  principal: Asker,
  mailbox: AgentNumber,
): Promise<boolean> {
  if ("isServer" in principal) return false;
  if (principal.agent === mailbox) return hasScope(principal.scopes, "mail:read");
  const reach = await accounts.listReach(principal);
  return reach.some(
    ({ agent, scopes, objects }) =>
      agent === mailbox && hasScope(scopes, "mail:read") && objects.mailbox === "all",
  );
}
