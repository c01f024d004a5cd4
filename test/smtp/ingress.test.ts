import { networkInterfaces } from "node:os";
import { afterAll, beforeAll, expect, test } from "vitest";
import { nobody } from "#/src/model/author.ts";
import type { AccountNumber } from "#/src/model/numbers.ts";
import { connectRawSmtp, type RawSmtp, stuff } from "../support/clients/raw-smtp.ts";
import { type MailRooms, openMailRooms } from "./mail-rooms.ts";

let rooms: MailRooms;
beforeAll(async () => {
  rooms = await openMailRooms({ smtp: { maxMessageBytes: 100_000, maxRecipients: 5 } });
});
afterAll(async () => {
  await rooms[Symbol.asyncDispose]();
});

async function connect(greeting = "EHLO mx.outside.example"): Promise<RawSmtp> {
  const client = await connectRawSmtp({ port: rooms.ports.smtp });
  await client.command(greeting);
  return client;
}

const mail = "MAIL FROM:<alice@outside.example>";

/** Sends one message to some addresses; the reply to its data. */
async function deliver(
  client: RawSmtp,
  recipients: readonly string[],
  message: string,
  parameters = "",
): Promise<string> {
  expect(await client.command(`${mail}${parameters}`)).toMatch(/^250 2\.1\.0 /);
  for (const recipient of recipients)
    expect(await client.command(`RCPT TO:<${recipient}>`)).toMatch(/^250 2\.1\.5 /);
  expect(await client.command("DATA")).toMatch(/^354 /);
  return (await client.send(stuff(message)))[0]!;
}

test("announces its extensions, and no AUTH", async () => {
  await using client = await connectRawSmtp({ port: rooms.ports.smtp });
  expect((await client.command("EHLO mx.outside.example")).split("\n")).toEqual([
    "250-mx.waypost.example greets you",
    "250-PIPELINING",
    "250-8BITMIME",
    "250-SMTPUTF8",
    "250-ENHANCEDSTATUSCODES",
    "250-DSN",
    "250-CHUNKING",
    "250-SIZE 100000",
    "250 STARTTLS",
  ]);
  expect(await client.command("AUTH PLAIN AGEAYg==")).toMatch(/^502 5\.5\.1 /);
});

test("offers REQUIRETLS over TLS only, and delivers such mail to mailboxes here", async () => {
  await using client = await connect();
  expect(await client.command(`${mail} REQUIRETLS`)).toMatch(/^555 5\.5\.4 /);
  await client.command("STARTTLS");
  await client.secure();
  expect((await client.command("EHLO mx.outside.example")).split("\n")).toContain("250 REQUIRETLS");
  const to = ["robin@waypost.example"];
  expect(await deliver(client, to, "Subject: t\r\n\r\n", " REQUIRETLS")).toMatch(/^250 2\.6\.0 /);
});

test("stores the octets as they came, behind the trace", async () => {
  await using client = await connect();
  const message = "From: a@outside.example\r\nSubject: dots\r\n\r\n.one\r\n..two\r\n.\r\nn\xe4h \x00\r\n";
  expect(await deliver(client, ["robin@waypost.example"], message)).toMatch(
    /^250 2\.6\.0 Accepted as \w+-1$/,
  );
  const [stored] = await rooms.messages(rooms.agents.robin);
  const source = await rooms.source(stored!);
  expect(source.slice(-message.length)).toBe(message);
  expect(source.slice(0, -message.length)).toMatch(
    /^Return-Path: <alice@outside\.example>\r\nDelivered-To: robin@waypost\.example\r\nAuthentication-Results: mx\.waypost\.example;(?:\r\n\t[-a-z]+=\w+ [-.=\w]+;?)+\r\nReceived: from mx\.outside\.example \(\[127\.0\.0\.1\]\)\r\n\tby mx\.waypost\.example \(Waypost\) with ESMTP id \w+-1;\r\n\t[^\r]+ \+0000\r\n$/,
  );
  expect(stored).toMatchObject({
    subject: "dots",
    fromAddress: "a@outside.example",
    isAuthenticated: false,
    provenance: { source: "smtp", fromDomain: "outside.example" },
  });
});

test("gives each mailbox one copy, and all copies of an account one blob", async () => {
  await using client = await connect();
  const to = ["team@waypost.example", "robin+news@waypost.example", "kim@other.example", "any@other.example"];
  expect(await deliver(client, to, "Subject: shared\r\n\r\nhello\r\n")).toMatch(/^250 /);
  const copies = await Promise.all(
    [rooms.agents.robin, rooms.agents.alex, rooms.agents.kim].map(async (agent) =>
      (await rooms.messages(agent)).filter(({ subject }) => subject === "shared"),
    ),
  );
  expect(copies.map((copy) => copy.length)).toEqual([1, 1, 1]);
  const [robin, alex, kim] = copies.map(([copy]) => copy!);
  expect(robin!.blob).toBe(alex!.blob);
  expect(kim!.account).not.toBe(robin!.account);
  expect(await rooms.source(robin!)).toContain(
    "Delivered-To: team@waypost.example\r\nDelivered-To: robin+news@waypost.example\r\n",
  );
  expect(await rooms.source(alex!)).not.toContain("robin+news");
  expect(await rooms.source(kim!)).toContain(
    "Delivered-To: kim@other.example\r\nDelivered-To: any@other.example\r\n",
  );
});

test("takes the null reverse path", async () => {
  await using client = await connect();
  await client.command("MAIL FROM:<>");
  await client.command("RCPT TO:<robin@waypost.example>");
  await client.command("DATA");
  expect(await client.send(stuff("Subject: bounce\r\n\r\n"))).toEqual([expect.stringMatching(/^250 /)]);
  const [stored] = await rooms.messages(rooms.agents.robin);
  expect(await rooms.source(stored!)).toMatch(/^Return-Path: <>\r\n/);
});

const hasLoopback6 = networkInterfaces().lo?.some(({ address }) => address === "::1") ?? false;

const recipients: readonly (readonly [address: string, reply: RegExp])[] = [
  ["robin@waypost.example", /^250 2\.1\.5 /],
  ["ROBIN@WayPost.Example", /^250 2\.1\.5 /],
  ["robin+any.tag@waypost.example", /^250 2\.1\.5 /],
  ['"robin"@waypost.example', /^250 2\.1\.5 /],
  ["info@waypost.example", /^250 2\.1\.5 /],
  ["whoever@other.example", /^250 2\.1\.5 /],
  ["Postmaster", /^250 2\.1\.5 /],
  ["postmaster@waypost.example", /^250 2\.1\.5 /],
  ["postmaster@outside.example", /^550 5\.7\.1 /],
  ["abuse@waypost.example", /^250 2\.1\.5 /],
  ["ABUSE@Waypost.Example", /^250 2\.1\.5 /],
  ["abuse@outside.example", /^550 5\.7\.1 /],
  ["postmaster@MX.waypost.example", /^250 2\.1\.5 /],
  ["abuse@mx.waypost.example", /^250 2\.1\.5 /],
  ["robin@mx.waypost.example", /^550 5\.7\.1 /],
  ["postmaster@[127.0.0.1]", /^250 2\.1\.5 /],
  ["abuse@[127.0.0.1]", /^250 2\.1\.5 /],
  ["postmaster@[IPv6:0:0:0:0:0:0:0:1]", hasLoopback6 ? /^250 2\.1\.5 / : /^550 /],
  ["postmaster@[10.254.253.252]", /^550 5\.[17]\.1 /],
  ["Abuse", /^501 /],
  ["nobody@waypost.example", /^550 5\.1\.1 /],
  ["+tag@waypost.example", /^550 5\.1\.1 /],
  ["robin%outside.example@waypost.example", /^550 5\.1\.1 /],
  ["robin@[127.0.0.1]", /^550 5\.[17]\.1 /],
  ["robin@sub.waypost.example", /^550 5\.7\.1 /],
  ["robin@outside.example", /^550 5\.7\.1 /],
  [`${"l".repeat(65)}@waypost.example`, /^550 5\.1\.1 /],
  ["robin@waypost.example> NOTIFY=NEVER,SUCCESS <", /^501 5\.5\.4 /],
  ["gr\u00c3\u00bcn@waypost.example", /^553 5\.6\.7 /],
];

for (const [address, reply] of recipients)
  test(`answers a recipient ${address.slice(0, 40)} with ${reply.source.slice(1, 4)}`, async () => {
    await using client = await connect();
    await client.command(mail);
    expect(await client.command(`RCPT TO:<${address}>`)).toMatch(reply);
  });

for (const address of [
  "Postmaster",
  "postmaster@waypost.example",
  "abuse@waypost.example",
  "postmaster@[127.0.0.1]",
])
  test(`gives mail for ${address} to the first person of the account`, async () => {
    await using client = await connect();
    const subject = `to whom it may concern at ${address}`;
    expect(await deliver(client, [address], `Subject: ${subject}\r\n\r\n`)).toMatch(/^250 /);
    expect((await rooms.messages(rooms.agents.alex))[0]!.subject).toBe(subject);
  });

test("refuses recipients beyond the limit, and one that is named twice counts once", async () => {
  await using client = await connect();
  await client.command(mail);
  for (const name of ["robin", "alex", "info", "team", "robin", "robin+1"])
    expect(await client.command(`RCPT TO:<${name}@waypost.example>`)).toMatch(/^250 /);
  expect(await client.command("RCPT TO:<robin+2@waypost.example>")).toMatch(/^452 4\.5\.3 /);
  expect(await client.command("RCPT TO:<Robin+1@waypost.example>")).toMatch(/^250 /);
});

test("refuses mail for a full mailbox, by the announced size and by the received octets", async () => {
  await using client = await connect();
  await client.command(`${mail} SIZE=20000`);
  expect(await client.command("RCPT TO:<tiny@waypost.example>")).toMatch(/^452 4\.2\.2 /);
  expect(await client.command("RCPT TO:<robin@waypost.example>")).toMatch(/^250 /);
  await client.command("RSET");
  expect(await deliver(client, ["tiny@waypost.example"], `S: a\r\n\r\n${"x\r\n".repeat(4000)}`)).toMatch(
    /^250 /,
  );
  await client.command(mail);
  expect(await client.command("RCPT TO:<tiny@waypost.example>")).toMatch(/^452 4\.2\.2 /);
});

test("refuses a message whose announced size is beyond the limit", async () => {
  await using client = await connect();
  expect(await client.command(`${mail} SIZE=100001`)).toMatch(/^552 5\.3\.4 /);
  expect(await client.command(`${mail} SIZE=99999999999999999999`)).toMatch(/^552 5\.3\.4 /);
  expect(await client.command(`${mail} SIZE=100000`)).toMatch(/^250 /);
});

test("refuses a message beyond the limit after its data, and accepts the next command", async () => {
  await using client = await connect();
  expect(await deliver(client, ["robin@waypost.example"], `${"x".repeat(120_000)}\r\n`)).toMatch(
    /^552 5\.3\.4 /,
  );
  expect(await deliver(client, ["robin@waypost.example"], "Subject: after\r\n\r\n")).toMatch(/^250 /);
  expect((await rooms.messages(rooms.agents.robin))[0]!.subject).toBe("after");
});

test("refuses a message that has been through more than 50 servers", async () => {
  await using client = await connect();
  const hops = (count: number): string => `${"Received: by x\r\n".repeat(count)}\r\n`;
  expect(await deliver(client, ["robin@waypost.example"], hops(51))).toMatch(/^554 5\.4\.6 /);
  expect(await deliver(client, ["robin@waypost.example"], hops(50))).toMatch(/^250 /);
});

test("keeps the order of commands", async () => {
  await using client = await connectRawSmtp({ port: rooms.ports.smtp });
  expect(await client.command(mail)).toMatch(/^503 /);
  await client.command("EHLO a.example");
  expect(await client.command("RCPT TO:<robin@waypost.example>")).toMatch(/^503 5\.5\.1 /);
  expect(await client.command("DATA")).toMatch(/^503 5\.5\.1 /);
  expect(await client.command(mail)).toMatch(/^250 /);
  expect(await client.command(mail)).toMatch(/^503 5\.5\.1 /);
  expect(await client.command("DATA")).toMatch(/^503 5\.5\.1 /);
  await client.command("EHLO b.example");
  expect(await client.command("RCPT TO:<robin@waypost.example>")).toMatch(/^503 5\.5\.1 /);
});

test("refuses unsafe commands and EXPN, and answers VRFY with 252", async () => {
  await using client = await connect();
  for (const verb of ["WIZ x", "SHELL", "KILL", "XCLIENT ADDR=1.2.3.4", "XFORWARD ADDR=1.2.3.4", "TURN"])
    expect(await client.command(verb), verb).toMatch(/^500 5\.5\.2 /);
  expect(await client.command("EXPN staff")).toMatch(/^502 5\.5\.1 /);
  expect(await client.command("VRFY robin")).toMatch(/^252 /);
});

test("answers a pipelined transaction in order", async () => {
  await using client = await connect();
  const replies = await client.send(
    `${mail}\r\nRCPT TO:<robin@waypost.example>\r\nRCPT TO:<nobody@waypost.example>\r\nDATA\r\n`,
    4,
  );
  expect(replies.map((reply) => reply.slice(0, 3))).toEqual(["250", "250", "550", "354"]);
  const after = await client.send(`Subject: p\r\n\r\n\r\n.\r\n${mail}\r\nNOOP\r\nQUIT\r\n`, 4);
  expect(after.map((reply) => reply.slice(0, 3))).toEqual(["250", "250", "250", "221"]);
  expect(await client.reply()).toBe("closed");
});

test("names the protocol of the connection in the Received field", async () => {
  await using client = await connect("HELO [192.0.2.1]");
  await deliver(client, ["robin@waypost.example"], "Subject: helo\r\n\r\n");
  const [plain] = await rooms.messages(rooms.agents.robin);
  expect(await rooms.source(plain!)).toMatch(
    /from \[192\.0\.2\.1\] \(\[127\.0\.0\.1\]\)\r\n\tby \S+ \(Waypost\) with SMTP id/,
  );

  await using secured = await connect();
  expect(await secured.command("STARTTLS")).toMatch(/^220 /);
  await secured.secure();
  expect(await secured.command("EHLO <script>")).not.toContain("STARTTLS");
  await deliver(secured, ["robin@waypost.example"], "Subject: tls\r\n\r\n");
  const [encrypted] = await rooms.messages(rooms.agents.robin);
  expect(await rooms.source(encrypted!)).toMatch(
    /Received: from \[127\.0\.0\.1\] \(\[127\.0\.0\.1\]\)\r\n\tby \S+ \(Waypost\) with ESMTPS id/,
  );
});

test("takes UTF-8 addresses with SMTPUTF8", async () => {
  await using client = await connect();
  const sender = Buffer.from("MAIL FROM:<gr\u00fcn@outside.example> SMTPUTF8 BODY=8BITMIME\r\n");
  expect(await client.send(sender)).toEqual([expect.stringMatching(/^250 /)]);
  expect(await client.send(Buffer.from("RCPT TO:<gr\u00fcn@other.example>\r\n"))).toEqual([
    expect.stringMatching(/^250 /),
  ]);
  await client.command("DATA");
  expect(await client.send(stuff("Subject: utf8\r\n\r\n"))).toEqual([expect.stringMatching(/^250 /)]);
  const [stored] = await rooms.messages(rooms.agents.kim);
  const source = Buffer.from(await rooms.source(stored!), "latin1").toString("utf8");
  expect(source).toContain(
    "Return-Path: <gr\u00fcn@outside.example>\r\nDelivered-To: gr\u00fcn@other.example\r\n",
  );
  expect(source).toContain(" with UTF8SMTP id ");
});

test("takes mail for postmaster of an internationalised domain in both of its forms", async () => {
  const { account } = (await rooms.store.get<{ account: AccountNumber }>(
    "select account_id as account from domain where name = 'waypost.example'",
  ))!;
  const at = rooms.store.clock.now();
  await rooms.store.write(nobody, "createDomain", { name: "xn--bcher-kva.example", account, at });
  await using client = await connect();
  await client.command("MAIL FROM:<sender@outside.example> SMTPUTF8");
  for (const domain of ["XN--BCHER-KVA.example", "B\u00dcCHER.example"])
    expect(await client.send(Buffer.from(`RCPT TO:<Postmaster@${domain}>\r\n`))).toEqual([
      expect.stringMatching(/^250 /),
    ]);
});

test("keeps the notifications (DSN) that the client requested", async () => {
  await using client = await connect();
  await client.command(`${mail} RET=HDRS ENVID=QQ1`);
  await client.command("RCPT TO:<robin@waypost.example> NOTIFY=SUCCESS,DELAY ORCPT=rfc822;r@x.example");
  await client.command("DATA");
  await client.send(stuff("Subject: dsn\r\n\r\n"));
  const [stored] = await rooms.messages(rooms.agents.robin);
  expect(stored!.provenance).toMatchObject({
    dsn: {
      ret: "HDRS",
      envid: "QQ1",
      recipients: [
        { address: "robin@waypost.example", notify: ["SUCCESS", "DELAY"], orcpt: "rfc822;r@x.example" },
      ],
    },
  });
});
