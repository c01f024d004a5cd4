import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { defaultSettings } from "#/config/schema.ts";
import type { SaslMechanism } from "#/protocols/sasl/mechanism.ts";
import { oauthBearer } from "#/protocols/sasl/oauthbearer.ts";
import { scramSha256, scramSha256Plus } from "#/protocols/sasl/scram.ts";
import { type Accounts, createAccounts } from "#/src/accounts/accounts.ts";
import type { NewOwner } from "#/src/accounts/administration/agents-and-people.ts";
import { administer } from "#/src/accounts/administration/operations.ts";
import { atCommandLine } from "#/src/model/author.ts";
import { scramClient } from "../support/clients/scram-client.ts";
import { openTestStore, type TestStore } from "../support/store.ts";

const settings = defaultSettings();
const exporter = Buffer.from("the exporter of this connection..");
const home = "192.0.2.7";
let opened: TestStore;
let accounts: Accounts;
let eve: NewOwner;

beforeEach(async () => {
  opened = await openTestStore();
  accounts = createAccounts(opened.store, settings);
  await run("account.create", { name: "example" });
  await run("domain.add", { name: "example.org" });
  eve = (await run("person.create", { address: "eve@example.org" })) as unknown as NewOwner;
});

afterEach(() => opened[Symbol.asyncDispose]());

function run(name: string, input: Record<string, unknown>): Promise<Readonly<Record<string, unknown>>> {
  return administer(atCommandLine, { store: opened.store, settings }, name, input);
}

type Client = ReturnType<typeof scramClient>;

/** Runs the mechanism against the client and gives what the server said. */
async function exchange(mechanism: SaslMechanism, client: Client, options: { channelBinding?: Buffer } = {}) {
  const said: string[] = [];
  const principal = await mechanism.authenticate(
    {
      initialResponse: Buffer.from(client.first),
      ...options,
      async challenge(data) {
        said.push(data.toString());
        if (said.length > 1) return Buffer.alloc(0);
        return Buffer.from(client.finish(said[0]!).final);
      },
    },
    accounts,
    home,
  );
  return { principal, said };
}

const refused = { code: "unauthorized" };

describe("SCRAM-SHA-256", () => {
  test("logs in with any of the owner's app passwords, and sends the server signature", async () => {
    const second = await run("password.create", { owner: eve.address });
    for (const password of [eve.password, second.password as string]) {
      const client = scramClient(eve.address, password);
      const { principal, said } = await exchange(scramSha256, client);
      expect(principal).toMatchObject({ address: eve.address, credential: { kind: "password" } });
      expect(said[1]).toBe(client.finish(said[0]!).serverFinal);
    }
  });

  test("refuses a wrong, and a revoked password", async () => {
    await expect(exchange(scramSha256, scramClient(eve.address, "wrong"))).rejects.toMatchObject(refused);
    const { number, password } = await run("password.create", { owner: eve.address });
    await run("password.revoke", { number });
    const client = scramClient(eve.address, password as string);
    await expect(exchange(scramSha256, client)).rejects.toMatchObject(refused);
  });

  test("sends an unknown user the same salt each time, and refuses at the end", async () => {
    const salts: string[] = [];
    for (let turn = 0; turn < 2; turn++) {
      const client = scramClient("nobody@example.org", "x");
      const spied: Client = {
        ...client,
        finish(serverFirst) {
          salts.push(/s=[^,]*,i=4096$/.exec(serverFirst)![0]);
          return client.finish(serverFirst);
        },
      };
      await expect(exchange(scramSha256, spied)).rejects.toMatchObject(refused);
    }
    expect(salts[0]).toBe(salts[1]);
  });

  test("counts failures with those of other mechanisms", async () => {
    for (let turn = 0; turn < settings.limits.loginFailuresPerAddress; turn++)
      await expect(exchange(scramSha256, scramClient(eve.address, "guess"))).rejects.toMatchObject(refused);
    const refusal = accounts.authenticatePassword(eve.address, eve.password, home);
    await expect(refusal).rejects.toMatchObject({ code: "rate_limited" });
    const client = scramClient(eve.address, eve.password);
    await expect(exchange(scramSha256, client)).rejects.toMatchObject({ code: "rate_limited" });
  });

  test("refuses another nonce, another authorization id, and a client that saw no offer of channel binding", async () => {
    const honest = scramClient(eve.address, eve.password);
    const replayed: Client = {
      ...honest,
      finish: (first) => honest.finish(first.replace(/^r=[^,]*/, "r=rOprNGfwEbeRWgbNEkqOother")),
    };
    await expect(exchange(scramSha256, replayed)).rejects.toMatchObject(refused);
    const other = scramClient(eve.address, eve.password, { gs2: "n,a=kim@example.org," });
    await expect(exchange(scramSha256, other)).rejects.toMatchObject(refused);
    const downgraded = scramClient(eve.address, eve.password, { gs2: "y,," });
    const bound = { channelBinding: exporter };
    await expect(exchange(scramSha256, downgraded, bound)).rejects.toMatchObject(refused);
    await exchange(scramSha256, downgraded);
  });
});

describe("SCRAM-SHA-256-PLUS", () => {
  const bound = { channelBinding: exporter };
  const gs2 = "p=tls-exporter,,";

  test("logs in on the connection that the client sees", async () => {
    const client = scramClient(eve.address, eve.password, { gs2, binding: exporter });
    const { principal } = await exchange(scramSha256Plus, client, bound);
    expect(principal.address).toBe(eve.address);
  });

  test("refuses a login that was relayed from another connection, other types and no binding", async () => {
    const relayed = scramClient(eve.address, eve.password, { gs2, binding: Buffer.from("another") });
    await expect(exchange(scramSha256Plus, relayed, bound)).rejects.toMatchObject(refused);
    const unique = scramClient(eve.address, eve.password, { gs2: "p=tls-unique,,", binding: exporter });
    await expect(exchange(scramSha256Plus, unique, bound)).rejects.toMatchObject(refused);
    const unbound = scramClient(eve.address, eve.password);
    await expect(exchange(scramSha256Plus, unbound, bound)).rejects.toMatchObject(refused);
  });
});

describe("OAUTHBEARER", () => {
  async function login(address: string, token: string): Promise<{ address: string; said: string[] }> {
    const said: string[] = [];
    const principal = await oauthBearer
      .authenticate(
        {
          initialResponse: Buffer.from(`n,${address && `a=${address}`},\x01auth=Bearer ${token}\x01\x01`),
          async challenge(data) {
            said.push(data.toString());
            return Buffer.from("\x01");
          },
        },
        accounts,
        home,
      )
      .catch((error: unknown) => Promise.reject(Object.assign(error as Error, { said })));
    return { address: principal.address, said };
  }

  test("accepts an agent's token, with and without its address", async () => {
    const ada = (await run("agent.create", { address: "ada@example.org" })) as unknown as NewOwner;
    for (const address of ["", "ada@example.org"])
      expect(await login(address, ada.token!)).toEqual({ address: "ada@example.org", said: [] });
    await expect(login("eve@example.org", ada.token!)).rejects.toMatchObject(refused);
  });

  test("says in JSON that a token is not valid before it fails", async () => {
    await expect(login("", "wp_wrong")).rejects.toMatchObject({
      ...refused,
      said: ['{"status":"invalid_token","scope":"mail"}'],
    });
  });
});
