import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectRawSmtp, type RawSmtp } from "../support/clients/raw-smtp.ts";
import { type MailRooms, openMailRooms } from "./mail-rooms.ts";

let rooms: MailRooms;
beforeAll(async () => {
  rooms = await openMailRooms({ smtp: { maxMessageBytes: 1_000_000, idleTimeoutMs: 60_000 } });
});
afterAll(async () => {
  await rooms[Symbol.asyncDispose]();
});

async function atData(): Promise<RawSmtp> {
  const client = await connectRawSmtp({ port: rooms.ports.smtp });
  await client.command("EHLO mx.outside.example");
  await client.command("MAIL FROM:<alice@outside.example>");
  await client.command("RCPT TO:<robin@waypost.example>");
  expect(await client.command("DATA")).toMatch(/^354 /);
  return client;
}

/** Ends of data that some servers take for one, after which a second message is smuggled in. */
const smuggles: readonly string[] = [
  "\n.\n",
  "\n.\r\n",
  "\n\n.\r\n",
  "\r.\r",
  "\r\n.\r",
  "\r\n.\n",
  "\r.\r\n",
  "\r\n\0.\r\n",
  "\r\n.\0\r\n",
  "\r\n\t.\r\n",
];
const smuggled =
  "MAIL FROM:<evil@outside.example>\r\nRCPT TO:<robin@waypost.example>\r\nDATA\r\nSubject: smuggled\r\n\r\n.\r\n";

for (const end of smuggles)
  test(`does not take ${JSON.stringify(end)} for the end of data`, async () => {
    await using client = await atData();
    const [reply] = await client.send(`Subject: cover\r\n\r\ntext${end}${smuggled}`);
    const isBare = /\r(?!\n)|(?<!\r)\n/.test(end);
    expect(reply).toMatch(isBare ? /^550 5\.6\.11 / : /^250 /);
    // Whatever the message was, nothing of it is a command.
    expect(await client.command("NOOP")).toBe("250 2.0.0 OK");
    const messages = await rooms.messages(rooms.agents.robin);
    expect(messages.filter(({ subject }) => subject === "smuggled")).toEqual([]);
  });

test("refuses a bare line end that comes late in a long message, at its end", async () => {
  await using client = await atData();
  const [reply] = await client.send(`Subject: x\r\n\r\n${"line\r\n".repeat(50_000)}bare\nline\r\n.\r\n`);
  expect(reply).toMatch(/^550 5\.6\.11 /);
});

test("takes lines of any length and NULs as they are", async () => {
  await using client = await atData();
  const message = `Subject: long\r\n\r\n${"l".repeat(200_000)}\0\0\r\n`;
  expect(await client.send(`${message}.\r\n`)).toEqual([expect.stringMatching(/^250 /)]);
  const [stored] = await rooms.messages(rooms.agents.robin);
  expect((await rooms.source(stored!)).endsWith(message)).toBe(true);
});

test("forgets a message whose sender hangs up in the middle", async () => {
  const before = (await rooms.messages(rooms.agents.robin)).length;
  const half = await atData();
  half.destroy();
  await using client = await atData();
  const other = await atData();
  await other.send(`Subject: half\r\n\r\n${"x".repeat(100_000)}`, 0);
  other.destroy();
  expect(await client.send("Subject: whole\r\n\r\n.\r\n")).toEqual([expect.stringMatching(/^250 /)]);
  const after = await rooms.messages(rooms.agents.robin);
  expect(after.length).toBe(before + 1);
  expect(after[0]!.subject).toBe("whole");
});

test("carries out nothing that was sent in the clear behind STARTTLS", async () => {
  await using client = await connectRawSmtp({ port: rooms.ports.smtp });
  await client.command("EHLO mx.outside.example");
  await client.command("MAIL FROM:<alice@outside.example>");
  const [reply] = await client.send("STARTTLS\r\nEHLO injected\r\nMAIL FROM:<evil@outside.example>\r\n");
  expect(reply).toMatch(/^220 /);
  // The octets ahead of the handshake break it, or are thrown away: either way they are not commands.
  const isSecure = await client.secure().then(
    () => true,
    () => false,
  );
  if (isSecure) expect(await client.command("NOOP")).toMatch(/^250 /);
});

test("forgets the transaction and the name at STARTTLS", async () => {
  await using client = await connectRawSmtp({ port: rooms.ports.smtp });
  await client.command("EHLO mx.outside.example");
  await client.command("MAIL FROM:<alice@outside.example>");
  await client.command("STARTTLS");
  await client.secure();
  expect(await client.command("RCPT TO:<robin@waypost.example>")).toMatch(/^503 /);
  expect(await client.command("MAIL FROM:<alice@outside.example>")).toMatch(/^503 /);
});

test("closes the connection on a command line without an end", async () => {
  await using client = await connectRawSmtp({ port: rooms.ports.smtp });
  expect(await client.send("x".repeat(70_000))).toEqual([expect.stringMatching(/^421 5\.5\.6 /)]);
  expect(await client.reply()).toBe("closed");
});

test("closes the connection of a client that speaks before the greeting, and of a browser", async () => {
  await using early = await connectRawSmtp({ port: rooms.ports.smtp, isGreeted: false });
  expect(await early.send("EHLO x\r\n")).toEqual([expect.stringMatching(/^421 /)]);
  await using browser = await connectRawSmtp({ port: rooms.ports.smtp });
  expect(await browser.command("POST / HTTP/1.1")).toMatch(/^421 /);
});

test("closes the connection after many refused recipients", async () => {
  await using client = await connectRawSmtp({ port: rooms.ports.smtp });
  await client.command("EHLO mx.outside.example");
  await client.command("MAIL FROM:<alice@outside.example>");
  const guesses = Array.from({ length: 100 }, (_, index) => `RCPT TO:<guess${index}@waypost.example>\r\n`);
  const replies = await client.send(guesses.join(""), 100);
  expect(replies.at(-2)).toMatch(/^550 /);
  expect(replies.at(-1)).toMatch(/^421 4\.7\.0 /);
  expect(await client.reply()).toBe("closed");
});

test("closes the connection after too many commands", async () => {
  await using client = await connectRawSmtp({ port: rooms.ports.smtp });
  const replies = await client.send("NOOP\r\n".repeat(1200), 1101);
  expect(replies.at(-1)).toMatch(/^421 4\.7\.0 /);
});

test("survives octets at random on every port, before, in and after a handshake", async () => {
  let seed = 1;
  const random = (limit: number): number => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed % limit;
  };
  const words = [
    "EHLO x",
    "MAIL FROM:<>",
    "RCPT TO:<robin@waypost.example>",
    "DATA",
    "\r\n.",
    "AUTH LOGIN",
    "RSET",
    "*",
  ];
  const garbage = (): Buffer =>
    Buffer.concat(
      Array.from({ length: random(20) }, () =>
        random(2) === 0
          ? Buffer.from(`${words[random(words.length)]}\r\n`)
          : Buffer.from(Array.from({ length: random(60) }, () => random(256))),
      ),
    );
  for (let round = 0; round < 60; round++) {
    const name = (["smtp", "submission", "submissions"] as const)[round % 3]!;
    const isTls = name === "submissions" && random(2) === 0;
    const client = await connectRawSmtp({ port: rooms.ports[name], isTls, isGreeted: false });
    if (random(4) > 0 && (isTls || name !== "submissions")) await client.reply();
    if (name !== "submissions" && random(3) === 0) {
      await client.send("STARTTLS\r\n");
      if (random(2) === 0) await client.secure().catch(() => {});
    }
    await client.send(garbage(), 0);
    if (random(2) === 0) await client.send(garbage(), 0);
    if (random(3) === 0) await client.send("\r\n.\r\nQUIT\r\n");
    client.destroy();
  }
  await using client = await connectRawSmtp({ port: rooms.ports.smtp });
  expect(await client.command("NOOP")).toMatch(/^250 /);
});

const corpus = process.env.WAYPOST_CORPUS ?? path.join(import.meta.dirname, "../../../shared/corpus");

describe.runIf(existsSync(corpus))("the attack corpus", () => {
  const folder = path.join(corpus, "attack");
  const names = (kind: string): string[] => {
    const directory = path.join(folder, kind);
    return existsSync(directory) ? readdirSync(directory).filter((name) => name.endsWith(".bin")) : [];
  };

  for (const name of names("smtp-smuggling"))
    test(`accepts at most one message of ${name}`, async () => {
      await using client = await atData();
      const octets = readFileSync(path.join(folder, "smtp-smuggling", name));
      // Those that never end get their end here; what is behind it is answered as commands.
      const [reply] = await client.send(Buffer.concat([octets, Buffer.from("\r\n.\r\n")]));
      expect(reply).toMatch(/^(?:250|550) /);
      const messages = await rooms.messages(rooms.agents.robin);
      expect(messages.filter(({ subject }) => subject === "smuggled")).toEqual([]);
    });

  test("undoes dot-stuffing as the corpus has it", async () => {
    await using client = await atData();
    const octets = readFileSync(path.join(folder, "smtp", "dot-stuffing.bin"));
    const expected = JSON.parse(
      readFileSync(path.join(folder, "smtp", "dot-stuffing.bin.expect.json"), "utf8"),
    );
    expect(await client.send(octets)).toEqual([expect.stringMatching(/^250 /)]);
    const [stored] = await rooms.messages(rooms.agents.robin);
    expect((await rooms.source(stored!)).endsWith(expected.expect.body)).toBe(true);
  });

  test("relays no mail for any line of the path syntax corpus, and survives all of them", async () => {
    const lines = readFileSync(path.join(folder, "smtp", "path-syntax.txt"), "utf8").split(/\r?\n/);
    for (const line of lines.filter((text) => text !== "")) {
      await using client = await connectRawSmtp({ port: rooms.ports.smtp });
      await client.command("EHLO mx.outside.example");
      if (line.startsWith("RCPT")) await client.command("MAIL FROM:<alice@outside.example>");
      const reply = await client.command(line);
      expect(reply, line).toMatch(/^[25]\d\d[ -]/);
      if (/^RCPT TO:<[^>]*@(?!waypost\.example>)/.test(line)) expect(reply, line).toMatch(/^5/);
    }
  });
});
