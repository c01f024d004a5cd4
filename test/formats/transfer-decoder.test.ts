/** Transfer encodings are decoded in pieces: with the same result as at once, and with bounded work for each piece. */
import { afterEach, describe, expect, inject, it, test } from "vitest";
import { createTransferDecoder, decodeTransfer } from "#/src/formats/mime/transfer-encoding.ts";
import { listenToReaders } from "#/src/model/foreign-text.ts";
import { mainBytesMax } from "#/src/model/limits.ts";
import { randomSource } from "../support/random.ts";

const seed = inject("seed");

function inPieces(bytes: Buffer, encoding: string, lengthOf: () => number): Buffer {
  const decoder = createTransferDecoder(encoding);
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + lengthOf();
    pieces.push(Buffer.from(decoder.write(bytes.subarray(at, end))));
    at = end;
  }
  return Buffer.concat([...pieces, decoder.end()]);
}

const tokens: Readonly<Record<string, readonly string[]>> = {
  base64: ["YWJj", "=", "==", "\r\n", "Y", "!", " "],
  "quoted-printable": [
    "=",
    "=3D",
    "=4",
    "=A",
    " ",
    "\t",
    "\r\n",
    "\n",
    "\r",
    "a",
    "= \r\n",
    "  \r\n",
    " ".repeat(600),
  ],
  uuencode: [
    "begin 644 a\n",
    "begin ",
    "\n",
    "\r\n",
    "end",
    "e",
    "#86)C\n",
    "M86)C",
    "`\n",
    "#8",
    "M".repeat(61),
    "x".repeat(200),
  ],
};

test.each(Object.keys(tokens))("%s in pieces of any length gives what it gives at once", (encoding) => {
  const random = randomSource(seed);
  for (let round = 0; round < 2000; round++) {
    let text = encoding === "uuencode" && random.below(2) === 0 ? "begin 644 a\n" : "";
    for (let count = 1 + random.below(30); count > 0; count--)
      text += tokens[encoding]![random.below(tokens[encoding]!.length)];
    const bytes = Buffer.from(text, "latin1");
    const found = inPieces(bytes, encoding, () => 1 + random.below(9)).toString("latin1");
    expect(found, JSON.stringify(text)).toBe(decodeTransfer(bytes, encoding).toString("latin1"));
  }
});

describe("a piece of 2 KiB", () => {
  afterEach(() => listenToReaders(undefined));

  it.each([
    ["base64", "YWJj"],
    ["quoted-printable", " "],
    ["quoted-printable", "="],
    ["quoted-printable", "= "],
    ["quoted-printable", "é"],
    ["uuencode", "a"],
    ["uuencode", "M"],
    ["uuencode", "begin 644 a\n", "M"],
    ["uuencode", "begin 644 a\n", `M${"8".repeat(60)}\n`],
    ["uuencode", "\nbegin"],
  ])("of %s is little work, after any others: %j", (encoding, first, repeated = first) => {
    const bytes = Buffer.from(first + repeated.repeat(200_000 / repeated.length));
    let longest = 0;
    listenToReaders((_, length) => {
      longest = Math.max(longest, length);
    });
    inPieces(bytes, encoding, () => mainBytesMax / 2);
    expect(longest).toBeLessThanOrEqual(mainBytesMax);
  });
});

describe("quoted-printable", () => {
  it.each([
    ["a \t\r\nb", "a\r\nb"],
    ["a =\r\nb", "a b"],
    ["a=  \r\nb", "ab"],
    ["a ", "a "],
    ["a=", "a"],
    ["a=4", "a=4"],
    ["a=4\r\n", "a=4\r\n"],
    // More than a line may have.
    [`a${" ".repeat(999)}\r\n`, `a${" ".repeat(999)}\r\n`],
    [`a=${" ".repeat(999)}\r\n`, `a=${" ".repeat(999)}\r\n`],
  ])("%j", (text, expected) => {
    expect(decodeTransfer(Buffer.from(text), "quoted-printable").toString()).toBe(expected);
  });
});

it("reads no octet of uuencode behind the end of its line", () => {
  const text = "begin 644 a\r\n#8\r\n#86)C\r\nend\r\n";
  expect(decodeTransfer(Buffer.from(text), "uuencode").toString("latin1")).toBe("`\0\0abc");
});
