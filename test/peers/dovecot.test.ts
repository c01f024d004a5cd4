/** Dovecot's answers to FETCH, compared with ours for the same messages. */
import { describe, expect, test } from "vitest";
import { formatBody, formatBodyStructure } from "../../src/formats/mime/body-structure.ts";
import { formatEnvelope } from "../../src/formats/mime/envelope.ts";
import { parseStructure } from "../../src/formats/mime/structure.ts";
import { readWireList } from "../formats/wire-list.ts";
import { connectRawImap, type RawResponse } from "../support/clients/raw-imap.ts";
import { corpusNote, hasCorpus, listCorpusMessages, toCrlf } from "../support/corpus.ts";
import { dovecotNote, hasDovecot, startDovecot } from "./dovecot.ts";
import { dovecotFiles } from "./dovecot-differences.ts";
import { common, type Explanation, unexplained } from "./explanations.ts";
import { flatten } from "./flat-structure.ts";

const items =
  /^\* \d+ FETCH \((?:FLAGS \([^)]*\) )?ENVELOPE (\([\s\S]*\)) BODYSTRUCTURE (\([\s\S]*\)) BODY (\([\s\S]*\))\)$/;

/** The text of a response with its literals in their places. */
function wireText({ text, literals }: RawResponse): string {
  const rest = [...literals];
  return text.replace(/\{\d+\}/g, (size) => `${size}\r\n${rest.shift()!.toString("latin1")}`);
}

describe.skipIf(!hasCorpus || !hasDovecot)(`Dovecot${corpusNote || dovecotNote}`, () => {
  test("describes every message as we do, except for explained differences", async () => {
    await using dovecot = await startDovecot();
    await using client = await connectRawImap(dovecot);
    const { address, password } = dovecot.users[0]!;
    await client.command(`LOGIN ${address} ${password}`);
    // NUL is in no literal of IMAP (RFC 9051 section 4.3).
    const messages = listCorpusMessages()
      .map(({ file, bytes }) => ({ file, bytes: toCrlf(bytes) }))
      .filter(({ bytes }) => !bytes.includes(0));
    for (const { file, bytes } of messages) {
      const { status } = await client.command("APPEND INBOX", bytes);
      expect(status, file).toMatch(/^OK/);
    }
    await client.command("SELECT INBOX");
    const used = new Set<Explanation>();
    const left = new Map<string, string[]>();
    for (const [index, { file, bytes }] of messages.entries()) {
      const { untagged } = await client.command(`FETCH ${index + 1} (ENVELOPE BODYSTRUCTURE BODY)`);
      const [, envelope, structure, body] = untagged.map((one) => items.exec(wireText(one))).find(Boolean)!;
      const top = parseStructure(bytes);
      const ourEnvelope = readWireList(formatEnvelope(bytes.subarray(0, top.bodyStart)));
      const theirEnvelope = readWireList(envelope!);
      for (const [ours, theirs] of [
        [formatBodyStructure(top), structure!],
        [formatBody(top), body!],
      ] as const) {
        const structures = {
          ours: flatten(ourEnvelope, readWireList(ours)),
          theirs: flatten(theirEnvelope, readWireList(theirs)),
        };
        const sentences = unexplained(file, structures, common, used);
        if (sentences.length > 0) left.set(file, sentences);
      }
    }
    const surprising = [...left].filter(([file]) => dovecotFiles[file] === undefined);
    expect(surprising.flatMap(([, sentences]) => sentences.slice(0, 5))).toEqual([]);
    expect(Object.keys(dovecotFiles).filter((file) => !left.has(file))).toEqual([]);
    expect(common.filter((rule) => !used.has(rule))).toEqual([]);
    expect(messages.length).toBeGreaterThan(1000);
  });
});
