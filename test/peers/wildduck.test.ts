/** WildDuck's indexer shares no code with ours. It reads every message, and its results are compared with ours. */
import { Buffer } from "node:buffer";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, expect, test } from "vitest";
import { formatBody, formatBodyStructure } from "../../src/formats/mime/body-structure.ts";
import { formatEnvelope } from "../../src/formats/mime/envelope.ts";
import { parseStructure } from "../../src/formats/mime/structure.ts";
import { readWireList, type WireValue } from "../formats/wire-list.ts";
import { corpusNote, hasCorpus, listCorpusMessages, toCrlf } from "../support/corpus.ts";
import { common, type Explanation, unexplained } from "./explanations.ts";
import { flatten } from "./flat-structure.ts";
import { bodyRule, wildduckFiles, wildduckRules } from "./wildduck-differences.ts";

interface Indexer {
  parseMimeTree(message: Buffer): unknown;
  getEnvelope(tree: unknown): unknown;
  getBodyStructure(tree: unknown): unknown;
  getBody(tree: unknown): unknown;
}

const isInstalled = existsSync(new URL("node_modules/wildduck", import.meta.url));
const note = isInstalled ? corpusNote : " (skipped: npm ci has not been run in test/peers)";
/** Its indexer is quadratic in places. */
const bytesMax = 1_000_000;

/** Its value as one of a response: strings of octets, NIL for what is empty. */
function wireValue(value: unknown): WireValue {
  if (value === null || value === undefined || value === "" || value === false) return null;
  if (Buffer.isBuffer(value)) return value.length === 0 ? null : value.toString("latin1");
  if (Array.isArray(value)) return value.map(wireValue);
  return typeof value === "number" ? value : Buffer.from(String(value)).toString("latin1");
}

describe.skipIf(!hasCorpus || !isInstalled)(`WildDuck${note}`, () => {
  test("describes every message as we do, except for explained differences", () => {
    const require = createRequire(import.meta.url);
    const IndexerClass = require("wildduck/imap-core/lib/indexer/indexer") as new () => Indexer;
    const indexer = new IndexerClass();
    const used = new Set<Explanation>();
    const left = new Map<string, string[]>();
    let compared = 0;
    for (const { file, bytes: stored } of listCorpusMessages()) {
      const bytes = toCrlf(stored);
      if (bytes.length > bytesMax || file === "mimekit/stack-overflow.eml") continue;
      compared++;
      const top = parseStructure(bytes);
      const envelope = readWireList(formatEnvelope(bytes.subarray(0, top.bodyStart)));
      const tree = indexer.parseMimeTree(bytes);
      const theirEnvelope = wireValue(indexer.getEnvelope(tree));
      for (const [ours, theirs, rules] of [
        [formatBodyStructure(top), indexer.getBodyStructure(tree), wildduckRules],
        [formatBody(top), indexer.getBody(tree), [...wildduckRules, bodyRule]],
      ] as const) {
        const structures = {
          ours: flatten(envelope, readWireList(ours)),
          theirs: flatten(theirEnvelope, wireValue(theirs)),
        };
        const sentences = unexplained(file, structures, [...common, ...rules], used);
        if (sentences.length > 0) left.set(file, sentences);
      }
    }
    const surprising = [...left].filter(([file]) => wildduckFiles[file] === undefined);
    expect(surprising.flatMap(([, sentences]) => sentences.slice(0, 5))).toEqual([]);
    expect(Object.keys(wildduckFiles).filter((file) => !left.has(file))).toEqual([]);
    expect(wildduckRules.filter((rule) => !used.has(rule))).toEqual([]);
    expect(compared).toBeGreaterThan(1000);
  });
});
