import { describe, expect, it } from "vitest";
import { listComponents } from "#/src/formats/content-lines/content-line.ts";
import { readContentLines } from "#/src/formats/content-lines/read-content-lines.ts";
import { acceptCard } from "#/src/formats/jscontact/accept-card.ts";
import type { JsonObject } from "#/src/formats/jscontact/json.ts";
import { readCard } from "#/src/formats/jscontact/read-contact.ts";
import { contactForm } from "#/src/render/contacts/contact-form.ts";
import { contactText } from "#/src/render/contacts/contact-text.ts";
import { shownVcard } from "#/src/render/contacts/shown-vcard.ts";
import { createRemovalTally } from "#/src/render/removal.ts";
import { dataFacts, readData, shownObject, withoutLinks } from "#/src/render/shown-object.ts";

const id = "contact_x";
const component = (lines: string) =>
  listComponents(
    readContentLines(Buffer.from(`BEGIN:VCARD\r\n${lines.trim().replaceAll("\n", "\r\n")}\r\nEND:VCARD\r\n`)),
  )[0]!;
const shown = (card: JsonObject) => {
  const tally = createRemovalTally();
  const { object, linked } = shownObject(card, id, tally);
  return { card: object, linked, removed: tally.list() };
};
const photo = `data:image/png;base64,${Buffer.alloc(3000, 7).toString("base64")}`;

describe("a contact as text", () => {
  it("has a line for each property", () => {
    const card = readCard(
      component(`VERSION:4.0
UID:urn:uuid:1
FN:Ada Lovelace
N:Lovelace;Ada;;;
NICKNAME:Enchantress
ORG:Analytical Engines;Research
TITLE:Countess
EMAIL;TYPE=work:ada@example.com
TEL;TYPE="voice,home";VALUE=uri:tel:+44-20-7946-0000
ADR;TYPE=home:;;12 St James's Square;London;;;UK
BDAY:18151210
URL:https://example.com/ada
CATEGORIES:mathematics,poetry
NOTE:First line\\nSecond line`),
    );
    const { card: clean, linked } = shown(card);
    expect(contactText(clean, linked)).toBe(`Ada Lovelace
Nickname: Enchantress
Organization: Analytical Engines, Research
Title: Countess
Email: ada@example.com (work)
Phone: +44-20-7946-0000 (voice, private)
Address: 12 St James's Square, London, UK (private)
Birth: 1815-12-10
Link: https://example.com/ada
Keywords: mathematics, poetry
Note: First line
  Second line`);
  });

  it("keeps a value with line ends on its own line", () => {
    const card = acceptCard({ name: "Ada\nEmail: ceo@bank.example", phones: ["1\nNote: x"] }, "u");
    expect(contactText(shown(card).card, [])).toBe("Ada Email: ceo@bank.example\nPhone: 1\n  Note: x");
  });

  it.each([
    [{ organizations: { o: { name: "Engines" } } }, "Engines"],
    [
      {
        name: {
          components: [
            { kind: "given", value: "Ada" },
            { kind: "surname", value: "L" },
          ],
        },
      },
      "Ada L",
    ],
    [{ emails: ["ada@example.com"] }, "ada@example.com"],
    [{}, "(no name)"],
  ])("calls %j %s", (body, name) => {
    expect(contactText(acceptCard(body, "u"), []).split("\n")[0]).toBe(name);
  });
});

describe("a card as it is shown", () => {
  it("leaves out invisible text, and says so", () => {
    const hidden = "\u{e0049}\u{e0067}";
    const { card, removed } = shown(
      acceptCard(
        { name: `Ada\u200b`, notes: { n: { note: `Hi${hidden}` } }, keywords: { "k\u202e": true } },
        "u",
      ),
    );
    expect(card).toMatchObject({
      name: { full: "Ada" },
      notes: { n: { note: "Hi" } },
      keywords: { k: true },
    });
    expect(removed).toEqual([
      { what: "zero-width", count: 1, where: "name" },
      { what: "unicode-tag", count: 2, where: "notes" },
      { what: "bidi-control", count: 1, where: "keywords" },
    ]);
  });

  it("has links to photos and long texts, and a link that is sent back keeps them", () => {
    const note = "x".repeat(30_000);
    const stored = acceptCard(
      { name: "Ada", media: { p: { kind: "photo", uri: photo } }, notes: { n: { note } } },
      "u",
    );
    const { card, linked } = shown(stored);
    expect(linked).toEqual([
      { part: "media/p/uri", type: "image/png", size: 3000 },
      { part: "notes/n/note", size: 30_000 },
    ]);
    expect(card).toMatchObject({ media: { p: { uri: "waypost:contact_x#media/p/uri" } } });
    expect(JSON.stringify(card).length).toBeLessThan(500);
    expect(contactText(card, linked)).toContain("Photo: image/png, 3000 octets, part media/p/uri");
    expect(withoutLinks(card, id, stored)).toEqual(stored);
  });

  it.each([
    ["of another contact", "waypost:contact_y#media/p/uri"],
    ["to nothing", "waypost:contact_x#media/q/uri"],
    ["that is broken", "waypost:contact_x#%zz"],
  ])("refuses a link %s", (_, uri) => {
    expect(() => withoutLinks({ media: { p: { uri } } }, id, {})).toThrow(
      expect.objectContaining({
        code: "invalid",
        details: expect.objectContaining({ field: "/media/p/uri" }),
      }),
    );
  });

  it.each([
    ["data:image/png;base64,QUJD", "image/png", "ABC"],
    ["data:;base64,QUI=", "application/octet-stream", "AB"],
    ["data:text/plain;charset=utf-8,A%20B", "text/plain", "A B"],
    ["data:,%zz", "application/octet-stream", "%zz"],
  ])("reads %s", (uri, type, octets) => {
    expect(dataFacts(uri).type).toBe(type);
    expect(readData(uri).toString()).toBe(octets);
  });
});

describe("a vCard as it is shown", () => {
  it("is without hidden characters and inline data", () => {
    const tally = createRemovalTally();
    const text = shownVcard(
      component(`VERSION:3.0
FN:Ada\u200b
N:;Ada;;;
PHOTO;ENCODING=b;TYPE=PNG:${"QUJD".repeat(1000)}
UID:1`),
      id,
      tally,
    );
    expect(text).toBe(
      "BEGIN:VCARD\nVERSION:3.0\nFN:Ada\nN:;Ada;;;\nPHOTO;VALUE=uri;TYPE=PNG:waypost:contact_x\nUID:1\nEND:VCARD\n",
    );
    expect(tally.list().map(({ what }) => what)).toEqual(["over-limit", "zero-width"]);
  });
});

describe("a contact in a listing", () => {
  it("shows its addresses, on lines of limited length", () => {
    const tally = createRemovalTally();
    expect(
      contactForm(
        component(`VERSION:4.0
UID:1
KIND:org
FN:${"n".repeat(500)}
EMAIL:mailto:office@example.com
TEL;VALUE=uri:tel:+441
ORG:Engines;Office`),
        tally,
      ),
    ).toEqual({
      kind: "org",
      name: "n".repeat(200),
      emails: ["office@example.com"],
      phones: ["+441"],
      organization: "Engines, Office",
    });
  });

  it("marks a name that is the address of another", () => {
    const tally = createRemovalTally();
    contactForm(component("VERSION:4.0\nUID:1\nFN:ceo@bank.example\nEMAIL:mel@elsewhere.example"), tally);
    expect(tally.list()).toEqual([{ what: "name-is-address", count: 1, where: "name" }]);
  });
});
