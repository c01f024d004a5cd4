import fc from "fast-check";
import { expect, test } from "vitest";
import { DataReader } from "#/protocols/smtp/data-reader.ts";
import { MailStream } from "#/protocols/smtp/mail-stream.ts";

interface Outcome {
  readonly text: string | undefined;
  readonly problem: string | undefined;
  /** Octets behind the end; undefined when there was no end. */
  readonly rest: string | undefined;
  /** Room that is still held when the reader is done with. */
  readonly heldBytes: number;
}

function readAll(chunks: readonly string[], limitBytes = 1000, roomBytes = 10_000): Outcome {
  let held = 0;
  const reader = new DataReader({
    limitBytes,
    expectedBytes: 0,
    reserve(bytes) {
      if (held + bytes > roomBytes) return false;
      held += bytes;
      return true;
    },
    release() {
      held = 0;
    },
  });
  let rest: string | undefined;
  for (const [index, text] of chunks.entries()) {
    // Chunks begin anywhere in memory.
    const chunk = Buffer.from(" ".repeat(index % 5) + text, "latin1").subarray(index % 5);
    const used = reader.read(chunk);
    if (used < 0) continue;
    rest = chunk.toString("latin1", used) + chunks.slice(index + 1).join("");
    break;
  }
  const text =
    rest === undefined || reader.problem !== undefined ? undefined : reader.bytes().toString("latin1");
  reader.release();
  return { text, problem: reader.problem, rest, heldBytes: held };
}

const endings: readonly (readonly [sent: string, kept: string | undefined, problem?: string])[] = [
  ["a\r\n.\r\n", "a\r\n"],
  [".\r\n", ""],
  ["\r\n.\r\n", "\r\n"],
  ["..\r\n.\r\n", ".\r\n"],
  ["..one dot\r\n...two dots\r\n..\r\nx starts\r\n.\r\n", ".one dot\r\n..two dots\r\n.\r\nx starts\r\n"],
  [".a\r\n.\r\n", "a\r\n"],
  ["a.\r\n.b\r\n.\r\n", "a.\r\nb\r\n"],
  ["a\u0000b\r\n.\r\n", "a\u0000b\r\n"],
  ["\r\n\r\n\r\n.\r\n", "\r\n\r\n\r\n"],
  ["a\n.\nb\r\n.\r\n", undefined, "bare_line_end"],
  ["a\n.\r\nb\r\n.\r\n", undefined, "bare_line_end"],
  ["a\r.\rb\r\n.\r\n", undefined, "bare_line_end"],
  ["a\r\n.\rb\r\n.\r\n", undefined, "bare_line_end"],
  ["a\r\n.\nb\r\n.\r\n", undefined, "bare_line_end"],
  ["a\r\r\n.\r\n", undefined, "bare_line_end"],
  ["\n\r\n.\r\n", undefined, "bare_line_end"],
  ["a\r\n.\r\r\n.\r\n", undefined, "bare_line_end"],
];

for (const [sent, kept, problem] of endings)
  test(`reads ${JSON.stringify(sent)} as ${problem ?? JSON.stringify(kept)}`, () => {
    expect(readAll([`${sent}NOOP`])).toEqual({ text: kept, problem, rest: "NOOP", heldBytes: 0 });
  });

test("has no end without CRLF, dot, CRLF", () => {
  for (const text of [
    "a\r\n.",
    "a\r\n.\r",
    "a\r\n.\r\r",
    "a\n.\n",
    "a\r\n..\r\n",
    "a\r\n\u0000.\r\n",
    "a.\r\n",
  ])
    expect(readAll([text]).rest, JSON.stringify(text)).toBe(undefined);
});

const wireOctets = fc.string({
  unit: fc.constantFrom(
    "\r",
    "\n",
    ".",
    "a",
    "\r\n",
    "\r\n.",
    "\r\n.\r\n",
    "\u0000",
    "\u000e\u007f\u0080\u00ff",
    "a word",
    "a line of some length",
  ),
});

test("gives the same result wherever the network cuts the octets", () => {
  fc.assert(
    fc.property(wireOctets, fc.array(fc.nat(40)), (text, cuts) => {
      const whole = readAll([`${text}\r\n.\r\nNEXT`]);
      const ends = [...new Set([0, ...cuts, 1000])].sort((a, b) => a - b);
      const sent = `${text}\r\n.\r\nNEXT`;
      const pieces = ends.slice(1).map((end, index) => sent.slice(ends[index], end));
      expect(readAll(pieces)).toEqual(whole);
      expect(readAll([...sent])).toEqual(whole);
    }),
    { numRuns: 2000 },
  );
});

test("gives back what was stuffed, octet for octet", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: fc.constantFrom(".", "a", "\u00e4", "\u0000", " ") })),
      (lines) => {
        const message = lines.map((line) => `${line}\r\n`).join("");
        const stuffed = lines.map((line) => `${line.startsWith(".") ? "." : ""}${line}\r\n`).join("");
        expect(readAll([`${stuffed}.\r\n`]).text).toBe(message);
      },
    ),
  );
});

test("refuses more than the limit and reads on to the end", () => {
  expect(readAll([`${"a".repeat(1001)}\r\n.\r\n`])).toEqual({
    text: undefined,
    problem: "too_large",
    rest: "",
    heldBytes: 0,
  });
  expect(readAll([`${"a".repeat(998)}\r\n.\r\n`]).text).toHaveLength(1000);
});

test("refuses a message when there is no memory for it", () => {
  expect(readAll(["a".repeat(100), "b".repeat(100), "\r\n.\r\n"], 1000, 150)).toMatchObject({
    problem: "no_room",
    heldBytes: 0,
  });
});

test("takes stuffed dots by the million in one pass", () => {
  const reader = new DataReader({
    limitBytes: 1e8,
    expectedBytes: 0,
    reserve: () => true,
    release: () => {},
  });
  const chunk = Buffer.from("..\r\n".repeat(16_384));
  for (let count = 0; count < 160; count++) reader.read(chunk);
  expect(reader.read(Buffer.from(".\r\n"))).toBe(3);
  expect(reader.bytes().length).toBe(160 * 16_384 * 3);
});

test("releases the memory of long chunks when they are read, and no memory that is shared", async () => {
  const reader = new DataReader({
    limitBytes: 1e6,
    expectedBytes: 0,
    reserve: () => true,
    release: () => {},
  });
  const stream = new MailStream({});
  const ended = new Promise<void>((resolve) => {
    stream.beginData(
      reader,
      () => {},
      () => resolve(),
    );
  });
  const long = Buffer.allocUnsafeSlow(20_000).fill("x");
  const shared = Buffer.from(new ArrayBuffer(40_000), 0, 20_000).fill("y");
  const last = Buffer.from("\r\n.\r\n");
  for (const chunk of [long, shared, last]) stream.write(chunk);
  await ended;
  expect(reader.bytes().toString()).toBe(`${"x".repeat(20_000)}${"y".repeat(20_000)}\r\n`);
  expect([long, shared].map(({ byteLength }) => byteLength)).toEqual([0, 20_000]);
});

test("gives the memory of a message back on release when its octets are said to be done with", () => {
  const read = () => {
    const reader = new DataReader({
      limitBytes: 1e6,
      expectedBytes: 0,
      reserve: () => true,
      release: () => {},
    });
    reader.read(Buffer.from("words\r\n.\r\n"));
    return { reader, bytes: reader.bytes() };
  };
  const kept = read();
  kept.reader.release();
  expect(kept.bytes.toString()).toBe("words\r\n");
  const done = read();
  done.reader.doneWithBytes();
  done.reader.release();
  expect(done.bytes.byteLength).toBe(0);
});

test("lets another message have the memory of a large one when its octets are said to be done with", () => {
  const read = (letter: string) => {
    const reader = new DataReader({
      limitBytes: 1e7,
      expectedBytes: 0,
      reserve: () => true,
      release: () => {},
    });
    for (let count = 0; count < 20; count++) reader.read(Buffer.from(letter.repeat(50_000)));
    reader.read(Buffer.from("\r\n.\r\n"));
    return { reader, bytes: reader.bytes(), expected: `${letter.repeat(1_000_000)}\r\n` };
  };
  const one = read("a");
  // It was not said of this one: a thread may still read it.
  one.reader.release();
  const two = read("b");
  expect(one.bytes.toString()).toBe(one.expected);
  expect(two.bytes.toString()).toBe(two.expected);
  two.reader.doneWithBytes();
  two.reader.release();
  const three = read("c");
  expect(three.bytes.buffer).toBe(two.bytes.buffer);
  expect(three.bytes.toString()).toBe(three.expected);
  expect(one.bytes.toString()).toBe(one.expected);
});
