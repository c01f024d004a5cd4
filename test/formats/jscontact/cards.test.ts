import { Buffer } from "node:buffer";
import { describe, expect, test } from "vitest";
import { acceptCard, patchCard } from "#/src/formats/jscontact/accept-card.ts";
import type { JsonObject } from "#/src/formats/jscontact/json.ts";
import { readCard } from "#/src/formats/jscontact/read-contact.ts";
import { updateCard, writeCard } from "#/src/formats/jscontact/write-contact.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import { cardOf, linesOf } from "../vcard/read-card.ts";

function fieldOfRefusal(run: () => unknown): string | undefined {
  try {
    run();
  } catch (error) {
    if (isWaypostError(error) && error.code === "invalid") return error.details.field;
    throw error;
  }
  return undefined;
}

describe("a body", () => {
  test("in the short form is a whole Card", () => {
    expect(
      acceptCard({ name: "Jane Doe", emails: ["jane@example.com"], phones: ["1", "2"] }, "urn:uuid:1"),
    ).toEqual({
      "@type": "Card",
      version: "1.0",
      uid: "urn:uuid:1",
      name: { full: "Jane Doe" },
      emails: { k1: { address: "jane@example.com" } },
      phones: { k1: { number: "1" }, k2: { number: "2" } },
    });
  });

  test("keeps extensions, and loses only @types that say nothing", () => {
    const body = {
      "@type": "Card",
      uid: "u",
      "example.com:foo": { "@type": "Y" },
      emails: { a: { "@type": "EmailAddress", address: "a@b.example" } },
      localizations: { fr: { "emails/a": { "@type": "EmailAddress", address: "fr@b.example" } } },
    };
    const { uid, emails, localizations, "example.com:foo": foo } = acceptCard(body, "other") as JsonObject;
    expect([uid, emails, localizations, foo]).toEqual([
      "u",
      { a: { address: "a@b.example" } },
      body.localizations,
      body["example.com:foo"],
    ]);
  });

  test.each<[JsonObject, string]>([
    [{ emails: [1] }, "/emails/0"],
    [{ unheardOf: 1 }, "/unheardOf"],
    [{ emails: { "a b": { address: "x" } } }, "/emails/a b"],
    [{ emails: { a: { adress: "x" } } }, "/emails/a/address"],
    [{ emails: { a: { address: "x", pref: 0 } } }, "/emails/a/pref"],
    [{ version: "2.0" }, "/version"],
    [{ "Not A Name": 1 }, "/Not A Name"],
    [{ created: "2020-01-01" }, "/created"],
    [{ addresses: { a: { coordinates: "1,2" } } }, "/addresses/a/coordinates"],
    [{ vCardProps: [["x", {}, "text"]] }, "/vCardProps/0"],
    [{ keywords: { a: false } }, "/keywords/a"],
    [{ uid: " " }, "/uid"],
    [{ uid: "\u0000" }, "/uid"],
  ])("%j is refused with the pointer %s", (body, field) => {
    expect(fieldOfRefusal(() => acceptCard(body, "u"))).toMatch(new RegExp(`^${field}`));
  });

  test.each(["TEL:", "EMAIL;TYPE=work:", "PHOTO;VALUE=uri:", "LANG:not a language", "URL:"])(
    "of another program with the line %s is changed, and keeps it",
    (line) => {
      const stored = cardOf("4.0", "FN:A", "UID:1", line);
      const changed = updateCard(stored, patchCard(readCard(stored), { "name/full": "B" }));
      expect(linesOf(changed)).toEqual(expect.arrayContaining(["FN:B", line]));
    },
  );

  test("whose vCardProps has a property that JSContact defines is refused when it is written", () => {
    const card = acceptCard({ vCardProps: [["email", {}, "text", "a@b.example"]] }, "u");
    expect(fieldOfRefusal(() => writeCard(card))).toBe("/vCardProps");
  });
});

describe("a patch", () => {
  const card = readCard(cardOf("4.0", "UID:u", "FN:A", "EMAIL;PROP-ID=e:a@b.example", "TEL;PROP-ID=t:1"));

  test("sets, makes and deletes places", () => {
    const patched = patchCard(card, {
      "emails/e/address": "c@d.example",
      "emails/e/label": "new",
      "phones/t": null,
      "addresses/x": { full: "y" },
      name: "B",
    });
    expect(patched).toMatchObject({
      emails: { e: { address: "c@d.example", label: "new" } },
      name: { full: "B" },
      addresses: { x: { full: "y" } },
    });
    expect(patched.phones).toEqual({});
  });

  test.each<[JsonObject, string]>([
    [{ "emails/e": null, "emails/e/address": "x" }, "/emails/e"],
    [{ uid: "v" }, "/uid"],
    [{ "name/full/x": 1 }, "/name/full/x"],
    [{ "": {} }, "/"],
    [{ "emails/e/address": 1 }, "/emails/e/address"],
    [{ "__proto__/x": 1 }, "/__proto__/x"],
  ])("%j is refused at %s", (patch, field) => {
    expect(fieldOfRefusal(() => patchCard(card, JSON.parse(JSON.stringify(patch)) as JsonObject))).toBe(
      field,
    );
  });
});

describe("an update", () => {
  const apple = [
    "PRODID:-//Apple Inc.//iOS 18//EN",
    "UID:u",
    "N:Doe;Jane;;;",
    "FN;X-A=1:Jane Doe",
    "item1.EMAIL;type=INTERNET;type=pref:jane@example.com",
    "item1.X-ABLabel:_$!<School>!$_",
    "TEL;type=CELL;type=VOICE:1",
    "item2.ADR;type=HOME:;;1 Main St;Town;;12345;",
    "item2.X-ABADR:us",
    'X-Custom;P="a b":kept',
  ];
  const card = () => cardOf("3.0", ...apple);
  const update = (patch: JsonObject) => linesOf(updateCard(card(), patchCard(readCard(card()), patch)));

  test("of a card of Apple reads its labels, features and groups", () => {
    expect(readCard(card())).toMatchObject({
      emails: { k1: { address: "jane@example.com", pref: 1, label: "School" } },
      phones: { k1: { number: "1", features: { mobile: true, voice: true } } },
      addresses: { k1: { contexts: { private: true }, vCardParams: { group: "item2" } } },
      vCardProps: [
        ["x-abadr", { group: "item2" }, "unknown", "us"],
        ["x-custom", { p: "a b" }, "unknown", "kept"],
      ],
    });
  });

  test("of one number writes one line, in the words of version 3.0", () => {
    const lines = update({ "phones/k1/number": "2", "phones/k1/pref": 1 });
    expect(lines.filter((line) => !apple.includes(line))).toEqual(
      ["TEL;TYPE=VOICE,CELL;PROP-ID=k1;TYPE=pref:2"].map(() => lines[6]),
    );
    expect(lines[6]).toMatch(/^TEL;.*TYPE=pref:2$/);
  });

  test("of the name keeps the parameters of FN", () => {
    const lines = update({ "name/full": "Jane D." });
    expect(lines[3]).toBe("FN;X-A=1:Jane D.");
    expect(lines.filter((line) => !apple.includes(line))).toEqual([lines[2], lines[3]].toSorted().reverse());
    expect(lines).toContain("N:D.;Jane;;;");
  });

  test("that deletes an entry takes its label with it and leaves the ids of the others", () => {
    const two = cardOf(
      "4.0",
      "UID:u",
      "FN:A",
      "item1.EMAIL:1@x.example",
      "item1.X-ABLabel:one",
      "EMAIL:2@x.example",
    );
    const patched = patchCard(readCard(two), { "emails/k1": null });
    const updated = updateCard(two, patched);
    expect(linesOf(updated)).toEqual(["UID:u", "FN:A", "EMAIL;PROP-ID=k2:2@x.example"]);
    expect(readCard(updated)).toEqual(patched);
  });

  test("of a nickname in a list leaves the other one", () => {
    const listed = cardOf("4.0", "UID:u", "FN:A", "NICKNAME:Jim,Jimmie");
    const updated = updateCard(listed, patchCard(readCard(listed), { "nicknames/k1/name": "James" }));
    expect(readCard(updated).nicknames).toEqual({ k1: { name: "James" }, k2: { name: "Jimmie" } });
  });

  test("of a card of version 2.1 makes it one of 4.0", () => {
    const old = cardOf("2.1", "N;QUOTED-PRINTABLE:M=C3=BCller;Jan", "TEL;HOME:1");
    const updated = updateCard(old, patchCard(readCard(old), { "phones/k1/number": "2" }));
    expect(linesOf(updated)).toEqual(
      expect.arrayContaining(["N:Müller;Jan;;;", "TEL;TYPE=home;PROP-ID=k1:2"]),
    );
  });
});

describe("a written Card", () => {
  const lines = (card: JsonObject) =>
    linesOf(writeCard(acceptCard(card, "urn:uuid:1"))).filter((line) => !/^UID|^FN;DERIVED/.test(line));

  test.each<[JsonObject, readonly string[]]>([
    [
      {
        name: {
          components: [
            { kind: "given", value: "Jane" },
            { kind: "surname", value: "Doe" },
          ],
          isOrdered: true,
        },
      },
      ['N;JSCOMPS=";1;0":Doe;Jane;;;'],
    ],
    [
      { name: { components: [{ kind: "given", value: "John", phonetic: "dʒɑːn" }], phoneticSystem: "ipa" } },
      ["N;ALTID=1:;John;;;", "N;PHONETIC=ipa;ALTID=1:;dʒɑːn;;;"],
    ],
    [
      { phones: { p: { number: "tel:+1", label: "x", "example.com:foo/bar": 1 } } },
      [
        "item1.TEL;VALUE=uri;PROP-ID=p:tel:+1",
        "item1.X-ABLabel:x",
        'JSPROP;JSPTR="phones/p/example.com:foo~1bar":1',
      ],
    ],
    [
      {
        addresses: {
          a: {
            components: [
              { kind: "number", value: "5" },
              { kind: "name", value: "Oak, St" },
            ],
          },
        },
      },
      ["ADR;PROP-ID=a:;;5,Oak\\, St;;;;;;;;5;Oak\\, St;;;;;;"],
    ],
    [
      {
        language: "en",
        titles: { t: { kind: "title", name: "Boss" } },
        localizations: { fr: { "titles/t/name": "Patron" } },
      },
      ["LANGUAGE:en", "TITLE;PROP-ID=t;ALTID=1:Boss", "TITLE;PROP-ID=t;LANGUAGE=fr;ALTID=1:Patron"],
    ],
    [{ kind: "group", members: { "urn:uuid:2": true } }, ["KIND:group", "MEMBER:urn:uuid:2"]],
    [{ members: {} }, ["JSPROP;JSPTR=members:{}"]],
    [
      { relatedTo: { "x@y.example": { relation: { friend: true } } } },
      ["RELATED;VALUE=text;TYPE=friend:x@y.example"],
    ],
  ])("%j is %j", (card, expected) => {
    expect(lines(card)).toEqual(expected);
  });

  test("has its UID in a line of its own also where lines can't hold the rest", () => {
    const births = ["1990-01-02T03:04:05Z", "1991-01-02T03:04:05Z"].map((utc, at) => [
      `a${at}`,
      { kind: "birth", date: { "@type": "Timestamp", utc }, place: { full: "x" } },
    ]);
    const card = acceptCard({ name: "A", anniversaries: Object.fromEntries(births) }, "u");
    expect(linesOf(writeCard(card))).toContain("UID:u");
    expect(readCard(writeCard(card))).toEqual(card);
  });

  test("has an FN also without a name", () => {
    expect(linesOf(writeCard(acceptCard({ emails: ["a@b.example"] }, "u")))).toContain(
      "FN;DERIVED=true:a@b.example",
    );
  });
});

describe("hostile cards", () => {
  test("a JSPROP of deep JSON stays a property of the vCard", () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const card = cardOf("4.0", "FN:A", `JSPROP;JSPTR=deep:${deep}`);
    expect(readCard(card).vCardProps).toEqual([["jsprop", { jsptr: "deep" }, "unknown", deep]]);
  });

  test.each(["__proto__", "__proto__/polluted", "emails/__proto__/x", "vCardProps/0", "@type"])(
    "a JSPROP at %s changes nothing but the Card",
    (pointer) => {
      readCard(cardOf("4.0", "FN:A", "EMAIL:a@b.example", `JSPROP;JSPTR="${pointer}":{"polluted":true}`));
      expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    },
  );

  test.each([
    ["example.com:a", "[1,1e400]"],
    ["example.com:a", '{"b":{"__proto__":1}}'],
    ["example.com:a/__proto__", "1"],
    ["phones/p/__proto__", "1"],
  ])(
    "a JSPROP at %s of %s stays a property of the vCard, also when the card is changed",
    (pointer, value) => {
      const line = `JSPROP;JSPTR="${pointer}":${value}`;
      const card = cardOf("4.0", "UID:u", "FN:A", "TEL;PROP-ID=p:1", line);
      const read = readCard(card);
      expect(JSON.stringify(read)).not.toMatch(/"__proto__":|null/);
      expect(linesOf(updateCard(card, { ...read, kind: "org" }))).toEqual(
        expect.arrayContaining(["KIND:org", line]),
      );
    },
  );

  test.each(
    ["__proto__", "constructor", "toString"].flatMap((name) =>
      [
        `CATEGORIES:${name},b`,
        `EMAIL;PROP-ID=${name}:a@b.example`,
        `EMAIL;TYPE=${name}:a@b.example`,
        `NOTE;LANGUAGE=${name}:x`,
        `RELATED;TYPE=${name}:${name}`,
        `X-A;${name}=1:v`,
        `item1.X-ABLabel:${name}`,
      ].map((line) => [line]),
    ),
  )("the line %s is read, and stays when the card is changed and written as it was read", (line) => {
    const card = cardOf("4.0", "UID:u", "FN:A", line);
    const read = readCard(card);
    expect(linesOf(updateCard(card, patchCard(read, { "name/full": "B" })))).toContain(line);
    expect(linesOf(updateCard(card, { ...read, kind: "org" }))).toContain(line);
  });

  test.each([
    ["name", "[]"],
    ["uid", "5"],
    ["uid", '"other"'],
    ["uid/a", '"other"'],
    ["kind", '{"a":1}'],
    ["emails", '"x"'],
    ["emails/a", "[1]"],
    ["emails/a/address", "{}"],
    ["phones", "[1]"],
    ["speakToAs", "1"],
  ])("a JSPROP at %s whose value its member can't have stays a property of the vCard", (pointer, value) => {
    const own = ["UID:u", "FN:A", "EMAIL;PROP-ID=a:a@b.example", "TEL;PROP-ID=p:1", "GRAMGENDER:neuter"];
    const line = `JSPROP;JSPTR=${JSON.stringify(pointer)}:${value}`;
    const card = cardOf("4.0", ...own, line);
    const { vCardProps, ...read } = readCard(card);
    expect(read).toEqual(readCard(cardOf("4.0", ...own)));
    expect(vCardProps).toEqual([["jsprop", { jsptr: pointer }, "unknown", value]]);
    const changed = patchCard(readCard(card), { "name/full": "B" });
    expect(linesOf(updateCard(card, changed))).toEqual(["UID:u", "FN:B", ...own.slice(2), line]);
  });

  test("the same text has the same made-up uid, other text another", () => {
    const uid = (name: string) => readCard(cardOf("4.0", `FN:${name}`)).uid;
    expect(uid("A")).toMatch(
      /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    expect(uid("A")).toBe(uid("A"));
    expect(uid("A")).not.toBe(uid("B"));
    expect(Buffer.from(String(uid("A"))).length).toBe(45);
  });
});

describe("a card of 5,000 lines", () => {
  test.each([
    "TEL:1",
    "GEO:geo:1,2",
    "item1.EMAIL:a@b.example",
    "X-A:1",
    "BDAY:20200101",
    "TITLE;ALTID=1;LANGUAGE=en:x",
    "item1.X-ABLabel:x",
    "ADR:;;a;;;;",
    'JSPROP;JSPTR="a/b":1',
  ])("that all are %s is read and changed", (line) => {
    const card = cardOf("4.0", "UID:u", "FN:A", ...Array.from({ length: 5_000 }, () => line));
    const read = readCard(card);
    expect(linesOf(updateCard(card, { ...read, kind: "org" }))).toContain("KIND:org");
  });

  test("that differ in their keys is read", () => {
    const lines = Array.from({ length: 5_000 }, (_, at) => `RELATED:urn:x:${at}`);
    expect(Object.keys(readCard(cardOf("4.0", "FN:A", ...lines)).relatedTo as JsonObject).length).toBe(5_000);
  });
});
