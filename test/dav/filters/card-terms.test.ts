/** By the terms of its filter an addressbook-query skips contacts without reading them. It never skips a contact that matches. */
import { Buffer } from "node:buffer";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type AddressFilter, matchesCard } from "#/protocols/dav/filters/address-filter.ts";
import { findTerms } from "#/protocols/dav/filters/card-terms.ts";
import { type Collation, collations, makeTextMatch, matchTypes } from "#/protocols/dav/filters/text-match.ts";
import { listComponents } from "#/src/formats/content-lines/content-line.ts";
import { readContentLines } from "#/src/formats/content-lines/read-content-lines.ts";

const pieces = [
  "Berg",
  "BERG",
  "berg",
  "b",
  "er",
  "g1",
  "ﬁ",
  "fi",
  "ｂｅｒｇ",
  "K",
  "k",
  "½",
  "12",
  "é",
  "e\u0301",
  "ß",
  "ss",
];
const marks = [
  " ",
  "\\n",
  "\\N",
  "\\,",
  "\\\\",
  "^n",
  "^^",
  "^'",
  "=42",
  "=\r\n",
  "\u200b",
  "\u0301",
  ".",
  ";",
  "\u00ad",
];
const textOf = fc
  .array(fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...pieces) }, fc.constantFrom(...marks)), {
    maxLength: 6,
  })
  .map((parts) => parts.join(""));
const names = ["FN", "NOTE", "EMAIL"];
const line = fc
  .record({
    group: fc.constantFrom("", "item1."),
    name: fc.constantFrom(...names),
    parameter: fc.oneof(
      fc.constantFrom("", ";HOME", ";QUOTED-PRINTABLE", ";ENCODING=quoted-printable"),
      textOf.map((text) => `;TYPE="${text.replaceAll(/[";]/g, "")}"`),
    ),
    value: textOf,
  })
  .map(({ group, name, parameter, value }) => `${group}${name}${parameter}:${value}`);

/** The octets of a card whose lines are folded anywhere, also inside of characters. */
const octets = fc
  .record({
    lines: fc.array(line, { minLength: 1, maxLength: 4 }),
    isUtf8: fc.boolean(),
    folds: fc.array(fc.nat({ max: 150 }), { maxLength: 6 }),
    fold: fc.constantFrom("\r\n ", "\n\t", "\r\n \r\n "),
  })
  .map(({ lines, isUtf8, folds, fold }) => {
    const body = Buffer.from(`${lines.join("\r\n")}\r\n`, isUtf8 ? "utf8" : "latin1").toString("latin1");
    const cuts = [...new Set(folds)].filter((at) => at > 0 && at < body.length).toSorted((a, b) => b - a);
    const folded = cuts.reduce((text, at) => `${text.slice(0, at)}${fold}${text.slice(at)}`, body);
    return Buffer.from(`BEGIN:VCARD\r\nVERSION:3.0\r\n${folded}END:VCARD\r\n`, "latin1");
  });

const textMatch = fc
  .record({
    text: fc.oneof(fc.constantFrom(...pieces), textOf),
    collation: fc.constantFrom<Collation>(...collations),
    type: fc.constantFrom(...matchTypes),
    isNegated: fc.boolean(),
  })
  .map(({ text, collation, type, isNegated }) => makeTextMatch(text, collation, type, isNegated));
const anyOrAll = fc.constantFrom("anyof" as const, "allof" as const);
const rarely = fc.nat({ max: 9 }).map((number) => number === 0);
const filter: fc.Arbitrary<AddressFilter> = fc.record({
  test: anyOrAll,
  props: fc.array(
    fc.record({
      name: fc.constantFrom(...names),
      group: fc.constantFrom(undefined, "ITEM1"),
      test: anyOrAll,
      isNotDefined: rarely,
      textMatches: fc.array(textMatch, { maxLength: 2 }),
      params: fc.array(
        fc.record({
          name: fc.constantFrom("TYPE", "ENCODING"),
          isNotDefined: rarely,
          textMatch: fc.option(textMatch, { nil: undefined, freq: 4 }),
        }),
        { maxLength: 1 },
      ),
    }),
    { maxLength: 3 },
  ),
});

const cardOf = (bytes: Uint8Array) => listComponents(readContentLines(bytes), "VCARD")[0]!;

describe("terms of an addressbook-query", () => {
  test("the terms of a filter leave out no card that the filter matches", () => {
    let matches = 0;
    let leftOut = 0;
    fc.assert(
      fc.property(filter, octets, (asked, bytes) => {
        const mayMatch = findTerms(asked)?.(bytes) ?? true;
        const isMatch = matchesCard(asked, cardOf(bytes));
        if (isMatch) matches++;
        if (!mayMatch) leftOut++;
        expect(isMatch && !mayMatch, bytes.toString("latin1")).toBe(false);
      }),
      // Whatever is drawn, one of these matches, and one is left out.
      { numRuns: 5000, examples: [named("Ada Bergstrom"), named("Ada Lind")] },
    );
    expect(Math.min(matches, leftOut)).toBeGreaterThan(0);
  });

  const looksFor = (text: string, collation: Collation = "i;unicode-casemap"): AddressFilter => ({
    test: "anyof",
    props: [
      {
        name: "FN",
        group: undefined,
        test: "anyof",
        isNotDefined: false,
        textMatches: [makeTextMatch(text, collation)],
        params: [],
      },
    ],
  });
  const card = (value: string) => Buffer.from(`BEGIN:VCARD\r\nFN:${value}\r\nEND:VCARD\r\n`);

  const named = (value: string): [AddressFilter, Buffer] => [looksFor("bergstrom"), card(value)];

  test.each<[what: string, text: string, value: string, mayMatch: boolean | undefined]>([
    ["another name", "bergstrom", "Ada Lind", false],
    ["the name", "bergstrom", "Ada Bergstrom", true],
    ["the name, folded", "bergstrom", "Ada Berg\r\n strom", true],
    ["the name with other letters", "bergstrom", "Ada Ｂergstrom", true],
    ["the longest run, a space before it", "a bergstrom", "Bergstrom", true],
    ["a text without such a run", "日本", "Ada Lind", undefined],
  ])("%s", (_what, text, value, mayMatch) => {
    expect(findTerms(looksFor(text))?.(card(value))).toBe(mayMatch);
  });
});
