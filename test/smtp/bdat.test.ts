/** CHUNKING (RFC 3030): a message in chunks whose size the client states. The rules of DATA apply: 250 after the commit, bare line ends,
 *  size, memory, time. No octet of a message is read as a command, however the network splits the packets. */
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { BdatReader, parseBdat } from "#/protocols/smtp/bdat-reader.ts";
import { commandsMax, dataTimeoutMs, drainBytesMax, uncountedChunkBytes } from "#/protocols/smtp/limits.ts";
import { MailStream } from "#/protocols/smtp/mail-stream.ts";
import { createFairness, type Fairness } from "#/src/fairness/fairness.ts";
import { shares } from "#/src/fairness/shares.ts";
import { connectRawSmtp, type RawSmtp, stuff } from "../support/clients/raw-smtp.ts";
import { type MailRooms, openMailRooms } from "./mail-rooms.ts";

let rooms: MailRooms;
let fairness: Fairness;
beforeAll(async () => {
  fairness = createFairness();
  rooms = await openMailRooms({ fairness, smtp: { maxMessageBytes: 100_000, idleTimeoutMs: 60_000 } });
});
afterAll(() => rooms[Symbol.asyncDispose]());

const hello = "EHLO mx.outside.example\r\n";
const envelope = "MAIL FROM:<alice@outside.example>\r\nRCPT TO:<robin@waypost.example>\r\n";
const heldBytes = () => fairness.gate("receiving").taken;

async function atMessage(): Promise<RawSmtp> {
  const client = await connectRawSmtp({ port: rooms.ports.smtp });
  await client.send(`${hello}${envelope}`, 3);
  return client;
}

/** The latest message of Robin, without its trace. */
async function latest(): Promise<string> {
  const [message] = await rooms.messages(rooms.agents.robin);
  const source = await rooms.source(message!);
  return source
    .slice(/Received: [^\r]+\r\n(?:\t[^\r]+\r\n)+/.exec(source)!.index)
    .replace(/^Received: [^\r]+\r\n(?:\t[^\r]+\r\n)+/, "");
}

const chunk = (octets: string, last = ""): string => `BDAT ${octets.length}${last}\r\n${octets}`;

describe("a message", () => {
  const message = "Subject: chunks\r\n\r\n.one\r\n..two\r\n.\r\nMAIL FROM:<x@y>\r\nn\xe4h \x00\r\n";
  test.each<[string, string, number]>([
    ["in one chunk", chunk(message, " LAST"), 1],
    ["in two", chunk(message.slice(0, 25)) + chunk(message.slice(25), " last"), 2],
    [
      "in chunks of an octet",
      [...message].map((octet) => chunk(octet)).join("") + chunk("", " LAST"),
      message.length + 1,
    ],
    ["cut between CR and LF", chunk(message.slice(0, 16)) + chunk(message.slice(16), " LAST"), 2],
    ["whose last chunk is empty", chunk(message) + chunk("", " LAST"), 2],
  ])("%s is stored as it is, and what follows is commands", async (_, sent, count) => {
    await using client = await atMessage();
    const replies = await client.send(`${sent}NOOP\r\n`, count + 1);
    for (const reply of replies.slice(0, -2)) expect(reply).toMatch(/^250 2\.0\.0 \d+ octets received$/);
    expect(replies.slice(-2)).toEqual([expect.stringMatching(/^250 2\.6\.0 Accepted as /), "250 2.0.0 OK"]);
    expect(await latest()).toBe(message);
    expect(heldBytes()).toBe(0);
  });

  test("without a line end at its end is stored without it, and an empty one is treated as after DATA", async () => {
    await using client = await atMessage();
    expect(await client.send(chunk("Subject: open\r\n\r\nend", " LAST"))).toEqual([
      expect.stringMatching(/^250 /),
    ]);
    expect(await latest()).toBe("Subject: open\r\n\r\nend");
    const [byData] = await client.send(`${envelope}DATA\r\n.\r\n`, 4).then((replies) => replies.slice(-1));
    const [byChunk] = await client
      .send(`${envelope}${chunk("", " LAST")}`, 3)
      .then((replies) => replies.slice(-1));
    expect(byChunk!.slice(0, 9)).toBe(byData!.slice(0, 9));
  });

  test("gets 250 after the commit", async () => {
    await using client = await atMessage();
    const order: string[] = [];
    const stop = rooms.store.onCommit(() => order.push("commit"));
    await client.send(chunk("Subject: x\r\n\r\n", " LAST"));
    order.push("reply");
    if (typeof stop === "function") stop();
    expect(order).toEqual(["commit", "reply"]);
  });

  test("comes in one packet with its envelope, and the next one by DATA behind it", async () => {
    await using client = await connectRawSmtp({ port: rooms.ports.smtp });
    const first = `${envelope}${chunk("Subject: first\r\n\r\n", " LAST")}`;
    const replies = await client.send(`${hello}${first}${envelope}DATA\r\n`, 7);
    expect(replies.map((reply) => reply.slice(0, 3))).toEqual([
      "250",
      "250",
      "250",
      "250",
      "250",
      "250",
      "354",
    ]);
    expect(await client.send(stuff("Subject: second\r\n\r\n"))).toEqual([expect.stringMatching(/^250 /)]);
    const subjects = (await rooms.messages(rooms.agents.robin)).slice(0, 2).map(({ subject }) => subject);
    expect(subjects).toEqual(["second", "first"]);
  });

  test("may have more chunks than the limit of commands, if they are not tiny", async () => {
    await using wide = await openMailRooms({ smtp: { maxMessageBytes: 2_000_000 } });
    await using client = await connectRawSmtp({ port: wide.ports.smtp });
    await client.send(`${hello}${envelope}`, 3);
    const count = commandsMax + 200;
    const piece = chunk(`${"x".repeat(uncountedChunkBytes - 2)}\r\n`);
    const replies = await client.send(piece.repeat(count) + chunk("", " LAST"), count + 1);
    expect(replies.at(-1)).toMatch(/^250 2\.6\.0 /);
  });
});

describe("is refused, and none of its octets is read as a command:", () => {
  const smuggled = "\r\n.\r\nMAIL FROM:<evil@outside.example>\r\nRCPT TO:<robin@waypost.example>\r\n";
  test.each<[string, string, readonly RegExp[]]>([
    ["a line end of LF alone", chunk(`Subject: a\n.\n${smuggled}`, " LAST"), [/^550 5\.6\.11 /]],
    ["one of CR alone", chunk(`Subject: a\r.\r${smuggled}`, " LAST"), [/^550 5\.6\.11 /]],
    ["a CR at the end of all", chunk("Subject: a\r\n\r", " LAST"), [/^550 5\.6\.11 /]],
    [
      "a CR and an LF with an octet between, in chunks",
      chunk("a\r") + chunk("b\n", " LAST"),
      [/^250 /, /^550 5\.6\.11 /],
    ],
    [
      "the rest of a refused message",
      chunk("a\nb") + chunk(smuggled) + chunk("", " LAST"),
      [/^550 5\.6\.11 /, /^503 5\.5\.1 /, /^503 5\.5\.1 /],
    ],
    ["a chunk above the limit", chunk("x".repeat(100_001), " LAST"), [/^552 5\.3\.4 /]],
    [
      "chunks above the limit together",
      chunk("x".repeat(90_000)) + chunk("x".repeat(10_001)) + chunk(smuggled, " LAST"),
      [/^250 /, /^552 5\.3\.4 /, /^503 /],
    ],
    ["DATA among chunks", `${chunk("Subject: a\r\n")}DATA\r\nRSET\r\n`, [/^250 /, /^503 5\.5\.1 /, /^250 /]],
    [
      "a recipient among chunks",
      `${chunk("Subject: a\r\n")}RCPT TO:<kim@other.example>\r\nRSET\r\n`,
      [/^250 /, /^503 5\.5\.1 /, /^250 /],
    ],
    [
      "a sender among chunks",
      `${chunk("Subject: a\r\n")}MAIL FROM:<>\r\nRSET\r\n`,
      [/^250 /, /^503 5\.5\.1 /, /^250 /],
    ],
    [
      "what comes behind RSET",
      `${chunk("Subject: a\r\n")}RSET\r\n${chunk(smuggled, " LAST")}`,
      [/^250 /, /^250 /, /^503 /],
    ],
    [
      "what comes behind EHLO",
      `${chunk("Subject: a\r\n")}${hello}${chunk(smuggled, " LAST")}`,
      [/^250 /, /^250-/, /^503 /],
    ],
  ])("%s", async (_, sent, expected) => {
    const before = (await rooms.messages(rooms.agents.robin)).length;
    await using client = await atMessage();
    const replies = await client.send(`${sent}NOOP\r\n`, expected.length + 1);
    for (const [at, reply] of expected.entries()) expect(replies[at]).toMatch(reply);
    expect(replies.at(-1)).toBe("250 2.0.0 OK");
    expect(await rooms.messages(rooms.agents.robin)).toHaveLength(before);
    expect(heldBytes()).toBe(0);
    // The connection takes the next message.
    const [next] = await client
      .send(`${envelope}${chunk("Subject: next\r\n\r\n", " LAST")}`, 3)
      .then((all) => all.slice(-1));
    expect(next).toMatch(/^250 2\.6\.0 /);
  });

  test("a chunk without an envelope, or without an accepted recipient", async () => {
    await using client = await connectRawSmtp({ port: rooms.ports.smtp });
    const rcpt = "RCPT TO:<nobody@waypost.example>\r\n";
    const replies = await client.send(
      `${hello}${chunk(smuggled)}MAIL FROM:<a@outside.example>\r\n${rcpt}${chunk(smuggled, " LAST")}RSET\r\n`,
      6,
    );
    expect(replies.map((reply) => reply.slice(0, 3))).toEqual(["250", "503", "250", "550", "503", "250"]);
  });
});

describe("a connection ends", () => {
  test.each([
    "BDAT\r\n",
    "BDAT x\r\n",
    "BDAT -1\r\n",
    "BDAT 1.5\r\n",
    "BDAT 0x10\r\n",
    "BDAT 5 FIRST\r\n",
    "BDAT 5 LAST x\r\n",
    "BDAT 123456789012345678901\r\n",
  ])("at %j, because the next command cannot be found", async (line) => {
    await using client = await atMessage();
    expect(await client.send(`${line}NOOP\r\n`)).toEqual([expect.stringMatching(/^421 5\.5\.4 /)]);
    expect(await client.reply()).toBe("closed");
  });

  test("at tiny chunks without end", async () => {
    await using client = await atMessage();
    let [reply] = await client.send("BDAT 1\r\nx".repeat(commandsMax + 200));
    while (reply!.startsWith("250 2.0.0 1 octets")) reply = await client.reply();
    expect(reply).toMatch(/^421 4\.7\.0 /);
    expect(await client.reply()).toBe("closed");
    while (heldBytes() > 0) await new Promise((resolve) => setImmediate(resolve));
  });

  test("when its memory is needed for other connections, also between two chunks", async () => {
    const scarce = createFairness();
    scarce.gate("receiving", { total: 132_000, share: 132_000 });
    await using few = await openMailRooms({
      fairness: scarce,
      nameNetwork: ({ remotePort }) => `port ${remotePort}`,
    });
    await using greedy = await connectRawSmtp({ port: few.ports.smtp });
    await greedy.send(`${hello}${envelope}${chunk("y\r\n".repeat(33_000))}`, 4);
    await using modest = await connectRawSmtp({ port: few.ports.smtp });
    const replies = await modest.send(`${hello}${envelope}${chunk("text\r\n".repeat(1000), " LAST")}`, 4);
    expect(replies.at(-1)).toMatch(/^250 2\.6\.0 /);
    expect(await greedy.reply()).toMatch(/^421 4\.3\.1 /);
  });

  test.each([
    [
      "when its octets come below the least rate, also between two chunks",
      "Subject: slow\r\n",
      shares.receiving.minimumRate.graceMs + 60_000,
      "arrives too slowly",
    ],
    [
      "at the deadline of a message, which begins with its first chunk",
      "",
      dataTimeoutMs,
      "took too long to arrive",
    ],
  ])("%s", async (_, octets, ms, words) => {
    await using client = await atMessage();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    try {
      expect(await client.send(chunk(octets))).toEqual([expect.stringMatching(/^250 2\.0\.0 /)]);
      vi.advanceTimersByTime(ms);
    } finally {
      vi.useRealTimers();
    }
    expect(await client.reply()).toMatch(new RegExp(`^421 4\\.4\\.2 The message ${words}`));
    expect(await client.reply()).toBe("closed");
    expect(heldBytes()).toBe(0);
  });

  test("in the middle of a chunk, and the memory is released", async () => {
    const client = await atMessage();
    await client.send(`${chunk("Subject: half\r\n")}BDAT 50000\r\n${"x".repeat(20_000)}`);
    while (heldBytes() < 20_000) await new Promise((resolve) => setImmediate(resolve));
    client.destroy();
    while (heldBytes() > 0) await new Promise((resolve) => setImmediate(resolve));
    expect((await rooms.messages(rooms.agents.robin)).map(({ subject }) => subject)).not.toContain("half");
  });
});

test("keeps no octet of a chunk that is announced above the limit", () => {
  const reserved: number[] = [];
  const reader = new BdatReader({
    limitBytes: 1000,
    expectedBytes: 0,
    reserve: (bytes) => reserved.push(bytes) > 0,
    release: () => {},
  });
  reader.beginChunk(drainBytesMax * 1e6);
  expect(reader.read(Buffer.alloc(500, "x"))).toBe(-1);
  expect([reader.problem, reserved]).toEqual(["too_large", []]);
});

test("reads the size of a chunk, and LAST", () => {
  const read = (line: string) => parseBdat(Buffer.from(line));
  expect(read("BDAT 0 LAST")).toEqual({ octets: 0, isLast: true });
  expect(read("bdat  17  last ")).toEqual({ octets: 17, isLast: true });
  expect(read("BDAT 86400")).toEqual({ octets: 86_400, isLast: false });
});

test("commands and chunks are told apart wherever the packets are cut", () => {
  const piece = fc.string({ unit: fc.constantFrom("\r\n", "BDAT 3\r\n", ".", "a", "\r\n.\r\n") });
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 6 }), fc.array(fc.nat(80), { maxLength: 8 }), (pieces, cuts) => {
      const sent = pieces.map((octets) => `${chunk(octets)}NOOP\r\n`).join("");
      const commands: string[] = [];
      const chunks: string[] = [];
      const stream = new MailStream({});
      stream.oncommand = (line, resume) => {
        commands.push(String(line));
        const octets = parseBdat(line)?.octets ?? 0;
        let got = "";
        const read = (part: Uint8Array): number => {
          const used = Math.min(part.length, octets - got.length);
          got += Buffer.from(part.subarray(0, used)).toString("latin1");
          return got.length === octets ? used : -1;
        };
        if (String(line).startsWith("BDAT") && octets === 0) chunks.push("");
        if (octets > 0)
          stream.beginData(
            { read },
            () => {},
            (end) => {
              chunks.push(got);
              end();
            },
          );
        resume?.();
      };
      const ends = [...new Set([0, ...cuts, 10_000])].sort((a, b) => a - b);
      for (const [at, end] of ends.slice(1).entries())
        stream._write(Buffer.from(sent.slice(ends[at], end), "latin1"), "binary", () => {});
      expect(chunks).toEqual(pieces);
      expect(commands).toEqual(pieces.flatMap(({ length }) => [`BDAT ${length}`, "NOOP"]));
    }),
  );
});
