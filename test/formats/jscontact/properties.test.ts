import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { listComponents } from "#/src/formats/content-lines/content-line.ts";
import { readContentLines } from "#/src/formats/content-lines/read-content-lines.ts";
import { writeContentLines } from "#/src/formats/content-lines/write-content-lines.ts";
import { acceptCard } from "#/src/formats/jscontact/accept-card.ts";
import type { Json, JsonObject } from "#/src/formats/jscontact/json.ts";
import { readCard } from "#/src/formats/jscontact/read-contact.ts";
import { updateCard, writeCard } from "#/src/formats/jscontact/write-contact.ts";
import { cardOf, linesOf } from "../vcard/read-card.ts";

/** Text with what vCard, JSON and pointers escape. */
const text = fc
  .array(
    fc.constantFrom("a", "B c", ",", ";", "\\", "\n", '"', "^", ":", "/", "~", "é", "字", "🙂", "\\n", "^n"),
    {
      minLength: 1,
      maxLength: 8,
    },
  )
  .map((parts) => parts.join(""));
const id = fc.constantFrom("a", "k1", "k2", "X-9", "home_1");
const label = fc.option(text, { nil: undefined });
const pref = fc.option(fc.integer({ min: 1, max: 100 }), { nil: undefined });
const contexts = fc.option(
  fc.constantFrom({ work: true }, { private: true }, { work: true, private: true }, { billing: true }),
  { nil: undefined },
);
/** No body has a member `__proto__`. */
const extension = fc.option(
  fc.jsonValue({ maxDepth: 2 }).filter((value) => !JSON.stringify(value).includes('"__proto__"')),
  { nil: undefined },
);
const vCardParams = fc.option(
  fc.dictionary(fc.constantFrom("x-foo", "altid", "group"), fc.constantFrom("one", "two")),
  { nil: undefined },
);

function entries(fields: Record<string, fc.Arbitrary<unknown>>) {
  const entry = fc.record({ ...fields, "example.com:x/y": extension });
  return fc.option(fc.dictionary(id, entry, { minKeys: 1, maxKeys: 3 }), { nil: undefined });
}

const component = (kinds: readonly string[]) =>
  fc.record({ kind: fc.constantFrom(...kinds), value: text, phonetic: label });
const componentsOf = (kinds: readonly string[]) => ({
  components: fc.option(fc.array(component(kinds), { minLength: 1, maxLength: 5 }), { nil: undefined }),
  isOrdered: fc.option(fc.boolean(), { nil: undefined }),
  defaultSeparator: label,
  full: label,
  phoneticSystem: fc.constantFrom(undefined, "ipa"),
});
const name = fc.record(
  componentsOf([
    "given",
    "given2",
    "surname",
    "surname2",
    "title",
    "credential",
    "generation",
    "separator",
    "odd",
  ]),
);
const date = fc.oneof(
  fc.constantFrom<JsonObject>(
    { year: 1990 },
    { year: 1990, month: 2 },
    { month: 2, day: 29 },
    { day: 3 },
    { year: 1990, month: 12, day: 31 },
  ),
  fc.constant<JsonObject>({ "@type": "Timestamp", utc: "1990-01-02T03:04:05Z" }),
);

const body = fc.record({
  uid: fc.constantFrom("urn:uuid:1", "a,b;c\\d"),
  kind: fc.constantFrom(undefined, "group", "individual"),
  language: fc.constantFrom(undefined, "en", "de-AT"),
  name: fc.option(name, { nil: undefined }),
  emails: entries({ address: text, label, pref, contexts, vCardParams }),
  phones: entries({
    number: fc.oneof(text, fc.constant("tel:+1;ext=2")),
    label,
    pref,
    features: fc.constantFrom(undefined, { mobile: true, fax: true }),
  }),
  nicknames: entries({ name: text, pref }),
  notes: entries({
    note: text,
    author: fc.constantFrom(undefined, { name: 'An "A"' }),
    created: fc.constantFrom(undefined, "2020-01-01T00:00:00Z"),
  }),
  organizations: entries({
    name: label,
    units: fc.option(fc.array(fc.record({ name: text, sortAs: label }), { maxLength: 2 }), {
      nil: undefined,
    }),
  }),
  titles: entries({
    name: text,
    kind: fc.constantFrom(undefined, "title", "role", "odd"),
    organizationId: fc.constantFrom(undefined, "a"),
  }),
  addresses: entries({
    ...componentsOf(["name", "number", "locality", "postcode", "apartment", "district", "separator"]),
    timeZone: fc.constantFrom(undefined, "Europe/Berlin"),
    coordinates: fc.constantFrom(undefined, "geo:1,2"),
    contexts,
    label,
  }),
  onlineServices: entries({
    uri: fc.constantFrom(undefined, "https://a.example/"),
    user: label,
    service: label,
    vCardName: fc.constantFrom(undefined, "impp"),
  }),
  links: entries({
    uri: fc.constantFrom("https://a.example/,;", "data:text/plain;base64,YQ=="),
    kind: fc.constantFrom(undefined, "contact", "odd"),
    label,
  }),
  media: entries({
    uri: fc.constant("data:image/png;base64,AA=="),
    kind: fc.constantFrom("photo", "logo", "odd"),
  }),
  anniversaries: entries({
    kind: fc.constantFrom("birth", "wedding", "odd"),
    date,
    place: fc.constantFrom(undefined, { full: "x" }),
  }),
  relatedTo: fc.option(
    fc.dictionary(text, fc.constantFrom({}, { relation: { friend: true } }, { relation: {} }), {
      maxKeys: 2,
    }),
    { nil: undefined },
  ),
  members: fc.option(fc.dictionary(text, fc.constant(true), { maxKeys: 2 }), { nil: undefined }),
  keywords: fc.option(fc.dictionary(text, fc.constant(true), { maxKeys: 3 }), { nil: undefined }),
  speakToAs: fc.option(
    fc.record({
      grammaticalGender: fc.constantFrom(undefined, "neuter"),
      pronouns: entries({ pronouns: text, pref }),
    }),
    { nil: undefined },
  ),
  "example.com:more": extension,
  vCardProps: fc.option(
    fc.array(
      fc.tuple(
        fc.constantFrom("x-a", "gender"),
        fc.constantFrom({}, { group: "g1", "x-p": ["1", "2"] }),
        fc.constant("text"),
        text,
      ),
      { maxLength: 2 },
    ),
    { nil: undefined },
  ),
  localizations: fc.constantFrom(
    undefined,
    { es: { "name/full": "Juana" } },
    { es: { kind: "org" }, fr: {} },
  ),
});

/** As JSON carries it: without what is undefined. */
const cards = body.map((value) => acceptCard(JSON.parse(JSON.stringify(value)) as JsonObject, "urn:uuid:0"));

/** Through octets, as it is stored. */
function stored(card: ReturnType<typeof writeCard>) {
  return listComponents(readContentLines(writeContentLines({ items: [card] })), "VCARD")[0]!;
}

/** Control characters have no place in a vCard; localizations may be said in other words. */
function comparable(card: JsonObject): Json {
  const { localizations: _, ...rest } = card;
  return rest;
}

describe("any Card", () => {
  test("is the same after it was written as a vCard and read", () => {
    fc.assert(
      fc.property(cards, (card) => {
        expect(comparable(readCard(stored(writeCard(card))))).toEqual(comparable(card));
      }),
      { numRuns: 80 },
    );
  });

  test("replaces another one in its vCard, and keeps lines that JSContact does not have", () => {
    fc.assert(
      fc.property(cards, cards, (before, after) => {
        const with2 = {
          ...after,
          vCardProps: [...((after.vCardProps as Json[]) ?? []), ["x-kept", {}, "unknown", "1\\,2"]],
        };
        const first = stored(writeCard({ ...before, vCardProps: [["x-kept", {}, "unknown", "1\\,2"]] }));
        const second = stored(updateCard(first, { ...with2, uid: before.uid! }));
        const { vCardProps: is, ...card } = comparable(readCard(second)) as JsonObject;
        const { vCardProps: should, ...wanted } = comparable({ ...with2, uid: before.uid! }) as JsonObject;
        expect(card).toEqual(wanted);
        expect(new Set(is as Json[])).toEqual(new Set(should as Json[]));
        expect(linesOf(second)).toContain("X-KEPT:1\\,2");
      }),
      { numRuns: 60 },
    );
  });

  test("that changes in one entry leaves the octets of the other lines", () => {
    const card = cardOf(
      "3.0",
      'FN;X-P="a":A',
      "n:A;;;;",
      "item1.EMAIL;type=INTERNET;type=pref:a@b.example",
      "item1.X-ABLabel:_$!<Home>!$_",
      "TEL;type=CELL:1",
      "x-Odd;P=1:\\x",
    );
    fc.assert(
      fc.property(text, (number) => {
        const read = readCard(card);
        const phones = { k1: { features: { mobile: true }, number } };
        const lines = linesOf(updateCard(card, { ...read, phones }));
        const others = (all: readonly string[]) => all.filter((line) => !/^TEL|^JSPROP|^UID/.test(line));
        expect(others(lines)).toEqual(others(linesOf(card)));
      }),
      { numRuns: 50 },
    );
  });
});
