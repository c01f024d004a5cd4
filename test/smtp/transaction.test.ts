/** What may change or be wrong between MAIL and the end of the data. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { nobody } from "#/src/model/author.ts";
import type { AccountNumber, AgentNumber } from "#/src/model/numbers.ts";
import { connectRawSmtp, type RawSmtp, stuff } from "../support/clients/raw-smtp.ts";
import { type MailRooms, openMailRooms } from "./mail-rooms.ts";

let rooms: MailRooms;
beforeAll(async () => {
  rooms = await openMailRooms({ smtp: { maxMessageBytes: 100_000 } });
});
afterAll(async () => {
  await rooms[Symbol.asyncDispose]();
});

async function connect(): Promise<RawSmtp> {
  const client = await connectRawSmtp({ port: rooms.ports.smtp });
  await client.command("EHLO mx.outside.example");
  return client;
}

/** As far as 354. */
async function announce(client: RawSmtp, recipients: readonly string[], mail = ""): Promise<void> {
  expect(await client.command(`MAIL FROM:<alice@outside.example>${mail}`)).toMatch(/^250 /);
  for (const recipient of recipients)
    expect(await client.command(`RCPT TO:<${recipient}@waypost.example>`), recipient).toMatch(/^250 /);
  expect(await client.command("DATA")).toMatch(/^354 /);
}

async function send(client: RawSmtp, message: string): Promise<string> {
  return (await client.send(stuff(message)))[0]!;
}

async function createAgent(localPart: string): Promise<AgentNumber> {
  const { agent } = await rooms.store.write(nobody, "createAgent", {
    account: 1 as AccountNumber,
    kind: "agent",
    name: localPart,
    address: { domain: "waypost.example", localPart },
    quotaBytes: null,
    scramSalt: new Uint8Array(16),
    scramIterations: 4096,
    at: rooms.store.clock.now(),
  });
  return agent;
}

async function subjects(agent: AgentNumber): Promise<(string | null)[]> {
  return (await rooms.messages(agent)).map(({ subject }) => subject);
}

test("refuses a message whose only recipient was deleted since it was named", async () => {
  const agent = await createAgent("leaver");
  await using client = await connect();
  await announce(client, ["leaver"]);
  await rooms.store.write(nobody, "deleteAgent", { agent });
  expect(await send(client, "Subject: x\r\n\r\n")).toMatch(/^550 5\.1\.1 /);
});

test("answers 451 when one of several recipients was deleted since it was named", async () => {
  const agent = await createAgent("goner");
  await using client = await connect();
  await announce(client, ["goner", "robin"]);
  await rooms.store.write(nobody, "deleteAgent", { agent });
  expect(await send(client, "Subject: for two\r\n\r\n")).toMatch(/^451 4\.3\.0 /);
  expect(await subjects(rooms.agents.robin)).not.toContain("for two");
  await announce(client, ["robin"]);
  expect(await send(client, "Subject: for two\r\n\r\n")).toMatch(/^250 /);
  expect(await subjects(rooms.agents.robin)).toContain("for two");
});

test("takes a message for a mailbox that filled up since it was named", async () => {
  const agent = await createAgent("filling");
  await using client = await connect();
  await announce(client, ["filling"]);
  await rooms.store.write(nobody, "updateAgent", { agent, quotaBytes: 1 });
  expect(await send(client, "Subject: over\r\n\r\n")).toMatch(/^250 /);
  expect(await subjects(agent)).toEqual(["over"]);
});

test("takes mail for a paused agent", async () => {
  const agent = await createAgent("pausing");
  await rooms.store.write(nobody, "setAgentState", { agent, state: "paused", by: "operator", at: 0 });
  await using client = await connect();
  await announce(client, ["pausing"]);
  expect(await send(client, "Subject: later\r\n\r\n")).toMatch(/^250 /);
  expect(await subjects(agent)).toEqual(["later"]);
});

test("makes one copy for a hundred addresses of one mailbox", async () => {
  const agent = await createAgent("many");
  const addresses = ["many", ...Array.from({ length: 49 }, (_, index) => `many+${index}`)];
  for (let index = 0; index < 50; index++) {
    const address = { domain: "waypost.example", localPart: `alias${index}` };
    const at = rooms.store.clock.now();
    await rooms.store.write(nobody, "addAddress", { agent, ...address, isPrimary: false, at });
    addresses.push(address.localPart);
  }
  await using client = await connect();
  await announce(client, addresses);
  expect(await send(client, "Subject: once\r\n\r\n")).toMatch(/^250 /);
  const messages = await rooms.messages(agent);
  expect(messages).toHaveLength(1);
  expect((await rooms.source(messages[0]!)).match(/^Delivered-To: /gm)).toHaveLength(100);
});

test("takes the null reverse path for several recipients", async () => {
  await using client = await connect();
  await client.command("MAIL FROM:<>");
  for (const name of ["robin", "alex", "Postmaster"])
    expect(
      await client.command(`RCPT TO:<${name}${name === "Postmaster" ? "" : "@waypost.example"}>`),
    ).toMatch(/^250 /);
  await client.command("DATA");
  expect(await send(client, "Subject: bounce for two\r\n\r\n")).toMatch(/^250 /);
  for (const agent of [rooms.agents.robin, rooms.agents.alex])
    expect((await subjects(agent)).filter((subject) => subject === "bounce for two")).toHaveLength(1);
});

test("measures the message itself, and accepts a wrong SIZE within the limits", async () => {
  await using client = await connect();
  await announce(client, ["robin"], " SIZE=1");
  expect(await send(client, `Subject: long\r\n\r\n${"x".repeat(70_000)}\r\n`)).toMatch(/^250 /);
  await announce(client, ["robin"], " SIZE=99999");
  expect(await send(client, "Subject: short\r\n\r\n")).toMatch(/^250 /);
  await announce(client, ["robin"], " SIZE=1");
  expect(await send(client, `Subject: longer\r\n\r\n${"x".repeat(100_000)}\r\n`)).toMatch(/^552 5\.3\.4 /);
});

const octets: readonly (readonly [mail: string, message: string])[] = [
  [" BODY=7BIT", "Subject: 8 bits\r\n\r\nn\xe4h\r\n"],
  ["", "Subject: gr\xc3\xbcn\r\nFrom: gr\xc3\xbcn@outside.example\r\n\r\n"],
  [" BODY=8BITMIME", "Subject: 7 bits\r\n\r\nplain\r\n"],
  [" SMTPUTF8", "Subject: ascii\r\n\r\n"],
];
for (const [mail, message] of octets)
  test(`keeps ${JSON.stringify(message.slice(0, 20))} as it is after MAIL${mail}`, async () => {
    await using client = await connect();
    await announce(client, ["robin"], mail);
    expect(await send(client, message)).toMatch(/^250 /);
    const [stored] = await rooms.messages(rooms.agents.robin);
    expect((await rooms.source(stored!)).endsWith(message)).toBe(true);
  });

test("writes no part of HELO, ENVID, ORCPT or an address unescaped into the header", async () => {
  await using client = await connect();
  for (const name of ["x\x0bX-Evil: 1", "x\tX-Evil:1", "x\x85X-Evil:", "(X-Evil:", "x\0"]) {
    // Whatever the reply, what follows is answered in order.
    await client.command(`HELO ${name}`);
    await client.command("EHLO again");
    await client.command(`HELO ${name}`);
    const mail = await client.command(
      'MAIL FROM:<"X-Evil: >\\""@outside.example> RET=FULL ENVID=a+0D+0AX-Evil:1',
    );
    if (mail.startsWith("503")) continue;
    expect(mail).toMatch(/^250 /);
    expect(
      await client.command("RCPT TO:<robin@waypost.example> ORCPT=rfc822;a+0D+0AX-Evil:1@x.example"),
    ).toMatch(/^250 /);
    await client.command("DATA");
    expect(await send(client, "Subject: traced\r\n\r\n")).toMatch(/^250 /);
    const [stored] = await rooms.messages(rooms.agents.robin);
    const source = await rooms.source(stored!);
    expect(source.match(/^X-Evil/gm)).toBe(null);
    expect(
      source
        .split("\r\n")
        .filter(
          (line) =>
            !/^(?:Return-Path|Delivered-To|Authentication-Results|Received|Subject): |^\t|^$/.test(line),
        ),
    ).toEqual([]);
  }
});
