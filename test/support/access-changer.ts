/** Writes that change who may do what, one after the other by chance: create, revoke, expire, pause, rename, delete. */
import { isWaypostError } from "#/src/model/errors.ts";
import { ofGrantedKinds } from "#/src/model/grants.ts";
import type { AccountNumber, AgentNumber } from "#/src/model/numbers.ts";
import type { Store } from "#/storage/store.ts";
import { everyAuthor } from "./every-write.ts";
import type { RandomSource } from "./random.ts";
import { seedAgent } from "./store.ts";

/** Answers a function that makes one write, and says which. `stores`: of the daemons, any of which makes it. */
export async function accessChanger(
  stores: Store | readonly Store[],
  random: RandomSource,
): Promise<() => Promise<string>> {
  const all = Array.isArray(stores) ? (stores as readonly Store[]) : [stores as Store];
  const [first] = all;
  const accounts: AccountNumber[] = [];
  const owners: AgentNumber[] = [];
  for (const [name, kind] of [
    ["ada", "agent"],
    ["bob", "agent"],
    ["mia", "person"],
    ["pia", "person"],
  ] as const) {
    const { agent, account } = await seedAgent(first!, name, { kind });
    owners.push(agent);
    accounts.push(account);
  }
  let count = 0;

  return async () => {
    const store = random.one(all);
    const agent = random.one(owners);
    const other = random.one(owners.filter((one) => one !== agent));
    const at = store.clock.now();
    const number = ++count;
    const hash = new Uint8Array(32).fill(number);
    const numberOf = async (table: string): Promise<number> => {
      const rows = await store.column<number>(`select ${table}_id from ${table} order by 1`);
      return rows.length === 0 ? 1 : random.one(rows);
    };
    const localPart = `name${random.below(4)}`;
    const expiresAt = random.below(2) === 0 ? null : at + 1000;
    const changes: Record<string, () => Promise<unknown>> = {
      createToken: () =>
        store.write(everyAuthor, "createToken", {
          agent,
          name: `token ${number}`,
          hash,
          scopes: ["mail"],
          expiresAt,
          at,
        }),
      revokeToken: async () => {
        const token = await numberOf("token");
        await store.write(everyAuthor, "revokeToken", { token, at });
      },
      createPassword: () =>
        store.write(everyAuthor, "createPassword", {
          agent,
          name: `password ${number}`,
          storedKey: hash,
          serverKey: hash,
          at,
        }),
      revokePassword: async () => {
        const [password = 1] = await store.column<number>(
          "select password_id from app_password where revoked_at is null limit 1",
        );
        await store.write(everyAuthor, "revokePassword", { password, at });
      },
      createGrant: () =>
        store.write(everyAuthor, "createGrant", {
          agent,
          targetAgent: other,
          scopes: ["mail:read"],
          objects: { ...ofGrantedKinds(() => "all" as const), addressbook: [] },
          expiresAt,
          at,
        }),
      revokeGrant: async () => {
        const [grant = 1] = await store.column<number>(
          "select grant_id from agent_grant where revoked_at is null limit 1",
        );
        await store.write(everyAuthor, "revokeGrant", { grant, at });
      },
      pause: () =>
        store.write(everyAuthor, "setAgentState", {
          agent,
          state: random.one(["active", "paused"]),
          by: "operator",
          at,
        }),
      rename: () => store.write(everyAuthor, "updateAgent", { agent, name: `name ${number}` }),
      suspend: () =>
        store.write(everyAuthor, "updateAccount", {
          account: random.one(accounts),
          state: random.one(["active", "not_billable"]),
        }),
      setApprover: () =>
        store.write(everyAuthor, "setSendingPolicy", {
          agent: owners[random.below(2)]!,
          approver: random.one([...owners.slice(2, 4), null]),
          at,
        }),
      addAddress: () =>
        store.write(everyAuthor, "addAddress", {
          agent,
          domain: "example.org",
          localPart,
          isPrimary: false,
          at,
        }),
      removeAddress: () =>
        store.write(everyAuthor, "removeAddress", { agent, domain: "example.org", localPart }),
      createPageSession: () =>
        store.write(everyAuthor, "createPageSession", {
          agent,
          session: { hash, device: "Browser", network: "loopback", proof: "password" },
          at,
        }),
      touchPageSession: async () => {
        const session = await numberOf("page_session");
        await store.write(everyAuthor, "touchPageSession", { session, at: at + number });
      },
      endPageSessions: () => store.write(everyAuthor, "endPageSessions", { agent, at }),
      deleteAgent: async () => {
        // Rarely, and never the last ones: nothing would be left to change.
        if (random.below(4) > 0 || owners.length < 5) {
          const { agent: made } = await seedAgent(store, `agent${number}`);
          owners.push(made);
        } else await store.write(everyAuthor, "deleteAgent", { agent: owners.splice(4, 1)[0]! });
      },
    };
    const [name, change] = random.one(Object.entries(changes));
    try {
      await change();
    } catch (error) {
      // There was no such token, address or grant any more.
      if (!isWaypostError(error)) throw error;
    }
    return `${number}: ${name}`;
  };
}
