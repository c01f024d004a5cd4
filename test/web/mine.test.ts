/** What people do for themselves: mail programs, shares, the pause of an agent, time zone, and what an approval asks. */
import { describe, expect, test, vi } from "vitest";
import { nobody } from "#/src/model/author.ts";
import { type SendingRules, sendingPolicies } from "#/src/model/holds.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { createAgentsOfMine } from "#/src/sign-in/agents-of-mine.ts";
import type { PageSession } from "#/src/sign-in/page-session.ts";
import { findAgent } from "#/storage/queries/accounts/agents.ts";
import { type FormlessBrowser, fieldOf, openBrowser } from "../support/clients/browser.ts";
import { openPagesHouse, type PagesHouse } from "./pages-house.ts";

async function signIn(house: PagesHouse, person = house.person): Promise<FormlessBrowser> {
  const browser = openBrowser(house.origin);
  await browser.post("/sign-in", { address: person.address, password: person.password });
  return browser;
}

const secretOf = (text: string): string | undefined => /is-secret" data-copy><code>([^<]+)</.exec(text)?.[1];
const actionOf = (text: string, act: RegExp): string => act.exec(text)![1]!;

describe("a mail program", () => {
  test("gets an app password of its own, which is shown once and works until it is revoked", async () => {
    await using house = await openPagesHouse();
    const browser = await signIn(house);
    const made = await browser.post("/mine/programs", {
      name: "Mutt,  laptop",
      password: house.person.password,
    });
    const password = secretOf(made.text)!;
    expect(made.text).toContain("App password for “Mutt, laptop”");
    expect(made.text).toContain(
      `/apple.mobileconfig?emailaddress=${encodeURIComponent(house.person.address)}`,
    );
    const later = await browser.get("/mine");
    expect(secretOf(later.text)).toBeUndefined();
    expect(later.text).not.toContain(password);
    const other = await signIn(house, { ...house.person, password });
    expect((await other.get("/mine")).text).toContain("Mutt, laptop");
    const revoke = actionOf(
      later.text,
      /action="(\/mine\/programs\/\d+\/revoke)"><[^>]+>Revoke<span class="aside"> Mutt/,
    );
    // Somebody else of the account cannot.
    const kim = await house.createPerson("kim@waypost.test");
    const stranger = await signIn(house, kim);
    expect((await stranger.post(revoke, {})).status).toBe(404);
    await browser.post(revoke, {});
    expect((await signIn(house, { ...house.person, password })).cookies.size).toBe(0);
    expect((await browser.get("/mine")).text).not.toContain("Mutt, laptop");
  });

  test("has a name of one line, whatever was typed", async () => {
    await using house = await openPagesHouse();
    const browser = await signIn(house);
    await browser.post("/mine/programs", {
      name: "Mu\u0000tt\u001b[31m\n2",
      password: house.person.password,
    });
    const { passwords } = await house.administer("password.list", { owner: house.person.address });
    expect((passwords as { name: string }[]).map(({ name }) => name)).not.toContainEqual(
      expect.stringMatching(/\p{Cc}/u),
    );
    expect(passwords).toHaveLength(2);
    await expect(
      house.administer("password.create", { owner: house.person.address, name: "Mu\u0000tt" }),
    ).rejects.toMatchObject({ code: "invalid" });
  });

  test("gets none without a proof, by a wrong app password or by an answer that is none", async () => {
    await using house = await openPagesHouse();
    const browser = await signIn(house);
    for (const [proof, why] of [
      [{}, "it needs your passkey"],
      [{ password: "abcd-efgh-ijkl-mnop" }, "was not accepted"],
      [{ assertion: "{}" }, "was not accepted"],
    ] as const) {
      const refused = await browser.post("/mine/programs", { name: "Phone", ...proof });
      expect([proof, refused.status, secretOf(refused.text)]).toEqual([proof, 409, undefined]);
      expect(refused.text).toContain(why);
    }
    const { passwords } = await house.administer("password.list", { owner: house.person.address });
    expect(passwords).toHaveLength(1);
  });
});

describe("an agent that a person approves for", () => {
  test("is paused and resumed by that person, and by nobody else", async () => {
    await using house = await openPagesHouse();
    const browser = await signIn(house);
    const pause = actionOf((await browser.get("/agents")).text, /action="(\/agents\/ag_\w+\/pause)"/);
    const kim = await signIn(house, await house.createPerson("kim@waypost.test"));
    expect((await kim.post(pause, {})).status).toBe(404);
    expect((await browser.post("/agents/ag_0/pause", {})).status).toBe(404);
    const paused = await browser.post(pause, { from: "/agents" });
    expect(paused.text).toContain("An approver has paused it.");
    const body = { to: [house.person.address], subject: "Now", text: "Text." };
    expect(await house.client.call("send", { body })).toMatchObject({
      status: 503,
      body: { error: { code: "paused", hint: expect.stringContaining("Its approver") } },
    });
    expect((await house.events()).find(({ type }) => type === "agent.paused")).toMatchObject({
      reason: "approver",
    });
    await browser.post(pause.replace("/pause", "/resume"), {});
    await house.client.ok("send", { body });
    // What the operator has paused, the operator resumes.
    await house.administer("agent.pause", { owner: house.agent.address });
    expect((await browser.get("/agents")).text).not.toContain("/resume");
    expect((await browser.post(pause.replace("/pause", "/resume"), {})).status).toBe(400);
    expect((await house.client.call("send", { body })).status).toBe(503);
  });

  test("is shown with what it may do and what it did today", async () => {
    await using house = await openPagesHouse();
    await house.administer("agent.update", {
      owner: house.agent.address,
      holdPolicy: "external",
      allow: ["stoffwerk.example"],
    });
    await house.client.ok("send", { body: { to: [house.person.address], subject: "One", text: "Text." } });
    const declined = await house.send({ subject: "Two" });
    await house.administer("hold.decline", { hold: declined });
    await house.send({ subject: "Three" });
    const { text } = await (await signIn(house)).get("/agents");
    const figures = [...text.matchAll(/<dt>([^<]+)<\/dt><dd>(\d+)<\/dd>/g)].map(([, word, count]) => [
      word,
      count,
    ]);
    expect(figures).toEqual([
      ["sent today", "1"],
      ["wait for you", "1"],
      ["declined today", "1"],
    ]);
    expect(text).toContain("every mail that leaves the account");
    expect(text).toContain("stoffwerk.example");
  });
});

test("agents that a person approves for by a grant are theirs too, for as long as the grant is there", async () => {
  await using house = await openPagesHouse(["pages.policies=any"]);
  const kim = await house.createPerson("kim@waypost.test");
  const { agent: grantor } = house;
  const { number } = await house.administer("grant.create", {
    holder: kim.address,
    target: grantor.address,
    scopes: ["approve"],
  });
  const browser = await signIn(house, kim);
  const { text } = await browser.get("/agents");
  const pause = actionOf(text, /action="(\/agents\/ag_\w+\/pause)"/);
  const path = pause.replace("pause", "policy");
  await browser.post(pause, {});
  expect((await house.administer("agent.show", { owner: grantor.address })).paused).toMatchObject({
    reason: "approver",
  });
  await browser.post(pause.replace("pause", "resume"), {});
  const wanted = { policy: "external", allowed: "a.example", blocked: "" };
  await browser.post(path, { ...wanted, password: kim.password });
  const shown = { holdPolicy: "external", allow: ["a.example"], approver: house.person.address };
  expect(await house.administer("agent.show", { owner: grantor.address })).toMatchObject(shown);
  // Somebody's own mailbox is none of another person's, whatever the grant says.
  await house.administer("grant.create", {
    holder: kim.address,
    target: house.person.address,
    scopes: ["approve"],
  });
  const listed = [...(await browser.get("/agents")).text.matchAll(/\/agents\/(ag_\w+)\/pause/g)];
  expect(listed).toHaveLength(1);
  await house.administer("grant.revoke", { number });
  expect((await browser.get("/agents")).text).not.toContain("/pause");
  expect((await browser.post(pause, {})).status).toBe(404);
  expect((await browser.post(path, { ...wanted, password: kim.password })).status).toBe(404);
});

describe("an agent that a person makes", () => {
  const wanted = { name: "Sam", local: "sam", policy: "external" };

  test("has a token that works at once, and a policy with that person as approver; the operator says how many", async () => {
    await using house = await openPagesHouse(["pages.agents_per_person=2"]);
    const browser = await signIn(house);
    const { password } = house.person;
    expect((await browser.get("/agents")).text).toContain("/agents/new");
    const write = vi.spyOn(house.daemon.daemon.house.store, "write");
    const made = await browser.post("/agents", { ...wanted, password });
    // One, so that a crash leaves nothing half.
    expect(write.mock.calls.map(([, name]) => name)).toEqual(["createAgent"]);
    write.mockRestore();
    const token = secretOf(made.text)!;
    // The line for the terminal, as it stands there.
    const [, body, url] = /curl --json &#39;(.+?)&#39;[\s\S]+?(http:\S+?)<\/pre>/.exec(made.text)!;
    const answer = await fetch(url!, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      body: body!.replaceAll("&quot;", '"'),
    });
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining("sam@")]);
    const [person] = house.person.address.split("@");
    expect(
      await house.administer("agent.show", { owner: house.person.address.replace(person!, "sam") }),
    ).toMatchObject({
      holdPolicy: "external",
      approver: house.person.address,
    });
    // The agent that there was and this one are two.
    expect((await browser.get("/agents")).text).not.toContain("/agents/new");
    const third = await browser.post("/agents", { ...wanted, local: "third", password });
    expect(secretOf(third.text)).toBeUndefined();
    const { agents } = await house.administer("agent.list", {});
    expect(agents).toHaveLength(2);
  });

  test("is not made without a proof, by a wrong app password, or without a name and a free address", async () => {
    await using house = await openPagesHouse(["pages.agents_per_person=9"]);
    const browser = await signIn(house);
    const { password } = house.person;
    for (const [fields, why] of [
      [{ local: "sam" }, "it needs your passkey"],
      [{ local: "sam", password: "wrong" }, "was not accepted"],
      [{ local: "a b@c", password }, "the address is taken, or is none"],
      [{ local: "", password }, "it needs a name and an address"],
    ] as const) {
      const refused = await browser.post("/agents", { ...wanted, ...fields });
      expect([fields, refused.status, secretOf(refused.text)]).toEqual([fields, 409, undefined]);
      expect(refused.text).toContain(why);
    }
    const { agents } = await house.administer("agent.list", {});
    expect(agents).toHaveLength(1);
  });

  test.each([
    ["none", ["first_contact"]],
    ["stricter", ["first_contact", "external", "always"]],
    ["any", ["open", "first_contact", "external", "always"]],
  ] as const)("begins with no looser policy than it may be given later: %s", async (freedom, policies) => {
    await using house = await openPagesHouse(["pages.agents_per_person=9", `pages.policies=${freedom}`]);
    const browser = await signIn(house);
    const { text } = await browser.get("/agents/new");
    const offered = [...text.matchAll(/name="policy" value="(\w+)"/g)].map(([, policy]) => policy);
    expect(offered).toEqual(policies);
    const { password } = house.person;
    const made: string[] = [];
    for (const policy of sendingPolicies) {
      const answer = await browser.post("/agents", { name: policy, local: policy, policy, password });
      if (secretOf(answer.text) !== undefined) made.push(policy);
      else expect(answer.text).toContain("only the operator can let one send");
    }
    expect(made).toEqual(policies);
    const { agents } = await house.administer("agent.list", {});
    expect(agents).toHaveLength(1 + policies.length);
  });

  test("is not to be made where the operator has not said so", async () => {
    await using house = await openPagesHouse();
    const browser = await signIn(house);
    expect((await browser.get("/agents/new")).url).toBe(`${house.origin}/agents`);
    await browser.post("/agents", { ...wanted, password: house.person.password });
    const { agents } = await house.administer("agent.list", {});
    expect(agents).toHaveLength(1);
  });
});

test.each([
  ["none", []],
  ["stricter", ["stricter"]],
  ["any", ["stricter", "looser"]],
] as const)(
  "what an agent may send is changed by its approver as far as the operator says: %s",
  async (freedom, changes) => {
    await using house = await openPagesHouse([`pages.policies=${freedom}`]);
    const owner = house.agent.address;
    await house.administer("agent.update", {
      owner,
      holdPolicy: "external",
      allow: ["a.example"],
      block: ["b.example"],
    });
    const browser = await signIn(house);
    const { text } = await browser.get("/agents");
    const path = `/agents/${/\/agents\/(ag_\w+)\/pause/.exec(text)![1]}/policy`;
    expect(text.includes(path)).toBe(freedom !== "none");
    const tries = {
      stricter: { policy: "always", allowed: "", blocked: "b.example\nc.example" },
      looser: { policy: "first_contact", allowed: "a.example d.example", blocked: "" },
    };
    const changed: string[] = [];
    for (const [name, fields] of Object.entries(tries)) {
      const before = JSON.stringify(await house.administer("agent.show", { owner }));
      // Without a proof nothing changes.
      await browser.post(path, fields);
      expect(JSON.stringify(await house.administer("agent.show", { owner }))).toBe(before);
      await browser.post(path, { ...fields, password: house.person.password });
      if (JSON.stringify(await house.administer("agent.show", { owner })) !== before) changed.push(name);
    }
    expect(changed).toEqual(changes);
    const kim = await signIn(house, await house.createPerson("kim@waypost.test"));
    if (freedom !== "none") expect((await kim.get(path)).status).toBe(404);
  },
);

test("of two changes at once that are each stricter than what is set, one is written and the other refused", async () => {
  await using house = await openPagesHouse(["pages.policies=stricter"]);
  const owner = house.agent.address;
  await house.administer("agent.update", { owner, holdPolicy: "external", allow: [], block: [] });
  const { store, accounts, settings } = house.daemon.daemon.house;
  const [agent, person] = [house.daemon.agents[0]!, house.daemon.people[0]!].map(
    ({ id }) => store.ids.decode(id)!.agent,
  ) as [AgentNumber, AgentNumber];
  const { account } = (await findAgent(store, person))!;
  const session = { principal: { agent: person, account, author: nobody } } as unknown as PageSession;
  const { setPolicy } = createAgentsOfMine({ store, accounts, settings, outbound: { ring() {} } });
  const wanted: readonly SendingRules[] = [
    { policy: "always", allowed: [], blocked: [] },
    { policy: "external", allowed: [], blocked: ["c.example"] },
  ];
  const outcomes = await Promise.allSettled(wanted.map((one) => setPolicy(session, agent, one)));
  const written = outcomes.findIndex(({ status }) => status === "fulfilled");
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect(outcomes[1 - written]).toMatchObject({ reason: { code: "policy_refused" } });
  const { policy, blocked } = wanted[written]!;
  expect(await house.administer("agent.show", { owner })).toMatchObject({
    holdPolicy: policy,
    block: blocked,
  });
});

test("a share stands on both sides, and only whose data it is ends it", async () => {
  await using house = await openPagesHouse();
  const kim = await house.createPerson("kim@waypost.test");
  await house.administer("grant.create", {
    holder: kim.address,
    target: house.person.address,
    scopes: ["mail:read"],
    mailboxes: ["INBOX"],
  });
  const [own, other] = [await signIn(house), await signIn(house, kim)];
  const { text } = await own.get("/mine");
  expect(text).toMatch(/<bdi>kim<\/bdi><\/b> reaches yours: reading mail<small><bdi>INBOX/);
  expect((await other.get("/mine")).text).toContain("You reach what is of");
  const end = actionOf(text, /action="(\/mine\/shares\/\d+\/end)"/);
  expect((await other.post(end, {})).status).toBe(404);
  await own.post(end, {});
  expect((await other.get("/mine")).text).not.toContain("You reach what is of");
});

test("times are shown in the zone that a person has chosen", async () => {
  await using house = await openPagesHouse();
  const hold = await house.send();
  const browser = await signIn(house);
  const created = (await house.client.ok("part.describe", { id: hold })).content.created_at as string;
  for (const timeZone of ["Asia/Tokyo", "America/St_Johns"]) {
    await browser.post("/mine/zone", { zone: timeZone });
    const parts = { timeZone, hour: "2-digit", minute: "2-digit" } as const;
    const clock = new Intl.DateTimeFormat("en-GB", parts).format(new Date(created));
    expect((await browser.get(`/approvals/${hold}`)).text).toContain(clock);
  }
  await browser.post("/mine/zone", { zone: "Nowhere/Else" });
  expect((await browser.get("/mine")).text).not.toContain(" selected");
});

test("an approval asks for no proof once the person has lowered it, with a proof, and does again afterwards", async () => {
  await using house = await openPagesHouse();
  const browser = await signIn(house);
  const approve = async (): Promise<string> => {
    const hold = await house.send();
    const version = fieldOf(await browser.get(`/approvals/${hold}`), "version");
    await browser.post(`/approvals/${hold}/decide`, { act: "approve", version });
    return (await house.client.ok("part.describe", { id: hold })).content.state as string;
  };
  expect((await browser.post("/mine/approving", { with: "session" })).status).toBe(409);
  expect(await approve()).toBe("waiting");
  await browser.post("/mine/approving", { with: "session", password: house.person.password });
  expect(await approve()).toBe("approved");
  // Only approvals: an app password still needs a proof.
  expect((await browser.post("/mine/programs", { name: "Phone" })).status).toBe(409);
  await browser.post("/mine/approving", { with: "proof" });
  expect(await approve()).toBe("waiting");
});
