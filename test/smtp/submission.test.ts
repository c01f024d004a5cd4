import nodemailer from "nodemailer";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { nobody } from "#/src/model/author.ts";
import { connectRawSmtp, type RawSmtp, stuff } from "../support/clients/raw-smtp.ts";
import { type MailRooms, openMailRooms, password } from "./mail-rooms.ts";

let rooms: MailRooms;
beforeAll(async () => {
  rooms = await openMailRooms();
});
afterAll(async () => {
  await rooms[Symbol.asyncDispose]();
});

const robin = "robin@waypost.example";

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

async function login(user = robin): Promise<RawSmtp> {
  const client = await connectRawSmtp({ port: rooms.ports.submissions, isTls: true });
  await client.command("EHLO laptop");
  expect(await client.command(`AUTH PLAIN ${base64(`\0${user}\0${password}`)}`)).toMatch(/^235 2\.7\.0 /);
  return client;
}

async function submit(client: RawSmtp, message: string, to = "alex@waypost.example"): Promise<string> {
  expect(await client.command(`MAIL FROM:<${robin}>`)).toMatch(/^250 /);
  expect(await client.command(`RCPT TO:<${to}>`)).toMatch(/^250 /);
  await client.command("DATA");
  return (await client.send(stuff(message)))[0]!;
}

test("requires a login", async () => {
  await using client = await connectRawSmtp({ port: rooms.ports.submission });
  expect(await client.command("EHLO laptop")).toContain("\n250 AUTH PLAIN LOGIN");
  expect(await client.command(`MAIL FROM:<${robin}>`)).toMatch(/^530 5\.7\.0 /);
});

test("gives a minute to log in, whatever is said meanwhile", async () => {
  const timers = vi.spyOn(globalThis, "setTimeout");
  await using client = await connectRawSmtp({ port: rooms.ports.submission });
  const [end, , ...given] = timers.mock.calls.find(([, ms]) => ms === 60_000)!;
  timers.mockRestore();
  expect(await client.command("EHLO laptop")).toMatch(/^250/);
  end(...given);
  expect(await client.reply()).toMatch(/^421 4\.4\.2 The login took too long/);
});

test("takes AUTH PLAIN and LOGIN, at once and step by step", async () => {
  const plain = base64(`\0${robin}\0${password}`);
  const conversations: readonly (readonly (readonly [line: string, reply: RegExp])[])[] = [
    [[`AUTH PLAIN ${plain}`, /^235 /]],
    [
      ["AUTH PLAIN", /^334 /],
      [plain, /^235 /],
    ],
    [
      ["AUTH LOGIN", /^334 /],
      [base64(robin), /^334 /],
      [base64(password), /^235 /],
    ],
    [
      [`AUTH LOGIN ${base64(robin)}`, /^334 /],
      [base64(password), /^235 /],
    ],
    [
      ["AUTH PLAIN", /^334 /],
      ["*", /^501 /],
    ],
    [
      ["AUTH LOGIN", /^334 /],
      ["*", /^501 /],
      [`AUTH LOGIN ${base64(robin)}`, /^334 /],
      ["*", /^501 /],
      [`AUTH PLAIN ${plain}`, /^235 /],
      [`AUTH PLAIN ${plain}`, /^503 /],
    ],
    [
      ["AUTH PLAIN =", /^501 /],
      ["AUTH PLAIN !!!", /^501 /],
      ["AUTH", /^504 /],
    ],
    [["AUTH CRAM-MD5", /^504 /]],
    // An alias is as good as the address itself, unless it leads to several.
    [[`AUTH PLAIN ${base64(`\0info@waypost.example\0${password}`)}`, /^235 /]],
    [[`AUTH PLAIN ${base64(`\0team@waypost.example\0${password}`)}`, /^535 5\.7\.8 /]],
    [[`AUTH PLAIN ${base64(`alex@waypost.example\0${robin}\0${password}`)}`, /^535 5\.7\.8 /]],
    [[`AUTH PLAIN ${base64(`\0${robin}\0wrong`)}`, /^535 5\.7\.8 /]],
    [[`AUTH PLAIN ${base64(`\0nobody@waypost.example\0wrong`)}`, /^535 5\.7\.8 /]],
  ];
  for (const conversation of conversations) {
    await using client = await connectRawSmtp({ port: rooms.ports.submissions, isTls: true });
    await client.command("EHLO laptop");
    for (const [line, reply] of conversation) expect(await client.command(line), line).toMatch(reply);
  }
});

test("takes a token as password", async () => {
  const { hashToken } = await import("#/src/accounts/secrets.ts");
  const token = `wp_${"a".repeat(32)}`;
  await rooms.store.write(nobody, "createToken", {
    agent: rooms.agents.robin,
    name: "smtp",
    hash: hashToken(token),
    scopes: ["mail"],
    expiresAt: null,
    at: rooms.store.clock.now(),
  });
  await using client = await connectRawSmtp({ port: rooms.ports.submissions, isTls: true });
  await client.command("EHLO laptop");
  const reply = await client.command(`AUTH PLAIN ${base64(`\0${robin}\0${token}`)}`);
  // Whether the text has the shape of a token is for the accounts to say; a login without `send` may not send.
  if (reply.startsWith("235")) expect(await client.command(`MAIL FROM:<${robin}>`)).toMatch(/^550 5\.7\.1 /);
  else expect(reply).toMatch(/^535 /);
});

test("closes after five failed logins, and delays further ones", async () => {
  await using client = await connectRawSmtp({ port: rooms.ports.submissions, isTls: true });
  await client.command("EHLO laptop");
  const replies: string[] = [];
  for (let count = 0; count < 5; count++)
    replies.push(await client.command(`AUTH PLAIN ${base64("\0tiny@waypost.example\0wrong")}`));
  expect(replies.slice(0, 4).every((reply) => /^(?:535 5\.7\.8|454 4\.7\.0) /.test(reply))).toBe(true);
  expect(replies[4]).toMatch(/^421 /);
  await using next = await connectRawSmtp({ port: rooms.ports.submissions, isTls: true });
  await next.command("EHLO laptop");
  expect(await next.command(`AUTH PLAIN ${base64("\0tiny@waypost.example\0wrong")}`)).toMatch(
    /^454 4\.7\.0 /,
  );
});

test("accepts only senders of the login", async () => {
  await using client = await login();
  for (const sender of ["alex@waypost.example", "kim@other.example", "robin@outside.example"])
    expect(await client.command(`MAIL FROM:<${sender}>`), sender).toMatch(/^553 5\.7\.1 /);
  for (const sender of [robin, "info@waypost.example", "robin+tag@waypost.example", ""]) {
    expect(await client.command(`MAIL FROM:<${sender}>`), sender).toMatch(/^250 /);
    await client.command("RSET");
  }
});

const forged: readonly string[] = [
  "From: alex@waypost.example",
  "From: Robin <alex@waypost.example>",
  "From: robin@waypost.example, alex@waypost.example",
  "From: robin@waypost.example\r\nFrom: alex@waypost.example",
  "Subject: no sender",
  "From: undisclosed:;",
  "From: robin@waypost.example\r\nFrom : alex@waypost.example",
  "From: robin@waypost.example\r\nFROM\t:\r\n alex@waypost.example",
  "From: robin@waypost.example\r\n <alex@waypost.example>",
  "From: robin@waypost.example\r\nSender: alex@waypost.example",
  "From: robin@waypost.example\r\nSender: robin@waypost.example\r\nSender: alex@waypost.example",
  "From: robin@waypost.example\r\nResent-From: alex@waypost.example",
  "From: robin@waypost.example\r\nResent-Sender: alex@waypost.example",
];
for (const header of forged)
  test(`refuses ${JSON.stringify(header)}`, async () => {
    await using client = await login();
    expect(await submit(client, `${header}\r\nSubject: forged\r\n\r\n`)).toMatch(/^553 5\.7\.1 /);
  });

test("takes a Sender of one's own beside From", async () => {
  await using client = await login();
  const message = `From: info@waypost.example\r\nSender: ${robin}\r\nResent-From: ${robin}\r\n\r\n`;
  expect(await submit(client, message)).toMatch(/^250 /);
});

test("refuses a header in which a second From could hide", async () => {
  await using client = await login();
  const filler = `X-Filler: ${"x".repeat(900)}\r\n`.repeat(300);
  const message = `From: ${robin}\r\n${filler}From: alex@waypost.example\r\n\r\n`;
  expect(await submit(client, message)).toMatch(/^552 5\.3\.4 /);
});

test("refuses mail to other servers at once if it cannot be sent", async () => {
  await using client = await login();
  await client.command(`MAIL FROM:<${robin}>`);
  expect(await client.command("RCPT TO:<a@outside.example>")).toMatch(
    /^550 5\.7\.1 waypost\.example is a domain that other servers cannot look up/,
  );
});

test("marks the message as authenticated, and keeps its submission in the provenance", async () => {
  await using client = await login();
  const message = `From: Robin <${robin}>\r\nDate: Sat, 21 Nov 2026 07:00:00 +0000\r\nMessage-ID: <1@x>\r\n\r\nhi\r\n`;
  expect(await submit(client, message)).toMatch(/^250 /);
  await rooms.deliverQueued();
  const [stored] = await rooms.messages(rooms.agents.alex);
  expect(stored).toMatchObject({
    isAuthenticated: true,
    provenance: { source: "submission", fromDomain: "waypost.example" },
  });
  const source = await rooms.source(stored!);
  expect(source.endsWith(message)).toBe(true);
  expect(source).toContain(" with ESMTPSA id ");
  expect(source.match(/^Date: /gm)).toHaveLength(1);
});

test("puts a missing Date and Message-ID in front, and takes Bcc out", async () => {
  await using client = await login();
  const head = `From: ${robin}\r\nTo: alex@waypost.example\r\n`;
  const tail = "Subject: bare\r\n\r\nBcc: in the body\r\n";
  expect(await submit(client, `${head}Bcc: kim@other.example,\r\n tiny@waypost.example\r\n${tail}`)).toMatch(
    /^250 /,
  );
  await rooms.deliverQueued();
  const [stored] = await rooms.messages(rooms.agents.alex);
  const source = await rooms.source(stored!);
  expect(source.endsWith(`${head}${tail}`)).toBe(true);
  expect(source).toMatch(/\r\nDate: [^\r]+ \+0000\r\nMessage-ID: <[-\w]+@waypost\.example>\r\nFrom: /);
  expect(stored!.envelope).toMatch(/"<[-\w]+@waypost\.example>"\)$/);
  expect(stored!.sentAt).not.toBe(null);
});

test("refuses further mail of a revoked login", async () => {
  await using client = await login("alex@waypost.example");
  const row = await rooms.store.get<{ password: number }>(
    "select password_id as password from app_password where agent_id = ?",
    rooms.agents.alex,
  );
  await rooms.store.write(nobody, "revokePassword", { password: row!.password, at: rooms.store.clock.now() });
  expect(await client.command("MAIL FROM:<alex@waypost.example>")).toMatch(/^5\d\d 5\.7\./);
});

test("refuses mail of a paused agent, also over a login from before the pause", async () => {
  await using earlier = await login("kim@other.example");
  await rooms.store.write(nobody, "setAgentState", {
    agent: rooms.agents.kim,
    state: "paused",
    by: "operator",
    at: 0,
  });
  expect(await earlier.command("MAIL FROM:<kim@other.example>")).toMatch(/^450 4\.2\.1 /);
  await using client = await login("kim@other.example");
  expect(await client.command("MAIL FROM:<kim@other.example>")).toMatch(/^450 4\.2\.1 /);
});

test("serves nodemailer on both submission ports", async () => {
  for (const [port, secure] of [
    [rooms.ports.submission, false],
    [rooms.ports.submissions, true],
  ] as const) {
    const transport = nodemailer.createTransport({
      host: "127.0.0.1",
      port,
      secure,
      requireTLS: !secure,
      auth: { user: robin, pass: password },
      tls: { rejectUnauthorized: false },
    });
    const sent = await transport.sendMail({
      from: robin,
      to: ["alex@waypost.example", "tiny@waypost.example"],
      subject: `over ${port}`,
      text: ".dots\n..and lines\n",
      attachments: [{ filename: "a.bin", content: Buffer.alloc(2000, 7) }],
    });
    expect(sent.accepted).toHaveLength(2);
    await rooms.deliverQueued();
    expect((await rooms.messages(rooms.agents.alex))[0]!.subject).toBe(`over ${port}`);
    transport.close();
  }
});
