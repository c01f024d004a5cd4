import { Buffer } from "node:buffer";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Component, parameterValue } from "#/src/formats/content-lines/content-line.ts";
import { readContentLines } from "#/src/formats/content-lines/read-content-lines.ts";
import { writeContentLines } from "#/src/formats/content-lines/write-content-lines.ts";
import { checkAddressData } from "#/src/formats/vcard/address-data.ts";
import { findVersion, propertiesOf, type VCardVersion } from "#/src/formats/vcard/card.ts";
import { convertCard } from "#/src/formats/vcard/convert-card.ts";
import { toBasicForm } from "#/src/formats/vcard/dates.ts";
import { isGroup, listMembers } from "#/src/formats/vcard/group-members.ts";
import { searchText } from "#/src/formats/vcard/search-text.ts";
import {
  escapeText,
  formatStructured,
  formatTextList,
  readStructured,
  readTextList,
  unescapeText,
} from "#/src/formats/vcard/values.ts";
import { toVersion3 } from "#/src/formats/vcard/version-3.ts";
import { toVersion4 } from "#/src/formats/vcard/version-4.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import { corpusNote, hasCorpus, listCorpusFiles } from "../../support/corpus.ts";
import { cardOf, lineOf, linesOf, listCorpusCards } from "./read-card.ts";

/** What a card says, whatever the order and the quotes of parameters. */
function factsOf(card: Component): string[] {
  const properties = propertiesOf(card).filter(
    (property) => property.name !== "VERSION" && parameterValue(property, "ENCODING") === undefined,
  );
  return properties.map(({ group, name, parameters, value }) => {
    const facts = parameters.flatMap((parameter) =>
      parameter.name === "VALUE" && /^(?:uri|date-and-or-time)$/i.test(parameter.values[0]!) // the default
        ? []
        : parameter.name === "TYPE"
          ? parameter.values.flatMap((type) => type.split(",")).map((type) => `TYPE=${type.toLowerCase()}`)
          : `${parameter.name}=${parameter.values.join(",")}`,
    );
    return [group, name, ...facts.sort(), toBasicForm(value)].join(" ");
  });
}

function upgraded(version: VCardVersion, line: string): string {
  return lineOf(toVersion4(propertiesOf(cardOf(version, line))[1]!, version));
}

describe("values", () => {
  test("any text comes back from its escapes, alone, in lists and in structures", () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.string({ minLength: 1, unit: "grapheme" }), { maxLength: 4 }), { minLength: 1 }),
        (parts) => {
          const texts = parts.map((part) => part.map((text) => text.replaceAll(/\r\n?/g, "\n")));
          expect(readStructured(formatStructured(texts))).toEqual(texts);
          const list = texts.flat();
          if (list.length > 0) expect(readTextList(formatTextList(list))).toEqual(list);
          for (const text of list) expect(unescapeText(escapeText(text))).toBe(text);
        },
      ),
    );
  });

  test("a backslash before a letter is a backslash", () => {
    expect(unescapeText(String.raw`C:\temp\, and\\more\N`)).toBe("C:\\temp, and\\more\n");
  });
});

describe("versions", () => {
  test.each([
    ["TEL;HOME;VOICE;PREF:1 2", "TEL;TYPE=HOME;TYPE=VOICE;PREF=1:1 2"],
    ["N;ENCODING=QUOTED-PRINTABLE;CHARSET=ISO-8859-1:M=FCller;J=F6rg, Dr.;;;", "N:Müller;Jörg\\, Dr.;;;"],
    ["NOTE;QUOTED-PRINTABLE:one=0D=0A=\r\ntwo; three", "NOTE:one\\ntwo\\; three"],
    ["PHOTO;BASE64;JPEG:/9j/4AAQ", "PHOTO:data:image/jpeg;base64,/9j/4AAQ"],
    ["ORG:A\\;B;C", "ORG:A\\;B;C"],
    ["URL;WORK:http://example.com/?a,b;c", "URL;TYPE=WORK:http://example.com/?a,b;c"],
  ])("2.1 %j is %j", (line, expected) => {
    expect(upgraded("2.1", line)).toBe(expected);
  });

  test.each([
    [
      "EMAIL;TYPE=INTERNET;TYPE=WORK;TYPE=pref:a@b.example",
      "EMAIL;TYPE=WORK;PREF=1:a@b.example",
      "EMAIL;TYPE=WORK;TYPE=pref:a@b.example",
    ],
    [
      "PHOTO;ENCODING=b;TYPE=PNG:iVBOR",
      "PHOTO:data:image/png;base64,iVBOR",
      "PHOTO;ENCODING=b;TYPE=PNG:iVBOR",
    ],
    ["PHOTO;VALUE=uri:http://a.example/", "PHOTO:http://a.example/", "PHOTO;VALUE=uri:http://a.example/"],
    ["GEO:37.6;-122.3", "GEO:geo:37.6,-122.3", "GEO:37.6;-122.3"],
    ["TZ:-05:00", "TZ:-0500", "TZ:-05:00"],
    ["REV:1995-10-31T22:27:10Z", "REV:19951031T222710Z", "REV:1995-10-31T22:27:10Z"],
    ["BDAY;VALUE=date:1996-04-15", "BDAY:19960415", "BDAY:1996-04-15"],
    ["BDAY;X-APPLE-OMIT-YEAR=1604:1604-04-15", "BDAY:--0415", "BDAY;X-APPLE-OMIT-YEAR=1604:1604-04-15"],
    ["X-ADDRESSBOOKSERVER-KIND:group", "KIND:group", "X-ADDRESSBOOKSERVER-KIND:group"],
    ["X-ADDRESSBOOKSERVER-MEMBER:urn:uuid:1", "MEMBER:urn:uuid:1", "X-ADDRESSBOOKSERVER-MEMBER:urn:uuid:1"],
    [
      "item1.X-SOCIALPROFILE;type=twitter;x-user=bob:http://t.example/bob",
      "item1.SOCIALPROFILE;SERVICE-TYPE=twitter;USERNAME=bob:http://t.example/bob",
      "item1.X-SOCIALPROFILE;TYPE=twitter;X-USER=bob:http://t.example/bob",
    ],
    ["X-FOO;X-BAR=1:a\\,b", "X-FOO;X-BAR=1:a\\,b", "X-FOO;X-BAR=1:a\\,b"],
  ])("3.0 %j is %j in 4.0, and %j again", (line, version4, version3) => {
    expect(upgraded("3.0", line)).toBe(version4);
    expect(lineOf(toVersion3(propertiesOf(cardOf("4.0", version4))[1]!))).toBe(version3);
  });

  test("a converted card keeps order, groups, unknown lines and octets of what is the same in both", () => {
    const card = cardOf("3.0", "FN:A", "item1.TEL;type=pref:1", "item1.X-ABLabel:x", 'x-fOO;Bar="1":y');
    expect(linesOf(convertCard(card, "4.0"))).toEqual([
      "FN:A",
      "item1.TEL;PREF=1:1",
      "item1.X-ABLabel:x",
      'x-fOO;Bar="1":y',
    ]);
    expect(findVersion(convertCard(card, "4.0"))).toBe("4.0");
    expect(convertCard(card, "3.0")).toBe(card);
  });

  test("a card gets the names that its version requires", () => {
    expect(linesOf(convertCard(cardOf("4.0", "FN:A"), "3.0"))).toEqual(["FN:A", "N:;;;;"]);
    expect(linesOf(convertCard(cardOf("2.1", "N:Doe;Jane;;Dr."), "4.0"))).toContain("FN:Dr. Jane Doe");
  });

  test.skipIf(!hasCorpus)(`no line of the corpus is lost from 4.0 to 3.0 and back${corpusNote}`, () => {
    let count = 0;
    for (const { file, card } of listCorpusCards()) {
      const version4 = convertCard(card, "4.0");
      const again = convertCard(convertCard(version4, "3.0"), "4.0");
      const kept = new Set(factsOf(again));
      expect({ file, lost: factsOf(version4).filter((fact) => !kept.has(fact)) }).toEqual({ file, lost: [] });
      const groups = (of: Component) => propertiesOf(of).map(({ group }) => group);
      expect(groups(version4).slice(0, groups(card).length)).toEqual(groups(card));
      count++;
    }
    expect(count).toBeGreaterThan(100);
  });
});

describe("address data", () => {
  const card = (...lines: readonly string[]) => Buffer.from([...lines, ""].join("\r\n"), "utf8");
  const good = ["BEGIN:VCARD", "VERSION:3.0", "UID:u1", "FN:A", "N:A;;;;", "END:VCARD"];
  const without = (start: string) => good.filter((line) => !line.startsWith(start));

  test("a card is accepted with its UID and version", () => {
    expect(checkAddressData(card(...good))).toMatchObject({ uid: "u1", version: "3.0" });
    expect(checkAddressData(card("BEGIN:VCARD", "VERSION:4.0", "UID:u2", "FN:A", "END:VCARD"))).toMatchObject(
      { uid: "u2", version: "4.0" },
    );
  });

  test.each([
    ["nothing", []],
    ["plain text", ["hello"]],
    ["a calendar", ["BEGIN:VCALENDAR", "VERSION:2.0", "END:VCALENDAR"]],
    ["two cards", [...good, ...good]],
    ["no END", good.slice(0, -1)],
    ["a line outside", [...good, "FN:B"]],
    ["no VERSION", without("VERSION")],
    ["two VERSIONs", ["BEGIN:VCARD", "VERSION:4.0", ...good.slice(1)]],
    ["no FN", without("FN")],
    ["no N in 3.0", without("N:")],
    ["no UID", without("UID")],
    ["an empty UID", good.map((line) => (line === "UID:u1" ? "UID: " : line))],
    ["two UIDs", ["BEGIN:VCARD", "UID:u2", ...good.slice(1)]],
    ["a line without a colon", ["BEGIN:VCARD", "broken", ...good.slice(1)]],
  ])("%s is not valid-address-data", (_, lines) => {
    expect(checkAddressData(card(...lines))).toMatchObject({ failed: "valid-address-data" });
  });

  test("a card of version 2.1 is not supported-address-data", () => {
    expect(checkAddressData(card("BEGIN:VCARD", "VERSION:2.1", "N:A", "UID:1", "END:VCARD"))).toMatchObject({
      failed: "supported-address-data",
    });
  });
});

describe("groups", () => {
  test.each([
    ["3.0", "X-ADDRESSBOOKSERVER-KIND:group", "X-ADDRESSBOOKSERVER-MEMBER:urn:uuid:1"],
    ["4.0", "KIND:Group", "MEMBER:urn:uuid:1"],
  ])("%s: %s and %s make a group with a member", (version, kind, member) => {
    const group = cardOf(version, "FN:G", kind, member, member);
    expect(isGroup(group)).toBe(true);
    expect(listMembers(group)).toEqual(["urn:uuid:1"]);
  });

  test("an individual is no group", () => {
    expect(isGroup(cardOf("4.0", "KIND:individual", "FN:G"))).toBe(false);
  });
});

describe("search text", () => {
  test("has what a person sees, each piece once, without data and programs' lines", () => {
    const card = cardOf(
      "3.0",
      "FN:Jane Doe",
      "N:Doe;Jane;;;",
      "NICKNAME:Jay,JD",
      "EMAIL;TYPE=pref:jane@example.com",
      "TEL;VALUE=uri:tel:+1-555",
      "ORG:ABC\\, Inc.;Sales",
      "ADR:;;1 Main St;Town;;12345;",
      "NOTE:likes\\ntea",
      "PHOTO;ENCODING=b;TYPE=JPEG:/9j/4AAQ",
      "X-SECRET:hidden",
    );
    expect(searchText(card, () => {})).toEqual([
      { field: "name", text: "Jane Doe" },
      { field: "name", text: "Doe Jane" },
      { field: "name", text: "Jay JD" },
      { field: "address", text: "jane@example.com" },
      { field: "phone", text: "+1-555" },
      { field: "organization", text: "ABC, Inc. Sales" },
      { field: "place", text: "1 Main St Town 12345" },
      { field: "note", text: "likes tea" },
    ]);
  });

  test("is without characters that a person does not see, and they are counted", () => {
    const counts: Record<string, number> = {};
    const pieces = searchText(cardOf("4.0", "FN:\u202egnp.exe", "NOTE:a\u200bb\u{e0041}"), (what, count) => {
      counts[what] = (counts[what] ?? 0) + count;
    });
    expect(pieces.map(({ text }) => text)).toEqual(["gnp.exe", "ab"]);
    expect(counts).toEqual({ "bidi-control": 1, "zero-width": 1, "unicode-tag": 1 });
  });

  test("of one card is at most 100,000 characters", () => {
    const notes = Array.from({ length: 30 }, (_, index) => `NOTE:${index}${"x".repeat(9999)}`);
    let left = 0;
    const pieces = searchText(cardOf("4.0", "FN:A", ...notes), (_, count) => {
      left += count;
    });
    expect(pieces.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(100_000);
    expect(left).toBeGreaterThan(20);
  });
});

describe.skipIf(!hasCorpus)(`attack files${corpusNote}`, () => {
  test("end in a card, a failed precondition or an error of the limits", () => {
    const files = listCorpusFiles("attack/vcard", /\.vcf$/);
    expect(files.length).toBe(5);
    const outcomes = files.map(({ file, bytes }) => {
      try {
        const checked = checkAddressData(bytes);
        return [file, "failed" in checked ? checked.failed : "stored"];
      } catch (error) {
        if (!isWaypostError(error)) throw error;
        return [file, error.details.reason];
      }
    });
    expect(Object.fromEntries(outcomes)).toEqual({
      "agent-nesting.vcf": "limit_reached",
      "formula-and-bidi.vcf": "valid-address-data",
      "photo-900k.vcf": "valid-address-data",
      "photo-file-url.vcf": "valid-address-data",
      "structured-components.vcf": "valid-address-data",
    });
  });

  test("a flood of components is read as at most 1,000 of them", () => {
    expect(readStructured(";".repeat(1_000_000)).length).toBe(1000);
    expect(readTextList(",".repeat(1_000_000)).length).toBe(1000);
  });

  test("what was read is written with the same octets", () => {
    for (const { bytes } of listCorpusFiles("attack/vcard", /\.vcf$/).filter(
      ({ file }) => !file.includes("agent"),
    ))
      expect(writeContentLines(readContentLines(bytes)).equals(bytes)).toBe(true);
  });
});
