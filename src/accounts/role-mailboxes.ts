/** Mailboxes that every mail domain has (RFC 5321 section 4.5.1, RFC 2142 sections 2 and 4), also if they are not assigned. */
import { findDomain, listDomains } from "#/storage/queries/accounts/accounts.ts";
import { listAgents } from "#/storage/queries/accounts/agents.ts";
import type { AgentRow } from "#/storage/rows.ts";
import type { Store } from "#/storage/store.ts";

export const roleNames: readonly string[] = ["postmaster", "abuse"];

/** The mailbox that is responsible for a domain: the oldest person of the account that owns it, else its oldest agent. undefined if
 *  the domain is not local. */
export async function findResponsible(store: Store, domain: string): Promise<AgentRow | undefined> {
  const owner = await findDomain(store, domain);
  if (owner === undefined) return undefined;
  const agents = await listAgents(store, owner.account);
  return agents.find(({ kind }) => kind === "person") ?? agents[0];
}

/** The domain of the server itself: the one in the settings, else the oldest. */
export async function findOwnDomain(store: Store, named: string): Promise<string | undefined> {
  if ((await findDomain(store, named)) !== undefined) return named;
  const domains = await listDomains(store);
  return domains.toSorted((a, b) => a.createdAt - b.createdAt)[0]?.name;
}
