/** The trigrams that are given to the index find what FTS5's own trigram tokenizer finds. */
import Database from "better-sqlite3";
import { expect, inject, it } from "vitest";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { indexable, indexedTerms, termTokenizer } from "#/storage/search/indexed-terms.ts";
import { matchOf, scopeOf } from "#/storage/search/trigrams.ts";
import { randomSource } from "../support/random.ts";

const agent = 7 as AgentNumber;
const alphabets = [
  ..."abc",
  ..."the rain in spain",
  `"'()*:^-+ \r\n\t\0\u0001\u007f`,
  "äßéñ жщю",
  "日本語の文",
  "😀🏳️‍🌈\u{10ffff}",
  "\ud83d\ude00\ud83d",
];

function open(create: string): Database.Database {
  const database = new Database(":memory:");
  database.exec(
    `create virtual table tri using fts5(text, content='', contentless_delete=1, detail=none, tokenize=${create})`,
  );
  return database;
}

function find(database: Database.Database, query: string): unknown[] {
  return database.prepare("select rowid from tri where tri match ? order by rowid").pluck().all(query);
}

it("finds what FTS5's own trigrams find, for texts of any characters", () => {
  const random = randomSource(inject("seed"));
  const ours = open(`"${termTokenizer.replaceAll('"', '""')}"`);
  const theirs = open(`'trigram case_sensitive 1'`);
  const drawn = Array.from({ length: 300 }, () => {
    const alphabet = Array.from({ length: 2 }, () => random.one(alphabets)).join("");
    return Array.from({ length: random.below(60) }, () => alphabet[random.below(alphabet.length)]).join("");
  });
  const texts = ["the rain in spain", ...drawn];
  for (const [at, text] of texts.entries()) {
    const indexed = indexable(`${scopeOf(agent)}\n${text}`);
    ours.prepare("insert into tri (rowid, text) values (?, cast(? as text))").run(at, indexedTerms(indexed));
    theirs.prepare("insert into tri (rowid, text) values (?, ?)").run(at, indexed);
  }
  let found = 0;
  for (const [at, text] of texts.entries()) {
    // Whatever is drawn, one query has three characters of a text.
    const begin = at === 0 ? 0 : random.below(text.length + 1);
    const query = matchOf(agent, text.slice(begin, begin + 3 + random.below(20)));
    if (query === undefined) continue;
    const numbers = find(ours, query);
    expect(numbers, JSON.stringify(query)).toEqual(find(theirs, query));
    found += numbers.length;
  }
  expect(found).toBeGreaterThan(0);
});

it("gives each trigram once, however often it stands in the text", () => {
  const terms = indexedTerms("abcabcabcabc".repeat(10_000)).toString();
  expect(terms.split("\u0001")).toEqual(["abc", "bca", "cab", ""]);
});

it("gives of a text whose characters take more octets than its units all trigrams", () => {
  const text = Array.from({ length: 30_000 }, (_, at) => String.fromCodePoint(0x4e00 + (at % 20_000))).join(
    "",
  );
  expect(indexedTerms(text).toString().split("\u0001").slice(0, -1)).toHaveLength(20_000);
});
