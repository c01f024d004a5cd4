/** What a contact takes: members of RFC 9553 and of vendors, short forms, and whatever was read before. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { corpusNote, hasCorpus, listCorpusFiles } from "../support/corpus.ts";
import { type JsonServer, openJsonServer } from "../support/servers/json-server.ts";

let server: JsonServer;
beforeAll(async () => {
  server = await openJsonServer();
});
afterAll(() => server[Symbol.asyncDispose]());

describe("a contact that is not understood is refused, with the form that was meant", () => {
  it.each<[object, string, string]>([
    [{ email: "ada@example.com" }, "/body/email", 'emails: ["ada@example.com"]'],
    [{ name: "Ada", company: "Engines" }, "/body/company", "organizations: ["],
    [{ name: "Team", kind: "group", members: [5] }, "/body/members", "the uid of each contact"],
    [{ name: "Ada", titles: ["Engineer", 5] }, "/body/titles/1", "titles: ["],
    [{ name: "Ada", wrong: 1 }, "/body/wrong", "RFC 9553"],
    [{}, "/body", "At least name"],
    [{ uid: "a", kind: "individual" }, "/body", "At least name"],
    [{ name: "Ada", emails: ["a@b.example", 5] }, "/body/emails/1", "emails: ["],
    [{ name: "Ada", emails: [{ adress: "a@b.example" }] }, "/body/emails/0/address", "emails: ["],
    [{ name: "Ada", phones: { k1: { number: 5 } } }, "/body/phones/k1/number", "phones: ["],
  ])("%j", async (body, field, hint) => {
    const answer = await server.ada.client.call("contact.create", { body });
    expect([answer.status, answer.body.error.field]).toEqual([400, field]);
    expect(answer.body.error.hint).toContain(hint);
  });

  it("at its place in a patch", async () => {
    const { client } = server.ada;
    const { ref, version } = await client.ok("contact.create", { body: { name: "Ada" } });
    for (const [patch, field] of [
      [{ emails: ["a@b.example", 5] }, "/patch/emails/1"],
      [{ "/phones": [7] }, "/patch/~1phones/0"],
      [{ email: "a@b.example" }, "/patch/email"],
    ]) {
      const answer = await client.call("contact.update", { id: ref, version, patch });
      expect([answer.status, answer.body.error.field]).toEqual([400, field]);
    }
  });
});

it("takes lists of texts, as a signature has them, and the members of a group", async () => {
  const { client } = server.ada;
  const cardOf = async (body: object) => {
    const { ref, uid } = await client.ok("contact.create", { body });
    return { uid, card: (await client.ok("part.describe", { id: ref })).content.card };
  };
  const { uid, card } = await cardOf({
    name: "Hannah Vogel",
    organizations: ["Lindenhof GmbH"],
    titles: ["Bauleitung", "Architektin"],
    notes: ["Met at the fair."],
    nicknames: ["Hanna"],
    addresses: ["Lindenweg 4, Berlin"],
    links: ["https://lindenhof.example"],
    keywords: ["customer", "roof"],
  });
  expect(card).toMatchObject({
    organizations: { k1: { name: "Lindenhof GmbH" } },
    titles: { k1: { name: "Bauleitung" }, k2: { name: "Architektin" } },
    notes: { k1: { note: "Met at the fair." } },
    nicknames: { k1: { name: "Hanna" } },
    addresses: { k1: { full: "Lindenweg 4, Berlin" } },
    links: { k1: { uri: "https://lindenhof.example" } },
    keywords: { customer: true, roof: true },
  });
  const group = await cardOf({ kind: "group", name: "Roof team", members: [uid] });
  expect(group.card.members).toEqual({ [uid]: true });
});

it("an event points into the lists that were sent, and says the right form", async () => {
  const event = { title: "Review", start: "2030-01-15T10:00:00" };
  for (const [body, field, hint] of [
    [{ ...event, participants: ["ann@example.com", 5] }, "/body/participants/1", "participants: ["],
    [{ ...event, alerts: ["soon"] }, "/body/alerts/0", 'alerts: ["-PT15M"]'],
    [{ ...event, locations: [{ nam: "Room" }] }, "/body/locations/0/nam", "locations: ["],
    [{ ...event, start: "2030-01-15" }, "/body/start", "showWithoutTime: true"],
    [{ ...event, duration: "1h" }, "/body/duration", 'duration: "PT1H30M"'],
  ] as const) {
    const answer = await server.ada.client.call("event.create", { body });
    expect([answer.status, answer.body.error.field]).toEqual([400, field]);
    expect(answer.body.error.hint).toContain(hint);
  }
});

it("keeps members of vendors, at the top and inside", async () => {
  const { client } = server.ada;
  const body = {
    name: "Ada",
    "example.com:rank": { level: 3 },
    emails: { k1: { address: "ada@example.com", "example.com:seen": "2026" } },
  };
  const { ref } = await client.ok("contact.create", { body });
  const { card } = (await client.ok("part.describe", { id: ref })).content;
  expect(card).toMatchObject({ "example.com:rank": { level: 3 }, emails: body.emails });
});

/** The octets of a card as CardDAV clients get it. */
async function stored(id: string): Promise<string> {
  const { client } = await server.token(server.ada, ["contacts", "raw"]);
  const { content } = await client.ok("part.describe", { id, render: "source" });
  return Buffer.from(content.data, "base64").toString();
}

/** undefined for a card that CardDAV refuses. */
async function tryPut(card: string) {
  const { client } = server.ada;
  const book = (await client.ok("part.describe", { id: server.ada.id })).content.addressbooks[0].id;
  const uid = /^UID:(.*)\r$/m.exec(card)![1]!;
  const response = await fetch(
    `${server.url}/dav/addressbooks/${server.ada.id}/${book}/${encodeURIComponent(uid)}.vcf`,
    {
      method: "PUT",
      headers: { Authorization: `Bearer ${server.ada.token}`, "Content-Type": "text/vcard" },
      body: card,
    },
  );
  if (response.status !== 201) return undefined;
  const { ref, version } = await client.ok("part.describe", { id: `${book}#${uid}` });
  return { id: ref as string, version: version as string };
}

async function put(card: string) {
  const made = await tryPut(card);
  if (made === undefined) throw new Error("the card is refused");
  return made;
}

describe("the short form of a name on a vCard 3.0", () => {
  const card = (uid: string) =>
    `BEGIN:VCARD\r\nVERSION:3.0\r\nUID:${uid}\r\nFN:Ada Lovelace\r\nN:Lovelace;Ada;;;\r\nEND:VCARD\r\n`;

  it.each<[string, object, string, string]>([
    [
      "patched",
      { patch: { name: "Grace Brewster Hopper" } },
      "FN:Grace Brewster Hopper",
      "N:Hopper;Grace Brewster;;;",
    ],
    ["patched inside", { patch: { "name/full": "Grace Hopper" } }, "FN:Grace Hopper", "N:Hopper;Grace;;;"],
    ["in a whole body", { body: { name: "Grace" } }, "FN:Grace", "N:;Grace;;;"],
    [
      "in its components",
      {
        patch: {
          "name/components": [
            { kind: "surname", value: "Byron" },
            { kind: "given", value: "Ada" },
          ],
        },
      },
      "FN:Ada Byron",
      "N:Byron;Ada;;;",
    ],
  ])("keeps FN and N together: %s", async (how, change, fn, n) => {
    const { id, version } = await put(card(`v3-${how.replaceAll(" ", "-")}`));
    await server.ada.client.ok("contact.update", { id, version, ...change });
    const text = await stored(id);
    expect(text).toContain("VERSION:3.0\r\n");
    expect(text).toContain(`\r\n${fn}\r\n`);
    expect(text).toContain(`\r\n${n}\r\n`);
  });
});

it("a group's name stays whole, as Apple writes it", async () => {
  const card = `BEGIN:VCARD\r\nVERSION:3.0\r\nUID:v3-group\r\nN:Team\r\nFN:Team\r\nX-ADDRESSBOOKSERVER-KIND:group\r\nEND:VCARD\r\n`;
  const { id, version } = await put(card);
  await server.ada.client.ok("contact.update", { id, version, patch: { "name/full": "Team of the press" } });
  const text = await stored(id);
  expect(text).toContain("\r\nFN:Team of the press\r\n");
  expect(text).toMatch(/\r\nN:Team of the press;*\r\n/);
});

it.skipIf(!hasCorpus)(`takes back what part.describe gave, and changes nothing${corpusNote}`, async () => {
  const { client } = server.ada;
  const cards = listCorpusFiles("contact", /\.vcf$/)
    .map(({ bytes }) => bytes.toString())
    .filter((text) => /^UID:[^;:\r\n]{1,60}\r?$/m.test(text) && text.split(/BEGIN:VCARD/i).length === 2)
    .slice(0, 30);
  expect(cards.length).toBeGreaterThan(5);
  const seen = new Set<string>();
  let taken = 0;
  for (const card of cards) {
    const text = card.replace(/\r?\n/g, "\r\n");
    const uid = /^UID:(.*)\r$/m.exec(text)![1]!;
    if (seen.has(uid)) continue;
    seen.add(uid);
    const made = await tryPut(text);
    if (made === undefined) continue;
    const { id, version } = made;
    taken++;
    const { content } = await client.ok("part.describe", { id });
    const again = await client.ok("contact.update", { id, version, body: content.card });
    expect([uid, again.version]).toEqual([uid, version]);
  }
  expect(taken).toBeGreaterThan(5);
});
