import { expect, it } from "vitest";
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

it("goes to everybody who may approve, by a grant too, and to no agent; each is told once", async () => {
  await using house = await openHoldHouse();
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
  expect(all.map(({ length }) => length)).toEqual([1, 1, 0]);
  expect(all[1]![0]).toContain("A mail waits for you to approve it.");
});
