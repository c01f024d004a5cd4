import { expect, it } from "vitest";
import { defaultSettings } from "#/config/schema.ts";
import type { Accounts } from "#/src/accounts/accounts.ts";
import { principalOf } from "#/src/accounts/principal.ts";
import { prepareMessage } from "#/src/mail/prepare-message.ts";
import { type Actor, nobody } from "#/src/model/author.ts";
import { ofGrantedKinds } from "#/src/model/grants.ts";
import { nextHoldState, type Waiting } from "#/src/model/holds.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { createHolds } from "#/src/outbound/holds/create-holds.ts";
import { type Approved, listApprovedBy, listDeciders } from "#/src/reach/approvers.ts";
import { type HoldHouse, openHoldHouse } from "./hold-house.ts";

/** The mails in an INBOX, kim's unless said. */
async function letters(house: HoldHouse, agent = house.kim.agent): Promise<string[]> {
  const inbox = await house.mail.findMailbox(agent, "INBOX");
  if (inbox === undefined) return [];
  const texts: string[] = [];
  for await (const page of house.mail.messagePages(agent, inbox.number, [[1, 1000]]))
    for (const message of page) texts.push((await house.mail.readBytes(message)).toString());
  return texts;
}

it("names the mail that waits, its sender and recipients, and how to approve it", async () => {
  await using house = await openHoldHouse();
  await house.send({ to: ["lee@elsewhere.example", "max@elsewhere.example"] });
  await house.advance(0);
  const [folded, ...others] = await letters(house);
  const letter = folded!.replaceAll("=\r\n", "");
  expect(others).toEqual([]);
  expect(letter).toMatch(/^From: Waypost <postmaster@ours\.example>\r\n/m);
  expect(letter).toMatch(/^Auto-Submitted: auto-generated\r\n/m);
  expect(letter).toMatch(/^Content-Type: text\/plain/m);
  for (const fact of [
    "From: robin@ours.example",
    "To: lee@elsewhere.example, max@elsewhere.example",
    "Subject: Offer",
    "Waits because: its first mail to this domain",
    "Mailbox: Other Users/robin@ours.example/Holds/Waiting",
    "for 20 seconds you can move it back",
  ])
    expect(letter).toContain(fact);
});

it("leads to the pages where they have an address", async () => {
  await using house = await openHoldHouse({ server: { publicUrl: "https://mail.ours.example" } });
  await house.send();
  await house.advance(0);
  expect((await letters(house))[0]!.replaceAll("=\r\n", "")).toMatch(
    /^Or in the browser: https:\/\/mail\.ours\.example\/approvals\r$/m,
  );
});

it("many mails share a notice, and each is named once", async () => {
  await using house = await openHoldHouse();
  await house.send({ subject: "First" });
  await house.advance(0);
  for (let n = 0; n < 30; n++) await house.send({ subject: `Later ${n}` });
  await house.advance(0);
  expect(await letters(house)).toHaveLength(1);
  expect(await house.holds.nextDueAt()).toBe(house.clock.now() + 600_000);
  await house.advance(600_000);
  const [, second, ...others] = await letters(house);
  expect(others).toEqual([]);
  expect(second).toContain("31 mails wait for you to approve them. The newest 20:");
  await house.advance(6_000_000);
  expect(await letters(house)).toHaveLength(2);
});

it("a notice follows also when the clock was set back after the last one", async () => {
  await using house = await openHoldHouse();
  await house.send({ subject: "First" });
  await house.advance(0);
  await house.send({ subject: "Later" });
  await house.advance(-86_400_000);
  expect(await letters(house)).toHaveLength(2);
});

it("shows words of the agent as one line of plain characters, and no link", async () => {
  await using house = await openHoldHouse();
  await house.send({
    subject: `Approve at https://evil.example/now www.evil.example mailto:x@evil.example \u202eno\u200bw ${"x".repeat(300)}`,
  });
  await house.advance(0);
  const letter = (await letters(house))[0]!.replaceAll("=\r\n", "");
  expect(letter).not.toMatch(/https:\/\/|www\.evil|mailto:x|\u202e|\u200b/);
  expect(/^Subject: Approve.*$/m.exec(letter)![0].length).toBeLessThan(150);
});

it("without an approver no notice is sent; an approver who is named later gets the mails that wait", async () => {
  await using house = await openHoldHouse();
  await house.administer("agent.update", { owner: house.robin.address, approver: "none" });
  await house.send();
  await house.advance(0);
  expect(await letters(house)).toEqual([]);
  await house.administer("agent.update", { owner: house.robin.address, approver: house.kim.address });
  await house.advance(0);
  expect(await letters(house)).toHaveLength(1);
});

it.each([true, false])(
  "goes to everybody who may approve, by a grant too, and to no agent; each is told once; somebody is named: %s",
  async (isNamed) => {
    await using house = await openHoldHouse();
    if (!isNamed) await house.administer("agent.update", { owner: house.robin.address, approver: "none" });
    const noa = await house.administer("person.create", { address: "noa@ours.example" });
    const bot = await house.administer("agent.create", { address: "bot@ours.example" });
    const [person, agent] = [noa, bot].map(({ id }) => house.store.ids.decode(String(id))!.agent);
    for (const holder of ["noa@ours.example", "bot@ours.example"])
      await house
        .administer("grant.create", { holder, target: house.robin.address, scopes: ["approve"] })
        .catch(() => {});
    await house.send();
    await house.advance(0);
    await house.advance(6_000_000);
    const all = [await letters(house), await letters(house, person), await letters(house, agent)];
    expect(all.map(({ length }) => length)).toEqual([isNamed ? 1 : 0, 1, 0]);
    expect(all[1]![0]).toContain("A mail waits for you to approve it.");
    // And then none within the interval, and one about all.
    await house.send();
    await house.send();
    await house.advance(0);
    await house.advance(6_000_000);
    const later = [await letters(house), await letters(house, person), await letters(house, agent)];
    expect(later.map(({ length }) => length)).toEqual([isNamed ? 2 : 0, 2, 0]);
  },
);

it("who approves for two mailboxes is told at once of both, and nobody twice within the interval", async () => {
  await using house = await openHoldHouse();
  const noa = await house.create("person", "noa@ours.example");
  const eve = await house.create("person", "eve@ours.example");
  const casey = await house.create("agent", "casey@ours.example", { approver: "noa@ours.example" });
  await house.administer("grant.create", {
    ...{ holder: "noa@ours.example", target: house.robin.address, scopes: ["approve"] },
  });
  await house.administer("grant.create", {
    ...{ holder: "eve@ours.example", target: "casey@ours.example", scopes: ["approve"] },
  });
  const sendBoth = async () => {
    await house.send();
    const body = { to: ["lee@elsewhere.example"], subject: "Of casey", text: "One." };
    await house.clientOf(casey.token!).ok("send", { body });
  };
  const all = async () => {
    const people = [house.kim.agent, noa.agent, eve.agent];
    return Promise.all(people.map((person) => letters(house, person)));
  };
  await sendBoth();
  await house.advance(0);
  const first = await all();
  expect(first.map(({ length }) => length)).toEqual([1, 1, 1]);
  expect(first.map(([letter]) => /^Subject: Waiting.*: (\d)/m.exec(letter!)![1])).toEqual(["1", "2", "1"]);
  await sendBoth();
  await house.advance(599_999);
  expect((await all()).map(({ length }) => length)).toEqual([1, 1, 1]);
  await house.advance(1);
  const second = await all();
  expect(second.map(({ length }) => length)).toEqual([2, 2, 2]);
  expect(second[1]![1]).toContain("4 mails wait for you to approve them.");
  await house.advance(6_000_000);
  expect((await all()).map(({ length }) => length)).toEqual([2, 2, 2]);
});

it("somebody who does not see the mail is told of nothing, and nothing is due for that", async () => {
  await using house = await openHoldHouse();
  const { store, accounts, outbound, kim } = house;
  const noa = await house.create("person", "noa@ours.example");
  await house.administer("agent.update", { owner: house.robin.address, approver: "none" });
  await house.administer("grant.create", {
    ...{ holder: "noa@ours.example", target: house.robin.address, scopes: ["approve"] },
  });
  await house.send();
  const holders: Accounts["listHolders"] = async () => [
    { address: kim.address, scopes: new Set(["approve"]), objects: "all" as never },
  ];
  const settings = defaultSettings();
  const holds = createHolds({
    ...{ store, outbound, settings, prepare: prepareMessage },
    accounts: { ...accounts, listHolders: holders },
  });
  await holds.runDue();
  expect(await holds.nextDueAt()).toBeGreaterThan(house.clock.now());
  expect([await letters(house), await letters(house, noa.agent)]).toEqual([[], []]);
});

it("is not for the person who sent the mail from the agent's mailbox, but for others who may approve it", async () => {
  await using house = await openHoldHouse();
  const noa = await house.create("person", "noa@ours.example");
  await house.administer("grant.create", {
    ...{ holder: "noa@ours.example", target: house.robin.address, scopes: ["mail", "send", "approve"] },
  });
  const asNoa = principalOf((await house.accounts.access.findOwner(noa.agent))!, {
    kind: "session",
    number: 0,
  });
  await house.outbound.submit(asNoa.author, {
    principal: asNoa,
    mailbox: house.robin.agent,
    bytes: Buffer.from(
      "From: robin@ours.example\r\nTo: lee@elsewhere.example\r\nSubject: Offer\r\n\r\nTen.\r\n",
    ),
    envelope: {
      ...{ from: "robin@ours.example", recipients: [{ address: "lee@elsewhere.example" }], envid: null },
      ...{ ret: null, bodyType: "7BIT", isSmtputf8: false },
    },
    ...{ isAuthenticated: true, holdWish: "always", source: "submission" },
  });
  await house.advance(0);
  await house.advance(6_000_000);
  expect(await letters(house)).toHaveLength(1);
  expect(await letters(house, noa.agent)).toEqual([]);
  // Mail that the agent sends is for both.
  await house.send();
  await house.advance(0);
  const [, second] = await letters(house);
  expect(second).toContain("2 mails wait for you to approve them.");
  const [only, ...others] = await letters(house, noa.agent);
  expect(others).toEqual([]);
  expect(only).toContain("A mail waits for you to approve it.");
});

it("comes once within the interval to a person who approves for another mailbox meanwhile", async () => {
  await using house = await openHoldHouse();
  const casey = await house.create("agent", "casey@ours.example");
  await house.send();
  await house.advance(0);
  expect(await letters(house)).toHaveLength(1);
  await house.administer("agent.update", { owner: house.robin.address, approver: "none" });
  await house.administer("agent.update", { owner: "casey@ours.example", approver: house.kim.address });
  const body = { to: ["lee@elsewhere.example"], subject: "Of casey", text: "One." };
  await house.clientOf(casey.token!).ok("send", { body });
  await house.advance(599_999);
  expect(await letters(house)).toHaveLength(1);
  await house.advance(1);
  expect(await letters(house)).toHaveLength(2);
});

it("and pushes, the list of the pages, decisions and the writes of approvers name the same people", async () => {
  await using house = await openHoldHouse();
  const { accounts, store } = house;
  const number = (made: Record<string, unknown>) => store.ids.decode(String(made.id))!.agent;
  const noa = number(await house.administer("person.create", { address: "noa@ours.example" }));
  const eve = number(await house.administer("person.create", { address: "eve@ours.example" }));
  const bot = number(await house.administer("agent.create", { address: "bot@ours.example" }));
  const grant = async (holder: string, scopes: readonly string[]) =>
    house.administer("grant.create", { holder, target: house.robin.address, scopes }).catch(() => {});
  await grant("noa@ours.example", ["approve"]);
  await grant("eve@ours.example", ["mail"]);
  await grant("bot@ours.example", ["approve"]);
  const una = number(await house.administer("person.create", { address: "una@ours.example" }));
  const ivo = number(await house.administer("person.create", { address: "ivo@ours.example" }));
  const robin = house.robin.agent;
  const ended = { scopes: ["approve"], targetAgent: robin, objects: ofGrantedKinds(() => "all" as const) };
  const at = house.clock.now();
  const revoked = await store.write(nobody, "createGrant", { ...ended, agent: una, expiresAt: null, at });
  await store.write(nobody, "revokeGrant", { grant: revoked.grant, at });
  await store.write(nobody, "createGrant", { ...ended, agent: ivo, expiresAt: at, at });
  const people = [house.kim.agent, noa, eve, bot, una, ivo, robin];
  const byWrites = async () => {
    const able = [];
    for (const person of people) {
      const asked = { agent: robin, state: "active", by: { approver: person }, at } as const;
      const [paused] = await Promise.allSettled([store.write(nobody, "setAgentState", asked)]);
      if (paused!.status === "fulfilled") able.push(person);
      else expect(paused!.reason).toMatchObject({ code: "not_found" });
    }
    return able;
  };
  const mayApprove = (waiting: Waiting, actor: Actor): boolean => {
    try {
      return nextHoldState({ ...waiting, state: "waiting" }, "approve", actor) === "approved";
    } catch {
      return false;
    }
  };
  for (const approver of [house.kim.address, "none", "noa@ours.example"]) {
    await house.administer("agent.update", { owner: house.robin.address, approver });
    const approved = new Map<AgentNumber, readonly Approved[]>();
    for (const person of people) approved.set(person, await listApprovedBy({ accounts }, person));
    for (const agent of people)
      for (const requestedBy of people)
        for (const reason of ["always", "unapproved"] as const) {
          const waiting = { agent, reason, requestedBy };
          const told = (await listDeciders({ accounts }, waiting)).map((one) => one.agent);
          const [seeing, deciding] = [
            (one: Approved) => one.decides(waiting),
            (one: Approved) => one.agent === agent && mayApprove(waiting, one.actor),
          ].map((isIt) => people.filter((person) => approved.get(person)!.some(isIt)).sort());
          expect(deciding).toEqual(seeing);
          expect(told.toSorted()).toEqual(seeing);
          if (agent === robin && reason === "always") {
            expect(told).toEqual(
              (approver === house.kim.address ? [house.kim.agent, noa] : [noa]).filter(
                (person) => person !== requestedBy,
              ),
            );
            if (requestedBy === robin) expect(await byWrites()).toEqual(told);
          }
        }
  }
});
