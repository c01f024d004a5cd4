/** Two accounts: ada, eve and zoe in one, mallory in the other. */

import { defaultSettings } from "#/config/schema.ts";
import { createAccounts } from "#/src/accounts/accounts.ts";
import { administer } from "#/src/accounts/administration/operations.ts";
import { atCommandLine } from "#/src/model/author.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { Asked } from "#/src/reach/agents.ts";
import type { Store } from "#/storage/store.ts";
import { openTestStore } from "#/test/support/store.ts";

type Name = "ada" | "eve" | "zoe" | "mallory";

export interface ReachHouse extends AsyncDisposable {
  readonly store: Store;
  readonly agents: Readonly<Record<Name, AgentNumber>>;
  run(name: string, input: Record<string, unknown>): Promise<Readonly<Record<string, unknown>>>;
  /** Of what is eve's, to ada. */
  grant(scopes: readonly string[], objects?: Readonly<Record<string, readonly string[]>>): Promise<unknown>;
  /** With a new token of those scopes. */
  ask(name: Name, ...scopes: string[]): Promise<Asked>;
}

export async function openReachHouse(): Promise<ReachHouse> {
  const settings = defaultSettings();
  const opened = await openTestStore();
  const { store } = opened;
  const run: ReachHouse["run"] = (name, input) => administer(atCommandLine, { store, settings }, name, input);
  for (const [account, domain] of Object.entries({ example: "example.org", other: "example.net" })) {
    await run("account.create", { name: account });
    await run("domain.add", { name: domain, account });
  }
  async function create(operation: string, address: string, name: string): Promise<AgentNumber> {
    const { id } = await run(operation, { address, name });
    return store.ids.decode(id as string)!.agent;
  }
  const agents = {
    ada: await create("agent.create", "ada@example.org", "Ada"),
    eve: await create("person.create", "eve@example.org", "Eve"),
    zoe: await create("person.create", "zoe@example.org", "Zoe"),
    mallory: await create("agent.create", "mallory@example.net", "Mallory"),
  };
  return {
    store,
    agents,
    run,
    grant: (scopes, objects = {}) =>
      run("grant.create", { holder: "ada@example.org", target: "eve@example.org", scopes, ...objects }),
    async ask(name, ...scopes) {
      const accounts = createAccounts(store, settings);
      const { token } = await run("token.create", { agent: `${name}@example.org`, scopes });
      return {
        rooms: { accounts },
        principal: await accounts.authenticateToken(token as string, "127.0.0.1"),
      };
    },
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}
