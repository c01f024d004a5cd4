/** The first owners of a new store: one agent and one person for a first `start`, as many as requested for `dev`. */

import { createOwner, type NewOwner } from "#/src/accounts/administration/agents-and-people.ts";
import { createPassword, createToken } from "#/src/accounts/administration/credentials.ts";
import { administer } from "#/src/accounts/administration/operations.ts";
import type { House } from "#/src/daemon/house.ts";
import { atCommandLine } from "#/src/model/author.ts";
import { defaultScopes, type Scope } from "#/src/model/roles.ts";
import { findDomain, listAccounts } from "#/storage/queries/accounts/accounts.ts";
import { findAgentByAddress } from "#/storage/queries/accounts/agents.ts";
import { findSeeding } from "#/storage/queries/deployment.ts";

const firstAccount = "main";
/** Developers also compare octets. */
const developmentScopes: readonly Scope[] = [...defaultScopes, "raw"];

/** Creates an account, a domain, an agent and a person with their secrets when the store has no account yet. Otherwise answers an empty
 *  list. A start that was ended meanwhile is continued by the next one: what exists gets secrets that are shown. Of several daemons that
 *  start on an empty database, one does it. */
export async function seedFirstRun(house: House): Promise<NewOwner[]> {
  const { store } = house;
  if (!store.leases.isHeld("maintenance")) return [];
  const seeding = await findSeeding(store);
  if (seeding === "done" || (seeding === undefined && (await listAccounts(store)).length > 0)) return [];
  await store.write(atCommandLine, "keepSeeding", { seeding: "begun" });
  const { domain } = house.settings.server;
  await seedDomain(house, domain);
  const person = await findOrCreate(house, "person", "person", domain, { secret: "first" });
  const approver = person.address;
  const agent = await findOrCreate(house, "agent", "agent", domain, { approver, secret: "first" });
  // The earlier start may have ended before it named the approver.
  if (seeding === "begun")
    await administer(atCommandLine, house, "agent.update", { owner: agent.address, approver });
  await store.write(atCommandLine, "keepSeeding", { seeding: "done" });
  return [agent, person];
}

/** `agent1@`, `agent2@` …, `person1@` …: owners that exist already get further secrets, so that every one has a known secret. */
export async function seedForDevelopment(
  house: House,
  counts: { readonly agents: number; readonly people: number },
): Promise<NewOwner[]> {
  const { domain } = house.settings.server;
  await seedDomain(house, domain);
  const people: NewOwner[] = [];
  for (let n = 1; n <= counts.people; n++)
    people.push(await findOrCreate(house, "person", `person${n}`, domain, development));
  const agents: NewOwner[] = [];
  for (let n = 1; n <= counts.agents; n++)
    agents.push(
      await findOrCreate(house, "agent", `agent${n}`, domain, {
        ...development,
        approver: people[0]?.address,
      }),
    );
  return [...agents, ...people];
}

async function seedDomain(house: House, domain: string): Promise<void> {
  const { store } = house;
  if ((await findDomain(store, domain)) !== undefined) return;
  const accounts = await listAccounts(store);
  if (accounts.length === 0) await administer(atCommandLine, house, "account.create", { name: firstAccount });
  await administer(atCommandLine, house, "domain.add", {
    name: domain,
    account: accounts[0]?.name ?? firstAccount,
  });
}

interface Seeded {
  readonly approver?: string | undefined;
  /** Of the token; absent: those that a new token has. */
  readonly scopes?: readonly Scope[];
  /** The name of further secrets, where the owner exists. */
  readonly secret: string;
}

const development: Seeded = { scopes: developmentScopes, secret: "dev" };

async function findOrCreate(
  house: House,
  kind: NewOwner["kind"],
  name: string,
  domain: string,
  { approver, scopes, secret }: Seeded,
): Promise<NewOwner> {
  const { store } = house;
  const row = await findAgentByAddress(store, domain, name);
  if (row === undefined)
    return createOwner(atCommandLine, house, kind, {
      address: `${name}@${domain}`,
      // They bound the app password too, and a person may do everything by it, as approve.
      ...(kind === "agent" && { scopes }),
      approver,
    });
  const known = {
    id: store.ids.encode("agent", row.agent),
    kind: row.kind,
    address: row.address,
    name: row.name,
  };
  const { secret: password } = await createPassword(atCommandLine, store, row, secret);
  if (kind === "person") return { ...known, password };
  const { secret: token } = await createToken(atCommandLine, store, row, {
    name: secret,
    scopes: scopes ?? defaultScopes,
    expiresAt: null,
  });
  return { ...known, token, password };
}
