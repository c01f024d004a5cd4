/** Pairs of vCard and JSContact from another implementation, which follows RFC 9555 and a later draft. */
import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { acceptCard } from "#/src/formats/jscontact/accept-card.ts";
import { applyPatch, isEqual, isObject, type Json, type JsonObject } from "#/src/formats/jscontact/json.ts";
import { readCard } from "#/src/formats/jscontact/read-contact.ts";
import { writeCard } from "#/src/formats/jscontact/write-contact.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import { corpusFolder, corpusNote, hasCorpus, readCorpusText } from "../../support/corpus.ts";
import { cardOf } from "../vcard/read-card.ts";

interface Pair {
  readonly title: string;
  readonly vcard: string;
  readonly card: JsonObject;
}

const folder = "contact/calcard-jscontact";

/** Blocks behind each other: a vCard and the Card after it, or before it if none comes after. */
function listPairs(): { readonly pairs: Pair[]; readonly cards: Pair[] } {
  const pairs: Pair[] = [];
  const cards: Pair[] = [];
  for (const file of readdirSync(`${corpusFolder}/${folder}`).sort())
    for (const part of readCorpusText(`${folder}/${file}`)
      .split(/^> test /m)
      .slice(1)) {
      const [, name, body] = /^(.*)\n([\s\S]*)$/.exec(part)!;
      const blocks = body!.split(/^> convert\n/m).map((text) => ({ text, card: cardOfBlock(text) }));
      blocks.forEach((block, at) => {
        const title = `${file.slice(0, 3)} ${name} ${at}`;
        if (block.card !== undefined) cards.push({ title, vcard: "", card: block.card });
        else {
          const card = blocks[at + 1]?.card ?? blocks[at - 1]?.card;
          if (card !== undefined) pairs.push({ title, vcard: block.text, card });
        }
      });
    }
  return { pairs, cards };
}

function cardOfBlock(text: string): JsonObject | undefined {
  const trimmed = text.trim();
  if (!/^["{]/.test(trimmed)) return undefined;
  const json = JSON.parse(trimmed.startsWith("{") ? trimmed : `{${trimmed}}`) as JsonObject;
  const { vCard, ...card } = json;
  // A draft has all properties and parameters without a place in one object of the Card; RFC 9555 section 2.15 has vCardProps.
  const properties = isObject(vCard) ? vCard.properties : undefined;
  return { ...card, ...(properties === undefined ? {} : { vCardProps: properties }) };
}

function read(vcard: string): JsonObject {
  const lines = vcard.split("\n").filter((line) => line !== "" && !/^(?:BEGIN|END|VERSION):/.test(line));
  return readCard(cardOf("4.0", ...lines));
}

/** What both mean: ids, order of keys, spelling of languages and defaults do not count; localizations are what comes out. */
function meaning(card: JsonObject): Json {
  const { localizations, ...plain } = card;
  const localized = Object.entries(isObject(localizations) ? localizations : {}).map(([language, patch]) => {
    const { value, failed } = {
      value: undefined,
      failed: undefined,
      ...applyPatch(plain, patch as JsonObject),
    };
    if (value === undefined) throw new Error(`no place for ${failed}`);
    return [language.toLowerCase(), value];
  });
  return withoutIds({ ...plain, localizations: Object.fromEntries(localized) as JsonObject });
}

/** The other implementation writes JSCOMPS for all names and addresses; RFC 9555 section 3.3.1 has it for ordered ones only. */
const own = new Set(["isOrdered", "@type", "uid", "version", "vCardParams", "vCardName"]);

function withoutIds(value: Json, name = ""): Json {
  if (Array.isArray(value)) return value.map((each: Json) => withoutIds(each, name));
  if (!isObject(value)) return name === "language" || name === "kind" ? String(value).toLowerCase() : value;
  const entries = Object.entries(value).filter(([key]) => !own.has(key));
  const ids = entries.filter(([key]) => /^k\d+$/.test(key));
  if (ids.length === 0 || ids.length < entries.length)
    return Object.fromEntries(
      entries
        .map(
          ([key, inner]) => [key, key === "vCardProps" ? properties(inner) : withoutIds(inner, key)] as const,
        )
        .sort(([one], [other]) => (one < other ? -1 : 1)),
    );
  return ids.map(([, inner]) => JSON.stringify(withoutIds(inner))).sort();
}

/** Names and values; types of values are told apart in a draft only. */
function properties(value: Json): Json {
  return (value as readonly (readonly Json[])[])
    .map(([name, , , text]) => `${String(name)}:${Array.isArray(text) ? text.join(";") : String(text)}`)
    .sort();
}

/** Where RFC 9553 and RFC 9555 say otherwise. Each entry differs, or the test fails. */
const derived =
  "RFC 9555 section 3.1: an FN that is derived need not be converted; kept, it would outlive the name that it is made of";
const first = "the first FN or N is the name; the other implementation writes the others first";
const position =
  "RFC 9553 section 2.5.1.1: coordinates are a geo: URI, and timeZone a name of IANA's database";
const phonetic =
  "RFC 9553 section 2.2.1.1: phonetic values are `phonetic` of the components, not their values";
const account = "RFC 9555 section 2.7.5: a SOCIALPROFILE of VALUE=text is `user`, not `uri`";
const differing: Readonly<Record<string, string>> = {
  "003 RFC9555 JSCOMPS #1 1": derived,
  "003 RFC9555 JSCOMPS #2 1": derived,
  "003 Multiple FN 2": first,
  "003 Multiple N 2": first,
  "005 RFC9555 GEO TZ 0": position,
  "005 ADR with GEO and TZ parameters 0": position,
  "005 ADR with GEO and TZ parameters 2": position,
  "005 ADR with GEO and TZ parameters and properties 0": position,
  "005 ADR with GEO and TZ parameters and properties 2": position,
  "013 RFC9555 PHONETIC 0": phonetic,
  "013 RFC9555 PHONETIC 2": phonetic,
  "013 RFC9555 PHONETIC with PROP-ID 0": phonetic,
  "014 RFC9553 name and localizations #1 1": phonetic,
  "015 RFC6350 N ALTID #2 2": first,
  "017 RFC9554 PRONOUNS 0": "nothing says that the language of some properties is that of the card",
  "017 RFC9554 SOCIALPROFILE 0": account,
  "017 RFC9554 SOCIALPROFILE 2": account,
  "017 RFC9554 N FN 0": derived,
  "017 RFC9554 N FN 2": derived,
  "017 RFC9554 N ALTID 0": phonetic,
  "017 RFC9554 N ALTID 2": phonetic,
};

describe.skipIf(!hasCorpus)(`the pairs of the corpus${corpusNote}`, () => {
  const { pairs, cards } = hasCorpus ? listPairs() : { pairs: [], cards: [] };

  test("each vCard reads as the Card beside it, but for those that the RFCs decide otherwise", () => {
    expect(pairs.length).toBeGreaterThan(150);
    const differ = pairs.filter(({ vcard, card }) => !isEqual(meaning(read(vcard)), meaning(card)));
    expect(differ.map(({ title }) => title)).toEqual(Object.keys(differing));
  });

  test("each Card that is written reads the same", () => {
    expect(cards.length).toBeGreaterThan(150);
    const refused = new Set<string>();
    for (const { title, card } of cards) {
      let whole: JsonObject;
      try {
        whole = acceptCard(card, "urn:uuid:0");
      } catch (error) {
        if (!isWaypostError(error)) throw error;
        refused.add(`${title}: ${error.details.field}`);
        continue;
      }
      expect([title, meaning(readCard(writeCard(whole)))]).toEqual([title, meaning(whole)]);
    }
    // Coordinates that are no geo: URI, and a name that neither RFC 9553 nor a vendor has.
    expect([...refused]).toEqual([
      "005 RFC9555 GEO TZ 1: /addresses/k2/coordinates",
      "005 ADR with GEO and TZ parameters 1: /addresses/k1/coordinates",
      "005 ADR with GEO and TZ parameters and properties 1: /addresses/k1/coordinates",
      "012 RFC9555 JSPROP #1 0: /someUnknownProperty",
    ]);
  });
});
