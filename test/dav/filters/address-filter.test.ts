/** Filters of addressbook-query and the selection of address-data (RFC 6352 sections 10.4 and 10.5). */
import { Buffer } from "node:buffer";
import { describe, expect, test } from "vitest";
import { selectAddressData } from "#/protocols/dav/filters/address-data.ts";
import {
  type AddressParamFilter,
  type AddressPropFilter,
  matchesCard,
  type Test,
} from "#/protocols/dav/filters/address-filter.ts";
import { type Collation, type MatchType, makeTextMatch } from "#/protocols/dav/filters/text-match.ts";
import { listComponents } from "#/src/formats/content-lines/content-line.ts";
import { readContentLines } from "#/src/formats/content-lines/read-content-lines.ts";
import { writeContentLines } from "#/src/formats/content-lines/write-content-lines.ts";

const card = cardOf(`VERSION:3.0
UID:a
N:Ménard;Zoé;;;
FN:Zoé Ménard
item1.EMAIL;TYPE=INTERNET,HOME:zoe@example.com
item1.X-ABLabel:Privat
EMAIL;TYPE=INTERNET,WORK:menard@firm.example
NOTE:a\\, b\\nc`);

function cardOf(lines: string) {
  const text = `BEGIN:VCARD\n${lines}\nEND:VCARD\n`.replaceAll("\n", "\r\n");
  return listComponents(readContentLines(Buffer.from(text)))[0]!;
}

function prop(name: string, more: Partial<AddressPropFilter> = {}): AddressPropFilter {
  return { name, group: undefined, test: "anyof", isNotDefined: false, textMatches: [], params: [], ...more };
}

const text = (
  what: string,
  type: MatchType = "contains",
  collation: Collation = "i;unicode-casemap",
  isNegated = false,
) => makeTextMatch(what, collation, type, isNegated);
const param = (name: string, more: Partial<AddressParamFilter> = {}): AddressParamFilter => ({
  name,
  isNotDefined: false,
  textMatch: undefined,
  ...more,
});

const filters: readonly (readonly [
  what: string,
  test: Test,
  props: readonly AddressPropFilter[],
  isIn: boolean,
])[] = [
  ["nothing", "anyof", [], true],
  ["a property", "anyof", [prop("NOTE")], true],
  ["a property that is missing", "anyof", [prop("TEL")], false],
  ["that a property is missing", "anyof", [prop("TEL", { isNotDefined: true })], true],
  ["one of two", "anyof", [prop("NOTE"), prop("TEL")], true],
  ["two of which one is missing", "allof", [prop("NOTE"), prop("TEL")], false],
  ["a property of a group", "anyof", [prop("EMAIL", { group: "ITEM1", textMatches: [text("zoe")] })], true],
  ["a property of another group", "anyof", [prop("EMAIL", { group: "ITEM2" })], false],
  ["text in any group", "anyof", [prop("EMAIL", { textMatches: [text("zoe")] })], true],
  [
    "text of another property in the group",
    "anyof",
    [prop("EMAIL", { group: "ITEM1", textMatches: [text("firm")] })],
    false,
  ],
  ["contained text", "anyof", [prop("FN", { textMatches: [text("É M")] })], true],
  ["a letter written in two", "anyof", [prop("FN", { textMatches: [text("Zoe\u0301")] })], true],
  ["equal text", "anyof", [prop("FN", { textMatches: [text("zoé ménard", "equals")] })], true],
  ["text that is only a part", "anyof", [prop("FN", { textMatches: [text("zoé", "equals")] })], false],
  ["the beginning", "anyof", [prop("FN", { textMatches: [text("ZOÉ", "starts-with")] })], true],
  ["another beginning", "anyof", [prop("FN", { textMatches: [text("Mén", "starts-with")] })], false],
  ["the end", "anyof", [prop("FN", { textMatches: [text("nard", "ends-with")] })], true],
  ["another end", "anyof", [prop("FN", { textMatches: [text("zoé", "ends-with")] })], false],
  [
    "text in another case, as octets",
    "anyof",
    [prop("FN", { textMatches: [text("zoé", "contains", "i;octet")] })],
    false,
  ],
  ["text without its escapes", "anyof", [prop("NOTE", { textMatches: [text("a, b\nc", "equals")] })], true],
  [
    "that text is not there",
    "anyof",
    [prop("FN", { textMatches: [text("zoé", "contains", "i;octet", true)] })],
    true,
  ],
  ["one of two texts", "anyof", [prop("FN", { textMatches: [text("zoé"), text("x")] })], true],
  [
    "two texts of which one is missing",
    "anyof",
    [prop("FN", { test: "allof", textMatches: [text("zoé"), text("x")] })],
    false,
  ],
  [
    "a parameter",
    "anyof",
    [prop("EMAIL", { params: [param("TYPE", { textMatch: text("work", "equals") })] })],
    true,
  ],
  ["a parameter that is missing", "anyof", [prop("EMAIL", { params: [param("PREF")] })], false],
  [
    "that a parameter is missing",
    "anyof",
    [prop("EMAIL", { params: [param("PREF", { isNotDefined: true })] })],
    true,
  ],
  [
    "text and parameter of one property",
    "anyof",
    [
      prop("EMAIL", {
        test: "allof",
        textMatches: [text("menard")],
        params: [param("TYPE", { textMatch: text("WORK", "equals") })],
      }),
    ],
    true,
  ],
  [
    "text and parameter of two properties",
    "anyof",
    [
      prop("EMAIL", {
        test: "allof",
        textMatches: [text("zoe")],
        params: [param("TYPE", { textMatch: text("WORK", "equals") })],
      }),
    ],
    false,
  ],
];

describe("a filter of cards", () => {
  test.each(filters)("evaluates %s (%s)", (_, how, props, isIn) => {
    expect(matchesCard({ test: how, props }, card)).toBe(isIn);
  });
});

describe("address-data", () => {
  const write = (request: Parameters<typeof selectAddressData>[0]) =>
    writeContentLines({ items: [selectAddressData(request, card)] })
      .toString()
      .split("\r\n");

  test("of another version is converted", () => {
    expect(write({ version: "4.0", props: undefined })).toContain("VERSION:4.0");
    expect(write({ version: "3.0", props: undefined })).toContain(
      "item1.EMAIL;TYPE=INTERNET,HOME:zoe@example.com",
    );
  });

  test("of some properties has these, with their groups, and VERSION", () => {
    const props = new Map([
      ["EMAIL", false],
      ["NOTE", true],
    ]);
    expect(write({ version: undefined, props })).toEqual([
      "BEGIN:VCARD",
      "VERSION:3.0",
      "item1.EMAIL;TYPE=INTERNET,HOME:zoe@example.com",
      "EMAIL;TYPE=INTERNET,WORK:menard@firm.example",
      "NOTE:",
      "END:VCARD",
      "",
    ]);
  });
});
