import { describe, expect, it } from "vitest";
import { nobody } from "#/src/model/author.ts";
import { type GrantedObjects, ofGrantedKinds } from "#/src/model/grants.ts";
import { mailboxesMax, mailboxNameBytesMax } from "#/src/model/limits.ts";
import type { AccountNumber, AgentNumber, MailboxNumber } from "#/src/model/numbers.ts";
import { listAccessChangesOf } from "#/storage/queries/access-changes.ts";
import { listAccounts } from "#/storage/queries/accounts/accounts.ts";
import {
  findAgent,
  listAddresses,
  listAddressTargets,
  listAgents,
} from "#/storage/queries/accounts/agents.ts";
import {
  findToken,
  listGrants,
  listGrantsOn,
  listPasswords,
} from "#/storage/queries/accounts/credentials.ts";
import { listMailboxes, listSubscriptions } from "#/storage/queries/mail/mailboxes.ts";
import { findSendingPolicy, listAgentsOfApprover } from "#/storage/queries/outbound/holds.ts";
import { deliver } from "../support/delivery.ts";
import { openTestStore, seedAgent, type TestStore, testFacts } from "../support/store.ts";

it("gives a new agent INBOX and the mailboxes of special use, all subscribed", async () => {
  await using test = await openTestStore();
  const { agent } = await seedAgent(test.store);
  const mailboxes = await listMailboxes(test.store, agent);
  expect(mailboxes.map(({ name, role }) => [name, role])).toEqual([
    ["Archive", "archive"],
    ["Drafts", "drafts"],
    ["INBOX", "inbox"],
    ["Junk", "junk"],
    ["Sent", "sent"],
    ["Trash", "trash"],
  ]);
  expect(await listSubscriptions(test.store, agent)).toEqual(mailboxes.map(({ name }) => name));
  expect(await findAgent(test.store, agent)).toMatchObject({
    address: "ada@example.org",
    accountState: "active",
    state: "active",
    modseq: 6,
  });
});

it("refuses an account, a domain and an address that exist", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const { account } = await seedAgent(store);
  const at = store.clock.now();
  const refusal = { code: "invalid", details: { reason: "already_exists" } };
  await expect(store.write(nobody, "createAccount", { name: "example", at })).rejects.toMatchObject(refusal);
  await expect(
    store.write(nobody, "createDomain", { name: "example.org", account, at }),
  ).rejects.toMatchObject(refusal);
  await expect(seedAgent(store)).rejects.toMatchObject(refusal);
  expect(await listAgents(store)).toHaveLength(1);
});

it("refuses an agent in a domain of another account", async () => {
  await using test = await openTestStore();
  const { store } = test;
  await seedAgent(store, "ada");
  const other = await seedAgent(store, "bob", { account: "other" });
  const write = store.write(nobody, "addAddress", {
    agent: other.agent,
    domain: "example.org",
    localPart: "bob",
    isPrimary: false,
    at: 0,
  });
  await expect(write).rejects.toMatchObject({ code: "not_found" });
});

it("resolves a shared address to each of its agents, and the catch-all address by its star", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const ada = await seedAgent(store, "ada");
  const bob = await seedAgent(store, "bob");
  for (const { agent } of [ada, bob])
    await store.write(nobody, "addAddress", {
      agent,
      domain: "example.org",
      localPart: "team",
      isPrimary: false,
      at: 0,
    });
  await store.write(nobody, "addAddress", {
    agent: bob.agent,
    domain: "example.org",
    localPart: "*",
    isPrimary: false,
    at: 0,
  });
  const agentsAt = async (localPart: string): Promise<number[]> =>
    (await listAddressTargets(store, "example.org", localPart)).map(({ agent }) => agent);
  expect(await agentsAt("team")).toEqual([ada.agent, bob.agent]);
  expect(await agentsAt("*")).toEqual([bob.agent]);
  expect(await agentsAt("nobody")).toEqual([]);
  await store.write(nobody, "removeAddress", { agent: ada.agent, domain: "example.org", localPart: "team" });
  expect(await agentsAt("team")).toEqual([bob.agent]);
  expect((await listAddresses(store, bob.agent))[0]).toMatchObject({ localPart: "bob", isPrimary: true });
});

it("refuses to delete the primary address of an agent", async () => {
  await using test = await openTestStore();
  const { agent } = await seedAgent(test.store);
  const write = test.store.write(nobody, "removeAddress", { agent, domain: "example.org", localPart: "ada" });
  await expect(write).rejects.toMatchObject({ code: "precondition_failed" });
});

it("finds a token by its hash, with the time of its first revocation", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const { agent } = await seedAgent(store);
  const hash = new Uint8Array(32).fill(7);
  const { token } = await store.write(nobody, "createToken", {
    agent,
    name: "robot",
    hash,
    scopes: ["mail"],
    expiresAt: null,
    at: 1,
  });
  expect(await findToken(store, hash)).toEqual({
    token,
    agent,
    name: "robot",
    scopes: ["mail"],
    createdAt: 1,
    expiresAt: null,
    revokedAt: null,
  });
  await store.write(nobody, "revokeToken", { token, at: 5 });
  await store.write(nobody, "revokeToken", { token, at: 9 });
  expect(await findToken(store, hash)).toMatchObject({ revokedAt: 5 });
  await expect(store.write(nobody, "revokeToken", { token: 99, at: 9 })).rejects.toMatchObject({
    code: "not_found",
  });
});

it("keeps app passwords as they were given", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const { agent } = await seedAgent(store);
  const storedKey = new Uint8Array(32).fill(1);
  const serverKey = new Uint8Array(32).fill(2);
  const { password } = await store.write(nobody, "createPassword", {
    agent,
    name: "phone",
    storedKey,
    serverKey,
    at: 3,
  });
  await store.write(nobody, "revokePassword", { password, at: 4 });
  const [row] = await listPasswords(store, agent);
  expect(new Uint8Array(row!.storedKey)).toEqual(storedKey);
  expect(row).toMatchObject({ name: "phone", revokedAt: 4 });
});

const everything: GrantedObjects = ofGrantedKinds(() => "all");

describe("a grant on some mailboxes", () => {
  async function setUp(test: TestStore, names: readonly string[]) {
    const { store } = test;
    const ada = await seedAgent(store, "ada");
    const bob = await seedAgent(store, "bob");
    const mailboxes: MailboxNumber[] = [];
    for (const name of names)
      mailboxes.push((await store.write(nobody, "createMailbox", { agent: bob.agent, name, at: 0 })).mailbox);
    const facts = { scopes: ["mail:read"], expiresAt: null, at: 0 };
    const create = (mailbox: readonly number[], agent = ada.agent) =>
      store.write(nobody, "createGrant", {
        ...facts,
        agent,
        targetAgent: bob.agent,
        objects: { ...everything, mailbox, calendar: [] },
      });
    const reached = async () => (await listGrants(store, ada.agent)).map(({ objects }) => objects.mailbox);
    return { store, ada: ada.agent, bob: bob.agent, mailboxes, create, reached };
  }

  it("is listed as it was created, for its holder and for its target", async () => {
    await using test = await openTestStore();
    const { store, ada, bob, mailboxes, create } = await setUp(test, ["Work", "Job"]);
    await create([...mailboxes].reverse());
    const objects = { ...everything, mailbox: mailboxes, calendar: [] };
    expect(await listGrants(store, ada)).toMatchObject([{ objects, lostMailboxes: [] }]);
    expect(await listGrantsOn(store, bob)).toMatchObject([{ objects }]);
  });

  it("keeps renamed mailboxes, and loses deleted ones", async () => {
    await using test = await openTestStore();
    const { store, bob, mailboxes, create, reached } = await setUp(test, ["Work", "Job"]);
    const [work, job] = mailboxes as [MailboxNumber, MailboxNumber];
    await create(mailboxes);
    await store.write(nobody, "renameMailbox", { agent: bob, mailbox: work, name: "Private", at: 0 });
    expect(await reached()).toEqual([[work, job]]);
    await store.write(nobody, "deleteMailbox", { agent: bob, mailbox: work, at: 0 });
    expect(await reached()).toEqual([[job]]);
  });

  it("reaches no mailbox, instead of all, when its last one is deleted", async () => {
    await using test = await openTestStore();
    const { store, bob, mailboxes, create, reached } = await setUp(test, ["Work"]);
    await create(mailboxes);
    await store.write(nobody, "deleteMailbox", { agent: bob, mailbox: mailboxes[0]!, at: 0 });
    await store.write(nobody, "createMailbox", { agent: bob, name: "Work", at: 0 });
    expect(await reached()).toEqual([[]]);
  });

  it("is refused for a mailbox that the target does not have", async () => {
    await using test = await openTestStore();
    const { ada, mailboxes, create, reached } = await setUp(test, ["Work"]);
    await expect(create([mailboxes[0]! + 1])).rejects.toMatchObject({ code: "not_found" });
    await expect(create([0])).rejects.toMatchObject({ code: "not_found" });
    await expect(create(mailboxes, ada)).resolves.toBeDefined();
    expect(await reached()).toEqual([mailboxes]);
  });

  it.each(["ada", "bob"] as const)("is deleted with %s", async (name) => {
    await using test = await openTestStore();
    const setting = await setUp(test, ["Work"]);
    await setting.create(setting.mailboxes);
    await test.store.write(nobody, "deleteAgent", { agent: setting[name] });
    expect(await test.store.column("select object_id from grant_object")).toEqual([]);
  });
});

it("grants only between agents of one account", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const ada = await seedAgent(store, "ada");
  const bob = await seedAgent(store, "bob");
  const eve = await seedAgent(store, "eve", { account: "other" });
  const grant = (agent: AgentNumber, targetAgent: AgentNumber) =>
    store.write(nobody, "createGrant", {
      agent,
      targetAgent,
      scopes: ["mail:read"],
      objects: everything,
      expiresAt: null,
      at: 0,
    });
  await grant(ada.agent, bob.agent);
  expect(await listGrants(store, ada.agent)).toMatchObject([
    { targetAgent: bob.agent, scopes: ["mail:read"], objects: everything },
  ]);
  expect(await listGrantsOn(store, bob.agent)).toHaveLength(1);
  await expect(grant(ada.agent, eve.agent)).rejects.toMatchObject({ code: "policy_refused" });
  await expect(grant(ada.agent, ada.agent)).rejects.toMatchObject({ code: "not_found" });
});

it("changes only what an update names", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const { agent, account } = await seedAgent(store, "ada", { quotaBytes: 10 });
  await store.write(nobody, "setAgentState", { agent, state: "paused", by: "operator", at: 0 });
  expect(await findAgent(store, agent)).toMatchObject({ state: "paused", quotaBytes: 10, name: "ada" });
  await store.write(nobody, "updateAgent", { agent, quotaBytes: null, name: "Ada" });
  expect(await findAgent(store, agent)).toMatchObject({ state: "paused", quotaBytes: null, name: "Ada" });
  await store.write(nobody, "updateAccount", { account, state: "not_billable" });
  expect(await listAccounts(store)).toMatchObject([{ state: "not_billable" }]);
  await expect(
    store.write(nobody, "updateAccount", { account: 99 as AccountNumber, state: "active" }),
  ).rejects.toMatchObject({ code: "not_found" });
});

it("deletes an agent for all readers at once, and frees its data", async () => {
  await using test = await openTestStore();
  const ada = await seedAgent(test.store, "ada");
  const bob = await seedAgent(test.store, "bob");
  for (let count = 0; count < 3; count++) await deliver(test.store, [ada, bob]);
  const { agent } = ada;
  const at = test.clock.now();
  const facts = { ...(await testFacts()), draftKeys: [new Uint8Array(16)] };
  const message = { facts, provenance: "{}", isAuthenticated: false };
  await test.store.write(nobody, "createDraft", { agent, message, options: "{}", at });
  const upload = { blob: facts.blob, name: "", type: "text/plain", expiresAt: at + 1, at };
  await test.store.write(nobody, "createUpload", { agent, ...upload });
  await test.store.write(nobody, "deleteAgent", { agent: ada.agent });
  expect(await findAgent(test.store, ada.agent)).toBeUndefined();
  expect(await listAddressTargets(test.store, "example.org", "ada")).toEqual([]);
  await expect(deliver(test.store, [ada])).rejects.toMatchObject({ code: "not_found" });
  // Closing waits for what is under way, opening again takes up what was left.
  const store = await test.reopen();
  const swept = async () =>
    (await store.get<{ count: number }>("select count(*) as count from agent"))!.count === 1;
  while (!(await swept())) await store.write(nobody, "updateAgent", { agent: bob.agent });
  expect(await store.get("select count(*) as messages from message")).toEqual({ messages: 3 });
  expect(await store.get("select count(*) as blobs from blob")).toEqual({ blobs: 3 });
  for (const table of ["draft", "draft_key", "upload"])
    expect(await store.get(`select count(*) as kept from ${table}`)).toEqual({ kept: 0 });
  expect(await store.get("select count(*) as changes from change where agent_id = ?", ada.agent)).toEqual({
    changes: 0,
  });
});

it("refuses to delete a domain that has addresses", async () => {
  await using test = await openTestStore();
  const { store } = test;
  await seedAgent(store);
  await expect(store.write(nobody, "deleteDomain", { name: "example.org" })).rejects.toMatchObject({
    code: "precondition_failed",
  });
  await expect(store.write(nobody, "deleteDomain", { name: "nowhere.org" })).rejects.toMatchObject({
    code: "not_found",
  });
});

it("gives a person no more agents than the operator allows, of five that are made at once", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const { account, agent: person } = await seedAgent(store, "mia", { kind: "person" });
  const made = await Promise.allSettled(
    [1, 2, 3, 4, 5].map((number) =>
      store.write(nobody, "createAgent", {
        account,
        kind: "agent",
        name: `agent ${number}`,
        address: { domain: "example.org", localPart: `agent${number}` },
        quotaBytes: null,
        scramSalt: new Uint8Array(16),
        scramIterations: 4096,
        maker: { person, agentsMax: 2, freedom: "none" },
        at: store.clock.now(),
      }),
    ),
  );
  const refused = made.flatMap((one) => (one.status === "rejected" ? [one.reason.code] : []));
  expect(refused).toEqual(["policy_refused", "policy_refused", "policy_refused"]);
  expect(await listAgentsOfApprover(store, person)).toHaveLength(2);
});

it("makes an agent with its policy and first credentials, or nothing of it", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const { account, agent: person } = await seedAgent(store, "mia", { kind: "person" });
  const at = store.clock.now();
  const keys = { storedKey: new Uint8Array(32), serverKey: new Uint8Array(32) };
  const make = (localPart: string, approver: AgentNumber, hash: Uint8Array) =>
    store.write(nobody, "createAgent", {
      account,
      kind: "agent",
      name: localPart,
      address: { domain: "example.org", localPart },
      quotaBytes: null,
      scramSalt: new Uint8Array(16),
      scramIterations: 4096,
      maker: { person, agentsMax: 5, freedom: "stricter" },
      policy: { policy: "external", approver },
      approverSubscribes: [`Other Users/${localPart}/Holds/Waiting`],
      token: { name: "first", hash, scopes: ["mail"], expiresAt: null },
      password: { name: "first", ...keys },
      at,
    });
  const hash = new Uint8Array(32).fill(1);
  const { agent, token, password } = await make("sam", person, hash);
  expect(await findToken(store, hash)).toMatchObject({ agent, token });
  expect(await listPasswords(store, agent)).toMatchObject([{ password }]);
  expect(await findSendingPolicy(store, agent)).toMatchObject({ policy: "external", approver: person });
  const subscribed = await listSubscriptions(store, person);
  expect(subscribed).toContain("Other Users/sam/Holds/Waiting");
  const everything = { before: Number.MAX_SAFE_INTEGER, since: 0, limit: 1000 };
  expect((await listAccessChangesOf(store, agent, everything)).map(({ write }) => write)).toEqual([
    "createToken",
    "createPassword",
    "setSendingPolicy",
    "createAgent",
  ]);
  // A list of subscriptions that is full, and a name that no mailbox has, keep nobody from making an agent.
  const subscribe = (name: string, isSubscribed = true) =>
    store.write(nobody, "setSubscription", { agent: person, name, isSubscribed, at });
  const names = Array.from({ length: mailboxesMax - subscribed.length }, (_, n) => `n${n}`);
  // The store takes no more than it can have waiting.
  while (names.length > 0) await Promise.all(names.splice(-50).map((name) => subscribe(name)));
  const full = await listSubscriptions(store, person);
  expect(full).toHaveLength(mailboxesMax);
  await make("max", person, new Uint8Array(32).fill(2));
  expect(await listSubscriptions(store, person)).toEqual(full);
  await subscribe("n99", false);
  await make("l".repeat(mailboxNameBytesMax), person, new Uint8Array(32).fill(3));
  const before = await listAgents(store);
  const now = await listSubscriptions(store, person);
  expect(now).toHaveLength(mailboxesMax - 1);
  // An agent approves nothing, and the token is one that there is.
  await expect(make("rex", agent, new Uint8Array(32))).rejects.toMatchObject({ code: "invalid" });
  await expect(make("rex", person, hash)).rejects.toThrow();
  expect(await listAgents(store)).toEqual(before);
  expect(await listSubscriptions(store, person)).toEqual(now);
});
