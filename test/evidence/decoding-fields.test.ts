/** The signed mail of the corpora leaves fields unsigned that say how it is decoded: none of them hides anything. */
import { expect, it } from "vitest";
import { decodingFields, hidesText } from "#/src/evidence/decoding-fields.ts";
import { readHeaderFields } from "#/src/formats/mime/header.ts";
import { corpusNote, hasCorpus, listCorpusMessages } from "../support/corpus.ts";

it.skipIf(!hasCorpus)(`hides nothing in honest signed mail${corpusNote}`, () => {
  const found = listCorpusMessages().flatMap(({ file, bytes }) => {
    const fields = readHeaderFields(bytes);
    const header = Buffer.from(bytes).toString("latin1", 0, fields.at(-1)?.end ?? 0);
    const signatures = [...header.matchAll(/^dkim-signature:(?:[^\r\n]|\r?\n[ \t])*/gim)];
    if (signatures.length === 0) return [];
    const signed = signatures.flatMap(([text]) => {
      const names = /\bh=([^;]*)/.exec(text)?.[1] ?? "";
      return names.replaceAll(/\s/g, "").toLowerCase().split(":");
    });
    const left = decodingFields.filter(
      (name) => fields.some((field) => field.name === name) && !signed.includes(name),
    );
    return left.length === 0 ? [] : [{ file, hides: hidesText(bytes, fields, left) }];
  });
  expect(found.length).toBeGreaterThan(20);
  expect(found.filter(({ hides }) => hides)).toEqual([]);
});
