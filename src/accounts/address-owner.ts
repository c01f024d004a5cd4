import type { AgentNumber } from "#/src/model/numbers.ts";
import { listAddressTargets } from "#/storage/queries/accounts/agents.ts";
import type { Store } from "#/storage/store.ts";
import type { MailAddress } from "./address.ts";

/** The mailbox that an address identifies, without tag or catch-all: the one whose primary address it is, else the only one that
 *  gets its mail. An address whose mail goes to several mailboxes identifies none. */
export async function identifyOwner(
  store: Store,
  { localPart, domain }: MailAddress,
): Promise<AgentNumber | undefined> {
  const targets = await listAddressTargets(store, domain, localPart);
  const primary = targets.find((target) => target.address === `${localPart}@${domain}`);
  return (primary ?? (targets.length === 1 ? targets[0] : undefined))?.agent;
}
