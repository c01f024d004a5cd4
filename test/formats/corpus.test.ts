import { Buffer } from "node:buffer";
import { describe, expect, test } from "vitest";
import { parseAddressList } from "#/src/formats/mime/addresses.ts";
import { formatBody, formatBodyStructure } from "#/src/formats/mime/body-structure.ts";
import { decodeCharset } from "#/src/formats/mime/charset.ts";
import { parseDate } from "#/src/formats/mime/dates.ts";
import { decodeWords } from "#/src/formats/mime/encoded-words.ts";
import { formatEnvelope } from "#/src/formats/mime/envelope.ts";
import { headerValues, readHeaderFields } from "#/src/formats/mime/header.ts";
import { parseMessageIds } from "#/src/formats/mime/message-ids.ts";
import {
  type MimePart,
  parseStructure,
  readStructure,
  serializeStructure,
  walkParts,
} from "#/src/formats/mime/structure.ts";
import { baseSubject } from "#/src/formats/mime/subject.ts";
import { decodeTransfer } from "#/src/formats/mime/transfer-encoding.ts";
import {
  corpusNote,
  hasCorpus,
  listAttackMessages,
  listCorpusMessages,
  toCrlf,
} from "#/test/support/corpus.ts";
import { sampleOf } from "#/test/support/samples.ts";
import { checkBounds } from "./part-bounds.ts";
import { readWireList } from "./wire-list.ts";

/** Everything the formats can do with a message. */
function prepare(bytes: Buffer): { top: MimePart; envelope: string; bodyStructure: string } {
  const top = parseStructure(bytes);
  const stored = serializeStructure(top);
  expect(readStructure(stored)).toStrictEqual(top);
  for (const { value } of readHeaderFields(bytes.subarray(0, top.bodyStart))) {
    baseSubject(decodeWords(value));
    parseAddressList(value);
    parseMessageIds(value);
    parseDate(value);
  }
  for (const part of walkParts(top))
    if (part.type === "text")
      decodeCharset(
        decodeTransfer(bytes.subarray(part.bodyStart, part.bodyEnd), part.encoding),
        part.parameters.charset,
      );
  return { top, envelope: formatEnvelope(bytes), bodyStructure: formatBodyStructure(top) };
}

function checkMessage(bytes: Buffer): MimePart {
  const { top, envelope, bodyStructure } = prepare(bytes);
  checkBounds(top, bytes.length);
  expect(readWireList(envelope)).toHaveLength(10);
  expect(readWireList(bodyStructure).length).toBeGreaterThan(3);
  expect(readWireList(formatBody(top)).length).toBeGreaterThan(1);
  return top;
}

describe.skipIf(!hasCorpus)(`corpus${corpusNote}`, () => {
  test("every message has a structure within its bytes and wire text that parses", () => {
    for (const { bytes } of sampleOf(listCorpusMessages(), 200)) checkMessage(bytes);
  });

  test("LF alone gives the same tree as CR LF", () => {
    for (const { file, bytes } of sampleOf(listCorpusMessages(), 200)) {
      const shape = (top: MimePart): string[] =>
        walkParts(top).map((part) => `${part.section} ${part.type}/${part.subtype}`);
      const crlf = toCrlf(bytes);
      const lf = Buffer.from(crlf.toString("latin1").replaceAll("\r\n", "\n"), "latin1");
      expect(shape(checkMessage(crlf)), file).toEqual(shape(checkMessage(lf)));
    }
  });

  test.each(hasCorpus ? listAttackMessages("mime") : [])(
    "$file stays within its limits",
    ({ bytes, expect: limits }) => {
      const memory = process.memoryUsage().heapUsed;
      const top = checkMessage(bytes);
      expect((process.memoryUsage().heapUsed - memory) / 2 ** 20).toBeLessThan(limits.max_extra_mib ?? 64);
      if (limits.parts !== undefined) expect(top.parts).toHaveLength(limits.parts);
      if (limits.structure !== undefined) expect(shape(top)).toBe(limits.structure);
    },
  );

  test("nine thousand encoded words are decoded to one word", () => {
    const [attack] = listAttackMessages("mime").filter(({ file }) => file.startsWith("encoded-words"));
    const [subject] = headerValues(readHeaderFields(attack!.bytes), "subject");
    expect(decodeWords(subject!)).toBe("a".repeat(9000));
  });

  test("nine thousand continuations are joined to one value", () => {
    const [attack] = listAttackMessages("mime").filter(({ file }) => file.startsWith("rfc2231"));
    expect(parseStructure(attack!.bytes).parameters.name).toBe("A".repeat(9000));
  });
});

function shape(part: MimePart): string {
  return part.type === "multipart" ? `${part.subtype}(${part.parts.map(shape).join(",")})` : part.subtype;
}

/** What grows with the square of its length takes minutes here; what is linear takes some tens of milliseconds. */
test.each([
  "(",
  "<",
  "[",
  '"',
  "\\",
  "@",
  ":",
  ";",
  ",",
  "=?",
  "=?a?q?",
  "=?a?b?",
  "=?x?q?a?= ",
  "[a]",
  "re:",
  "[fwd:",
  "(fwd)",
  " ",
  "a\n",
  "\n ",
  "a@b,",
  "a:",
  "<a",
  "a*0*=",
  "a*1=%41;",
  "a=(;",
  "> <",
  "\r",
])("a header of %j over and over is read", (piece) => {
  for (const name of ["Subject", "To", "Content-Type: a/b;x", "References", "Content-Disposition: a;"])
    expect(
      prepare(Buffer.from(`${name}: ${piece.repeat(250_000 / piece.length)}\r\n\r\nbody`, "latin1")).top
        .parts,
    ).toEqual([]);
});
