import { Buffer } from "node:buffer";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parseAddressList } from "#/src/formats/mime/addresses.ts";
import { formatBodyStructure } from "#/src/formats/mime/body-structure.ts";
import { decodeCharset } from "#/src/formats/mime/charset.ts";
import { parseDate } from "#/src/formats/mime/dates.ts";
import { decodeWords } from "#/src/formats/mime/encoded-words.ts";
import { formatEnvelope } from "#/src/formats/mime/envelope.ts";
import { parseMessageIds } from "#/src/formats/mime/message-ids.ts";
import { parseParameterized } from "#/src/formats/mime/parameters.ts";
import {
  findPart,
  type MimePart,
  parseStructure,
  readStructure,
  sectionRange,
  serializeStructure,
  walkParts,
} from "#/src/formats/mime/structure.ts";
import { baseSubject } from "#/src/formats/mime/subject.ts";
import { decodeTransfer } from "#/src/formats/mime/transfer-encoding.ts";
import { checkBounds } from "./part-bounds.ts";
import { readWireList } from "./wire-list.ts";

/** A tree to compose a message from. */
type Tree =
  | { readonly kind: "leaf"; readonly subtype: string; readonly body: string }
  | {
      readonly kind: "multipart";
      readonly parts: readonly Tree[];
      readonly preamble: string;
      readonly isClosed: boolean;
    }
  | { readonly kind: "message"; readonly message: Tree };

const bodyText = fc
  .array(fc.constantFrom("line", "", "--", "-- ", "--x", "----", "a: b", "é", "."), { maxLength: 5 })
  .map((lines) => lines.join("\n"));

const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.record({
      kind: fc.constant("leaf" as const),
      subtype: fc.constantFrom("plain", "html", "calendar"),
      body: bodyText,
    }),
    fc.record({
      kind: fc.constant("multipart" as const),
      parts: fc.array(tie("tree"), { minLength: 1, maxLength: 4 }),
      preamble: bodyText,
      isClosed: fc.boolean(),
    }),
    fc.record({ kind: fc.constant("message" as const), message: tie("tree") }),
  ),
}));

/** Boundaries differ, and begin alike: b, b1, b11 … */
function compose(node: Tree, lineEnd: string, depth = 0): string {
  const header = (...lines: string[]): string => [...lines, "", ""].join(lineEnd);
  if (node.kind === "leaf")
    return header(`Content-Type: text/${node.subtype}; charset=utf-8`) + node.body.replaceAll("\n", lineEnd);
  if (node.kind === "message")
    return (
      header("Content-Type: message/rfc822") +
      `Subject: nested${lineEnd}${compose(node.message, lineEnd, depth)}`
    );
  const boundary = `=_b${"1".repeat(depth)}`;
  const parts = node.parts
    .map((part) => `--${boundary}${lineEnd}${compose(part, lineEnd, depth + 1)}${lineEnd}`)
    .join("");
  const close = node.isClosed ? `--${boundary}--${lineEnd}epilogue` : "";
  return (
    header(`Content-Type: multipart/mixed; boundary="${boundary}"`) +
    `${node.preamble.replaceAll("\n", lineEnd)}${lineEnd}${parts}${close}`
  );
}

/** What is left of a tree: kinds and bodies. A multipart left open has no line end of its own after its last part. */
function outline(node: Tree, lineEnd: string): unknown {
  if (node.kind === "leaf") return [node.subtype, node.body.replaceAll("\n", lineEnd)];
  return node.kind === "message"
    ? ["message", outline(node.message, lineEnd)]
    : node.parts.map((part) => outline(part, lineEnd));
}

function parsedOutline(part: MimePart, bytes: Buffer, lineEnd: string): unknown {
  if (part.message !== undefined) return ["message", parsedOutline(part.message, bytes, lineEnd)];
  if (part.type === "multipart") return part.parts.map((each) => parsedOutline(each, bytes, lineEnd));
  return [part.subtype, bytes.toString("utf8", part.bodyStart, part.bodyEnd)];
}

/** Line ends behind the last part of an open multipart belong to no delimiter. */
function trimLast(value: unknown): string {
  return JSON.stringify(value).replace(/(?:(?:\\r)?\\n)+"/g, '"');
}

const check = <T>(arbitrary: fc.Arbitrary<T>, predicate: (value: T) => void, numRuns = 300): void =>
  fc.assert(fc.property(arbitrary, predicate), { numRuns });

test("a composed tree parses back to the same tree", () => {
  check(fc.tuple(tree, fc.constantFrom("\r\n", "\n")), ([root, lineEnd]) => {
    const bytes = Buffer.from(compose(root, lineEnd));
    const top = parseStructure(bytes);
    checkBounds(top, bytes.length);
    const [parsed, expected] = [parsedOutline(top, bytes, lineEnd), outline(root, lineEnd)];
    const isOpen = JSON.stringify(root).includes('"isClosed":false');
    if (isOpen) expect(trimLast(parsed)).toEqual(trimLast(expected));
    else expect(parsed).toEqual(expected);
  });
});

test("a stored structure reads back equal, and every section number finds its part", () => {
  check(tree, (root) => {
    const bytes = Buffer.from(compose(root, "\r\n"));
    const top = parseStructure(bytes);
    expect(readStructure(serializeStructure(top))).toStrictEqual(top);
    for (const part of walkParts(top)) {
      const found = findPart(top, part.section);
      expect(found === part || found?.message === part).toBe(true);
      const range = sectionRange(top, part.section)!;
      expect(range.start).toBeLessThanOrEqual(range.end);
    }
    readWireList(formatBodyStructure(top));
  });
});

test("cutting a message anywhere leaves a structure within its bytes", () => {
  check(fc.tuple(tree, fc.nat(1000)), ([root, thousandth]) => {
    const whole = Buffer.from(compose(root, "\r\n"));
    const bytes = whole.subarray(0, Math.floor((whole.length * thousandth) / 1000));
    const top = parseStructure(bytes);
    checkBounds(top, bytes.length);
    readWireList(formatBodyStructure(top));
  });
});

/** Bytes that look like mail more often than random ones do. */
const mailBytes = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "\r\n",
        "\n",
        "\r",
        "--b",
        "--",
        "--b--",
        "Content-Type: ",
        "multipart/mixed; boundary=b",
        "message/rfc822",
        "text/plain",
        "\r\n\r\n",
        "Subject: ",
        "From: ",
        "To: ",
        "=?utf-8?q?",
        "?=",
        "=?",
        "<",
        ">",
        "@",
        ",",
        ";",
        ":",
        "(",
        ")",
        '"',
        "\\",
        "*0*=",
        "%41",
        "'",
        "=",
        " ",
        "\t",
        "\0",
        "\xe4",
        "\xff",
        "a",
        "[",
        "]",
        "begin 644 a\n",
      ),
      fc.string({ unit: "binary-ascii", maxLength: 4 }),
    ),
    { maxLength: 60 },
  )
  .map((pieces) => Buffer.from(pieces.join(""), "latin1"));

test("no bytes make the formats throw or write wire text that does not parse", () => {
  check(
    fc.oneof(
      mailBytes,
      fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    ),
    (bytes) => {
      const top = parseStructure(bytes);
      checkBounds(top, bytes.length);
      expect(readStructure(serializeStructure(top))).toStrictEqual(top);
      readWireList(formatBodyStructure(top));
      expect(readWireList(formatEnvelope(bytes))).toHaveLength(10);
      const octets = bytes.toString("latin1");
      parseParameterized(octets);
      parseAddressList(octets);
      parseMessageIds(octets);
      parseDate(octets);
      baseSubject(decodeWords(octets));
      for (const encoding of ["base64", "quoted-printable", "uuencode"]) decodeTransfer(bytes, encoding);
      for (const charset of ["utf-8", "utf-7", "utf-16", "utf-32", "iso-2022-jp", octets])
        decodeCharset(bytes, charset);
    },
    3000,
  );
});

test("decoding undoes encoding", () => {
  check(fc.tuple(fc.string({ unit: "grapheme" }), fc.uint8Array()), ([text, content]) => {
    const octets = Buffer.from(text);
    const word = `=?utf-8?b?${octets.toString("base64")}?=`;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are shown as spaces
    if (!text.startsWith("\ufeff")) expect(decodeWords(word)).toBe(text.replace(/[\0-\x1f\x7f]/g, " "));
    const bytes = Buffer.from(content);
    const lines = bytes.toString("base64").replace(/.{1,20}/g, "$&\r\n");
    expect(decodeTransfer(Buffer.from(lines), "base64")).toEqual(bytes);
    const quoted = [...bytes].map((byte) => `=${byte.toString(16).padStart(2, "0")}`).join("=\r\n");
    expect(decodeTransfer(Buffer.from(quoted), "quoted-printable")).toEqual(bytes);
  });
});
