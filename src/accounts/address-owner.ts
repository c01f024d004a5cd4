import { findAgent, listAddressTargets } from "#/storage/queries/agents.ts";
import type { AgentRow } from "#/storage/rows.ts";
import type { Store } from "#/storage/store.ts";
import type { MailAddress } from "./address.ts";

/** Whom an address names, without tag or catch-all: the mailbox that has it as its primary address, else the only one that
 *  it leads to. An address that leads to several names nobody. */
export async function findAddressOwner(
  store: Store,
  { localPart, domain }: MailAddress,
): Promise<AgentRow | undefined> {
  const targets = await listAddressTargets(store, domain, localPart);
  const primary = targets.find((target) => target.address === `${localPart}@${domain}`);
  const owner = primary ?? (targets.length === 1 ? targets[0] : undefined);
  return owner === undefined ? undefined : findAgent(store, owner.agent);
}
