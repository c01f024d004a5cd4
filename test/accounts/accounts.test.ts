import { createHook } from "node:async_hooks";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { defaultSettings, type Settings } from "#/config/schema.ts";
import { type Accounts, createAccounts } from "#/src/accounts/accounts.ts";
import type { NewOwner } from "#/src/accounts/administration/agents-and-people.ts";
import { administer } from "#/src/accounts/administration/operations.ts";
import { atCommandLine, nobody } from "#/src/model/author.ts";
import { collectionProperties } from "#/src/model/collection-properties.ts";
import { findMailboxByName } from "#/storage/queries/mail/mailboxes.ts";
import { openTestStore, type TestStore } from "#/test/support/store.ts";

const home = "192.0.2.7";
const settings: Settings = defaultSettings();
let opened: TestStore;
let accounts: Accounts;

beforeEach(async () => {
  opened = await openTestStore();
  accounts = createAccounts(opened.store, settings);
  await run("account.create", { name: "example" });
  await run("domain.add", { name: "example.org" });
});

afterEach(() => opened[Symbol.asyncDispose]());

function run(name: string, input: Record<string, unknown>): Promise<Readonly<Record<string, unknown>>> {
  return administer(atCommandLine, { store: opened.store, settings }, name, input);
}

function create(kind: "agent" | "person", name: string): Promise<NewOwner> {
  return run(`${kind}.create`, { address: `${name}@example.org` }) as Promise<unknown> as Promise<NewOwner>;
}

const unauthorized = expect.objectContaining({ code: "unauthorized" });

describe("an app password", () => {
  test("of an agent that is made with scopes may do no more than its token", async () => {
    const made = (await run("agent.create", {
      address: "eve@example.org",
      scopes: ["mail:read", "approve"],
    })) as unknown as NewOwner;
    const { scopes } = await accounts.authenticatePassword("eve@example.org", made.password, home);
    // Approving is for people.
    expect([...scopes]).toEqual(["mail:read"]);
    const exchange = await accounts.beginScram("eve@example.org", home);
    expect(exchange.iterations).toBeGreaterThan(0);
    const { passwords } = (await run("password.list", { owner: "eve@example.org" })) as never;
    expect(passwords).toMatchObject([{ scopes: ["mail:read", "approve"] }]);
  });

  test("has all of a mail client without scopes, and those that it was made with", async () => {
    const { password } = await create("agent", "ada");
    const whole = await accounts.authenticatePassword("ada@example.org", password, home);
    expect([...whole.scopes]).toEqual(["mail", "send", "calendar", "contacts", "raw"]);
    const made = await run("password.create", { owner: "ada@example.org", scopes: ["calendar"] });
    const bound = await accounts.authenticatePassword("ada@example.org", made.password as string, home);
    expect([...bound.scopes]).toEqual(["calendar"]);
    const { passwords } = (await run("password.list", { owner: "ada@example.org" })) as never;
    expect(passwords).toMatchObject([{ scopes: "all" }, { scopes: ["calendar"] }]);
  });
});

describe("a token", () => {
  test("logs in its agent with its scopes", async () => {
    const { address, token } = await create("agent", "ada");
    const principal = await accounts.authenticateToken(token!, home);
    expect(principal).toMatchObject({ address, kind: "agent", state: "active", isBillable: true });
    expect([...principal.scopes]).toEqual(["mail", "send", "calendar", "contacts"]);
  });

  test.each(["", "wp_", "wp_00000000000000000000000000000000", "Bearer", `wp_${"a".repeat(100_000)}`])(
    "that does not exist is refused: %.20j",
    async (token) => {
      await create("agent", "ada");
      await expect(accounts.authenticateToken(token, home)).rejects.toEqual(unauthorized);
    },
  );

  test("is refused after its revocation, also where it was accepted before", async () => {
    const { token, address } = await create("agent", "ada");
    const principal = await accounts.authenticateToken(token!, home);
    await accounts.assertCurrent(principal);
    const { tokens } = (await run("token.list", { agent: address })) as { tokens: { number: number }[] };
    await run("token.revoke", { number: tokens[0]!.number });
    await expect(accounts.assertCurrent(principal)).rejects.toEqual(unauthorized);
    await expect(accounts.authenticateToken(token!, home)).rejects.toEqual(unauthorized);
  });

  test("is refused after its expiry", async () => {
    const { address } = await create("agent", "ada");
    const { token } = (await run("token.create", { agent: address, expiresInDays: 1 })) as { token: string };
    const principal = await accounts.authenticateToken(token, home);
    opened.clock.advance(86_400_000 - 1);
    await accounts.assertCurrent(principal);
    opened.clock.advance(1);
    await expect(accounts.assertCurrent(principal)).rejects.toEqual(unauthorized);
    await expect(accounts.authenticateToken(token, home)).rejects.toEqual(unauthorized);
  });

  test("is refused when its agent is deleted", async () => {
    const { token, address } = await create("agent", "ada");
    const principal = await accounts.authenticateToken(token!, home);
    await run("agent.delete", { owner: address });
    await expect(accounts.assertCurrent(principal)).rejects.toEqual(unauthorized);
    await expect(accounts.authenticateToken(token!, home)).rejects.toEqual(unauthorized);
  });

  test("cannot be created for a person", async () => {
    const { address } = await create("person", "eve");
    await expect(run("token.create", { agent: address })).rejects.toMatchObject({ code: "invalid" });
  });

  test("that was valid before is never delayed, and an invalid one is delayed after too many failures", async () => {
    const { token } = await create("agent", "ada");
    await accounts.authenticateToken(token!, home);
    for (let i = 0; i < settings.limits.loginFailuresPerNetwork; i++)
      await expect(accounts.authenticateToken("wp_wrong", home)).rejects.toEqual(unauthorized);
    await expect(accounts.authenticateToken("wp_wrong", home)).rejects.toMatchObject({
      code: "rate_limited",
      details: { retryAfterMs: 1000 },
    });
    await accounts.authenticateToken(token!, home);
  });

  test("that is invalid is not looked up while its network address has to wait", async () => {
    let lookups = 0;
    const reads = new Proxy(opened.store, {
      get(store, name) {
        if (name === "read" || name === "sql" || name === "get" || name === "all") lookups++;
        const value = Reflect.get(store, name);
        return typeof value === "function" ? value.bind(store) : value;
      },
    });
    const watched = createAccounts(reads, settings);
    const unknown = `wp_${"0".repeat(32)}`;
    const burst = settings.limits.loginFailuresPerNetwork;
    // All at once: none of them has failed when the last one comes.
    const attempts = Array.from({ length: 10 * burst }, () => watched.authenticateToken(unknown, home));
    const outcomes = await Promise.allSettled(attempts);
    const codes = outcomes.map((one) => (one as PromiseRejectedResult).reason.code);
    expect(codes.filter((code) => code === "unauthorized")).toHaveLength(burst);
    expect(codes.filter((code) => code === "rate_limited")).toHaveLength(9 * burst);
    expect(lookups).toBeGreaterThan(0);
    expect(lookups).toBeLessThanOrEqual(burst);
  });

  test("that is invalid does not delay passwords from its network", async () => {
    const { address, password } = await create("person", "eve");
    for (let i = 0; i < settings.limits.loginFailuresPerNetwork; i++)
      await expect(accounts.authenticateToken("wp_wrong", home)).rejects.toEqual(unauthorized);
    await accounts.authenticatePassword(address, password, home);
  });
});

/** How many PBKDF2 something costs. */
async function countDerivations(attempt: () => Promise<unknown>, times = 1): Promise<number> {
  let count = 0;
  const hook = createHook({
    init(_, type) {
      if (type === "PBKDF2REQUEST") count++;
    },
  }).enable();
  for (let i = 0; i < times; i++) await attempt();
  hook.disable();
  return count;
}

describe("a password", () => {
  test("logs in its owner, also with an address in capitals", async () => {
    const { address, password } = await create("person", "eve");
    const typed = password.replaceAll("-", "").toUpperCase();
    const principal = await accounts.authenticatePassword("EVE@Example.org", typed, home);
    expect(principal).toMatchObject({ address, kind: "person", credential: { kind: "password" } });
  });

  test("can be one of several, and each is revoked separately", async () => {
    const { address, password } = await create("person", "eve");
    const second = (await run("password.create", { owner: address })) as { password: string; number: number };
    const principal = await accounts.authenticatePassword(address, second.password, home);
    await run("password.revoke", { number: second.number });
    await expect(accounts.assertCurrent(principal)).rejects.toEqual(unauthorized);
    await expect(accounts.authenticatePassword(address, second.password, home)).rejects.toEqual(unauthorized);
    await accounts.authenticatePassword(address, password, home);
  });

  test.each([
    ["of somebody else", "ada@example.org"],
    ["for an address that is not there", "nobody@example.org"],
    ["for an address elsewhere", "eve@example.net"],
    ["for a tagged address", "eve+tag@example.org"],
    ["for text that is no address", "eve"],
  ])("is refused %s", async (_, address) => {
    await create("agent", "ada");
    const { password } = await create("person", "eve");
    await expect(accounts.authenticatePassword(address, password, home)).rejects.toEqual(unauthorized);
  });

  test("can be a token with the scope mail:read", async () => {
    const ada = await create("agent", "ada");
    const { token } = (await run("token.create", { agent: ada.address, scopes: ["mail:read"] })) as {
      token: string;
    };
    const { scopes } = await accounts.authenticatePassword(ada.address, token, home);
    expect([...scopes]).toEqual(["mail:read"]);
  });

  test("can be a token of the same agent that has the scope mail", async () => {
    const ada = await create("agent", "ada");
    const bob = await create("agent", "bob");
    const calendar = (await run("token.create", { agent: ada.address, scopes: ["calendar"] })) as {
      token: string;
    };
    const principal = await accounts.authenticatePassword(ada.address, ada.token!, home);
    expect(principal.credential.kind).toBe("token");
    for (const token of [bob.token!, calendar.token])
      await expect(accounts.authenticatePassword(ada.address, token, home)).rejects.toEqual(unauthorized);
    await expect(accounts.authenticatePassword("no@example.org", ada.token!, home)).rejects.toEqual(
      unauthorized,
    );
  });

  test("can be a token with the scope that the protocol needs", async () => {
    const ada = await create("agent", "ada");
    const { token } = (await run("token.create", { agent: ada.address, scopes: ["calendar:read"] })) as {
      token: string;
    };
    const asked = ["calendar:read", "contacts:read"] as const;
    const { scopes } = await accounts.authenticatePassword(ada.address, token, home, asked);
    expect([...scopes]).toEqual(["calendar:read"]);
    await expect(accounts.authenticatePassword(ada.address, token, home, ["contacts:read"])).rejects.toEqual(
      unauthorized,
    );
  });

  test("needs one PBKDF2 derivation for many requests, and a wrong password one for each", async () => {
    const { address, password } = await create("person", "eve");
    const prove = () => accounts.authenticatePassword(address, password, home);
    expect(await countDerivations(prove, 5)).toBe(1);
    const guess = () => accounts.authenticatePassword(address, "guess", home).catch(() => {});
    expect(await countDerivations(guess, 2)).toBe(2);
  });

  test("that was accepted a moment ago is refused at once after its revocation, and its failures count", async () => {
    const { address } = await create("person", "eve");
    const { password, number } = (await run("password.create", { owner: address })) as {
      password: string;
      number: number;
    };
    for (let i = 0; i < 3; i++) await accounts.authenticatePassword(address, password, home);
    await run("password.revoke", { number });
    for (let i = 0; i < settings.limits.loginFailuresPerAddress; i++)
      await expect(accounts.authenticatePassword(address, password, home)).rejects.toEqual(unauthorized);
    await expect(accounts.authenticatePassword(address, password, home)).rejects.toMatchObject({
      code: "rate_limited",
    });
  });

  test("that was accepted a moment ago is refused at once after its owner is deleted", async () => {
    const { address, password } = await create("agent", "ada");
    await accounts.authenticatePassword(address, password, home);
    await run("agent.delete", { owner: address });
    await expect(accounts.authenticatePassword(address, password, home)).rejects.toEqual(unauthorized);
  });

  test("that is guessed delays the guesser, and not its owner on other networks", async () => {
    const { address, password } = await create("person", "eve");
    for (let i = 0; i < settings.limits.loginFailuresPerAddress; i++)
      await expect(accounts.authenticatePassword(address, "guess", home)).rejects.toEqual(unauthorized);
    const refused = accounts.authenticatePassword(address, password, home);
    await expect(refused).rejects.toMatchObject({ code: "rate_limited", details: { retryAfterMs: 1000 } });
    await accounts.authenticatePassword(address, password, "198.51.100.1");
    opened.clock.advance(1000);
    await accounts.authenticatePassword(address, password, home);
  });

  test("that was right from a network is not delayed there by others, also after a restart", async () => {
    const { address, password } = await create("person", "eve");
    await accounts.authenticatePassword(address, password, home);
    const restarted = createAccounts(opened.store, settings);
    for (let i = 0; i < 2 * settings.limits.loginFailuresPerNetwork; i++)
      await restarted.authenticatePassword(`nobody${i}@example.org`, "guess", home).catch(() => {});
    await expect(restarted.authenticatePassword("another@example.org", "guess", home)).rejects.toMatchObject({
      code: "rate_limited",
    });
    await restarted.authenticatePassword(address, password, home);
  });

  test("needs the same work for an unknown address as for a wrong password", async () => {
    const { address } = await create("person", "eve");
    for (const name of [address, "nobody@example.org", "nobody@example.net"]) {
      const guess = () => accounts.authenticatePassword(name, "guess", home).catch(() => {});
      expect(await countDerivations(guess)).toBe(1);
    }
  });

  test("logs in the owner of an address that is also an alias of another agent", async () => {
    const eve = await create("person", "eve");
    const ada = await create("agent", "ada");
    await run("agent.alias", { owner: ada.address, address: eve.address });
    expect(await accounts.authenticatePassword(eve.address, eve.password, home)).toMatchObject({
      address: eve.address,
    });
    await expect(accounts.authenticatePassword(eve.address, ada.password, home)).rejects.toEqual(
      unauthorized,
    );
  });
});

describe("an address leads to", () => {
  async function targets(address: string): Promise<unknown> {
    const resolution = await accounts.resolveRecipient(address);
    if (resolution.kind !== "local") return resolution.kind;
    return resolution.recipients.map(({ address, tag }) =>
      tag === undefined ? address : `${address} ${tag}`,
    );
  }

  beforeEach(async () => {
    for (const name of ["ada", "bob"]) {
      const { address } = await create("agent", name);
      await run("agent.alias", { owner: address, address: "team@example.org" });
    }
    await run("agent.alias", { owner: "bob@example.org", address: "bob+own@example.org" });
  });

  test.each([
    ["ada@example.org", ["ada@example.org"]],
    ["Ada@EXAMPLE.org", ["ada@example.org"]],
    ["ada+News@example.org", ["ada@example.org news"]],
    ["team@example.org", ["ada@example.org", "bob@example.org"]],
    ["team+x@example.org", ["ada@example.org x", "bob@example.org x"]],
    ["bob+own@example.org", ["bob@example.org"]],
    ["eve@example.org", "unknown"],
    ["*@example.org", "unknown"],
    ["ada@example.net", "remote"],
  ])("%s: %j", async (address, expected) => {
    expect(await targets(address)).toEqual(expected);
  });

  test("the catch-all when it is unknown", async () => {
    await run("agent.alias", { owner: "ada@example.org", address: "*@example.org" });
    expect(await targets("eve@example.org")).toEqual(["ada@example.org"]);
    expect(await targets("bob+x@example.org")).toEqual(["bob@example.org x"]);
  });

  test("nobody after the alias is removed", async () => {
    await run("agent.unalias", { owner: "bob@example.org", address: "team@example.org" });
    expect(await targets("team@example.org")).toEqual(["ada@example.org"]);
  });

  test("an error when it is not valid", async () => {
    await expect(targets("ada")).rejects.toMatchObject({ code: "invalid" });
  });

  test("the agents that may write from it", async () => {
    const ada = await accounts.authenticateToken((await createToken("ada")).token, home);
    const own = async (address: string) => accounts.isOwnAddress(ada, address);
    expect(await Promise.all(["ada@example.org", "ada+x@example.org", "team@example.org"].map(own))).toEqual([
      true,
      true,
      true,
    ]);
    expect(await Promise.all(["bob@example.org", "eve@example.org", "ada@example.net", ""].map(own))).toEqual(
      [false, false, false, false],
    );
  });
});

function createToken(name: string, scopes?: readonly string[]): Promise<{ token: string }> {
  const input = { agent: `${name}@example.org`, ...(scopes && { scopes }) };
  return run("token.create", input) as Promise<unknown> as Promise<{ token: string }>;
}

describe("reach", () => {
  async function reachOf(name: string, scopes?: readonly string[]): Promise<unknown> {
    const { token } = await createToken(name, scopes);
    const reach = await accounts.listReach(await accounts.authenticateToken(token, home));
    return reach.map(({ address, scopes, objects }) => [
      address.split("@")[0],
      [...scopes].join(" "),
      objects.mailbox === "all" ? "all" : objects.mailbox.size,
    ]);
  }

  beforeEach(async () => {
    await create("agent", "ada");
    await create("person", "eve");
  });

  test("is the own mailbox without a grant", async () => {
    expect(await reachOf("ada", ["mail"])).toEqual([["ada", "mail", "all"]]);
  });

  test("grows by grants, within the scopes of the token", async () => {
    await run("grant.create", {
      holder: "ada@example.org",
      target: "eve@example.org",
      scopes: ["mail", "calendar:read"],
      mailboxes: ["INBOX"],
    });
    expect(await reachOf("ada")).toEqual([
      ["ada", "mail send calendar contacts", "all"],
      ["eve", "mail mail:read calendar:read", 1],
    ]);
    expect(await reachOf("ada", ["mail:read"])).toEqual([
      ["ada", "mail:read", "all"],
      ["eve", "mail:read", 1],
    ]);
    expect(await reachOf("ada", ["contacts"])).toEqual([["ada", "contacts", "all"]]);
  });

  test("can be free-busy alone, for every credential that reads calendars", async () => {
    const freeBusy = { holder: "ada@example.org", target: "eve@example.org", scopes: ["calendar:freebusy"] };
    await run("grant.create", freeBusy);
    const own = (scopes: string) => ["ada", scopes, "all"];
    const others = ["eve", "calendar:freebusy", "all"];
    expect(await reachOf("ada", ["calendar"])).toEqual([own("calendar"), others]);
    expect(await reachOf("ada", ["calendar:read"])).toEqual([own("calendar:read"), others]);
    expect(await reachOf("ada", ["mail", "contacts"])).toEqual([own("mail contacts")]);
    const refused = run("token.create", { agent: "ada@example.org", scopes: ["calendar:freebusy"] });
    await expect(refused).rejects.toMatchObject({ code: "invalid" });
  });

  test("follows renamed mailboxes, which a grant names by name or id", async () => {
    const eve = (await accounts.findOwner("eve@example.org"))!;
    const inbox = (await findMailboxByName(opened.store, eve.agent, "INBOX"))!;
    const sent = (await findMailboxByName(opened.store, eve.agent, "Sent"))!;
    const { mailbox } = await opened.store.write(nobody, "createMailbox", {
      agent: eve.agent,
      name: "Work",
      at: 0,
    });
    const id = (number: number) => opened.store.ids.encode("folder", eve.agent, number);
    const grant = { holder: "ada@example.org", target: "eve@example.org" };
    const mailboxes = ["Work", id(inbox.mailbox), id(inbox.mailbox)];
    expect(await run("grant.create", { ...grant, mailboxes })).toMatchObject({
      mailboxes: ["INBOX", "Work"],
    });
    const facts = { agent: eve.agent, mailbox, name: "Job", at: 0 };
    await opened.store.write(nobody, "renameMailbox", facts);
    expect(await run("grant.list", { holder: "ada@example.org" })).toMatchObject({
      grants: [{ mailboxes: ["INBOX", "Job"] }],
    });
    for (const unknown of ["Work", opened.store.ids.encode("message", eve.agent, sent.mailbox), id(99)])
      await expect(run("grant.create", { ...grant, mailboxes: ["Sent", unknown] })).rejects.toMatchObject({
        code: "not_found",
        details: { field: "/mailboxes/1" },
      });
  });

  test("includes calendars and addressbooks, which a grant names by display name or id", async () => {
    const eve = (await accounts.findOwner("eve@example.org"))!;
    const grant = { holder: "ada@example.org", target: "eve@example.org" };
    const made = await run("grant.create", { ...grant, scopes: ["calendar"], calendars: ["Calendar"] });
    const calendar = expect.stringMatching(/^Calendar \(calendar_\w{26}\)$/);
    expect(made).toMatchObject({ mailboxes: "all", calendars: [calendar], addressbooks: "all" });
    const id = /\((.+)\)/.exec((made.calendars as string[])[0]!)![1]!;
    await run("grant.create", { ...grant, scopes: ["calendar:freebusy"], calendars: [id] });
    const contacts = { ...grant, scopes: ["contacts:read"], addressbooks: ["Contacts"] };
    expect(await run("grant.create", contacts)).toMatchObject({ addressbooks: [expect.anything()] });
    await opened.store.write(nobody, "createCollection", {
      ...{ agent: eve.agent, kind: "calendar", segment: null, named: undefined, components: null },
      ...{ ...collectionProperties.none, displayName: "Calendar", deadProperties: [], at: 0 },
    });
    for (const [field, input] of [
      ["/calendars/0", { scopes: ["calendar"], calendars: ["Inbox"] }],
      ["/calendars/1", { scopes: ["calendar"], calendars: [id, "Calendar"] }],
      ["/addressbooks/0", { scopes: ["contacts"], addressbooks: [id] }],
      ["/scopes", { calendars: [id] }],
      ["/scopes", { scopes: ["calendar", "mail"], addressbooks: ["Contacts"] }],
      ["/scopes", { scopes: ["calendar"], mailboxes: ["INBOX"] }],
    ] as const)
      await expect(run("grant.create", { ...grant, ...input })).rejects.toMatchObject({ details: { field } });
  });

  test("shrinks when a grant expires or is revoked", async () => {
    const grant = { holder: "ada@example.org", target: "eve@example.org" };
    await run("grant.create", { ...grant, expiresInDays: 1 });
    const { number } = await run("grant.create", { ...grant, expiresInDays: 2 });
    expect(await reachOf("ada", ["mail"])).toHaveLength(3);
    opened.clock.advance(86_400_000);
    expect(await reachOf("ada", ["mail"])).toHaveLength(2);
    await run("grant.revoke", { number });
    expect(await reachOf("ada", ["mail"])).toHaveLength(1);
  });

  test("never goes beyond the account", async () => {
    await run("account.create", { name: "other" });
    await run("domain.add", { name: "example.net", account: "other" });
    await run("agent.create", { address: "mallory@example.net" });
    const refused = run("grant.create", { holder: "mallory@example.net", target: "eve@example.org" });
    await expect(refused).rejects.toMatchObject({ code: "invalid" });
  });
});

describe("the operator", () => {
  test.each([
    ["agent.create", { address: "a@example.net" }, "not_found"],
    ["agent.create", { address: "nonsense" }, "invalid"],
    ["agent.create", { address: "a@example.org", colour: "red" }, "invalid"],
    ["domain.add", { name: "no domain" }, "invalid"],
    ["domain.add", { name: "example.com", account: "unknown" }, "not_found"],
    ["token.create", { agent: "a@example.org", scopes: ["everything"] }, "invalid"],
    ["token.revoke", { number: 99 }, "not_found"],
    ["password.revoke", { number: 99 }, "not_found"],
    ["grant.revoke", { number: 99 }, "not_found"],
    ["person.show", { owner: "ag_nonsense" }, "not_found"],
    ["nothing.create", {}, "not_found"],
  ])("is refused %s %j: %s", async (name, input, code) => {
    await expect(run(name, input)).rejects.toMatchObject({ code });
  });

  test("cannot give an address twice, in upper or lower case", async () => {
    await create("agent", "ada");
    await expect(create("person", "ADA")).rejects.toMatchObject({ details: { reason: "already_exists" } });
  });

  test("pauses and resumes an agent", async () => {
    const { address, token } = await create("agent", "ada");
    await run("agent.pause", { owner: address });
    expect(await accounts.authenticateToken(token!, home)).toMatchObject({ state: "paused" });
    await run("agent.resume", { owner: address });
    expect(await accounts.authenticateToken(token!, home)).toMatchObject({ state: "active" });
  });

  test("suspends and resumes an account", async () => {
    const { token } = await create("agent", "ada");
    await run("account.suspend", { name: "example" });
    expect(await accounts.authenticateToken(token!, home)).toMatchObject({ isBillable: false });
    await run("account.resume", { name: "example" });
    expect(await accounts.authenticateToken(token!, home)).toMatchObject({ isBillable: true });
  });

  test("sees no secret in a list", async () => {
    const { address, token, password } = await create("agent", "ada");
    const lists = [
      await run("agent.list", {}),
      await run("agent.show", { owner: address }),
      await run("token.list", { agent: address }),
      await run("password.list", { owner: address }),
    ];
    const text = JSON.stringify(lists);
    expect(text).toContain(address);
    for (const secret of [token!, password]) expect(text).not.toContain(secret);
  });
});

describe("the address of a role", () => {
  test.each(["postmaster", "abuse"])(
    "%s is that of the oldest person of the domain's account",
    async (name) => {
      await create("agent", "ada");
      const person = await create("person", "pat");
      await create("person", "eve");
      for (const written of [name, name.toUpperCase()])
        expect(await accounts.resolveRecipient(`${written}@example.org`)).toMatchObject({
          kind: "local",
          recipients: [{ address: person.address }],
        });
      expect(await accounts.resolveRecipient(`${name}@example.net`)).toEqual({ kind: "remote" });
    },
  );

  test("is the oldest agent's where there is no person, and nobody's in an empty account", async () => {
    expect(await accounts.resolveRecipient("abuse@example.org")).toEqual({ kind: "unknown" });
    await create("agent", "ada");
    expect(await accounts.resolveRecipient("abuse@example.org")).toMatchObject({
      recipients: [{ address: "ada@example.org" }],
    });
  });

  test("goes to the mailbox that has it as an alias", async () => {
    await create("person", "pat");
    await create("agent", "ada");
    await run("agent.alias", { owner: "ada@example.org", address: "abuse@example.org" });
    expect(await accounts.resolveRecipient("abuse@example.org")).toMatchObject({
      recipients: [{ address: "ada@example.org" }],
    });
  });

  test("is not an address that its reader may write from", async () => {
    const { password, address } = await create("person", "pat");
    const principal = await accounts.authenticatePassword(address, password, home);
    expect(await accounts.isOwnAddress(principal, "abuse@example.org")).toBe(false);
  });
});

describe("somebody who fails with the address of another", () => {
  const stranger = (number: number): string => `198.51.${number}.7`;

  test("does not delay its owner on other networks", async () => {
    const { address, password } = await create("person", "eve");
    for (let number = 0; number < 100; number++)
      await accounts.authenticatePassword(address, "wrong", stranger(number)).catch(() => {});
    expect(await accounts.authenticatePassword(address, password!, "203.0.113.9")).toMatchObject({ address });
  });

  test("is distinguished from the owner by familiar networks, also after a restart", async () => {
    const { address, password } = await create("person", "eve");
    await accounts.authenticatePassword(address, password!, home);
    accounts = createAccounts(await opened.reopen(), settings);
    for (let number = 2; number < 12; number++)
      await accounts.authenticatePassword(address, "wrong", stranger(number)).catch(() => {});
    const mistakeFrom = async (network: string): Promise<unknown> => {
      await expect(accounts.authenticatePassword(address, "mistyped", network)).rejects.toEqual(unauthorized);
      return accounts.authenticatePassword(address, password!, network);
    };
    await expect(mistakeFrom(stranger(1))).rejects.toMatchObject({
      code: "rate_limited",
      details: { retryAfterMs: 1000 },
    });
    expect(await mistakeFrom(home)).toMatchObject({ address });
  });
});
