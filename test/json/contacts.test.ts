import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nobody } from "#/src/model/author.ts";
import type { ItemNumber } from "#/src/model/numbers.ts";
import { type JsonServer, openJsonServer } from "../support/servers/json-server.ts";

let server: JsonServer;
let book: string;
beforeAll(async () => {
  server = await openJsonServer();
  const { content } = await server.ada.client.ok("part.describe", { id: server.ada.id });
  book = content.addressbooks[0].id;
});
afterAll(() => server[Symbol.asyncDispose]());

const create = (body: object, more: object = {}) => server.ada.client.ok("contact.create", { body, ...more });
const read = (id: string, more: object = {}) => server.ada.client.ok("part.describe", { id, ...more });
const refusal = async (operation: string, input: object) => {
  const { status, body } = await server.ada.client.call(operation, input);
  return [status, body.error?.code, body.error?.field];
};
/** The stored vCard. */
async function vcardOf(id: string): Promise<string> {
  const { agent, object } = server.store.ids.decode(id)!;
  const [item] = await server.collections.readItems(agent, [object as ItemNumber]);
  return Buffer.from(item!.bytes).toString();
}
/** As a contact client puts it. */
async function put(lines: string, collection = book): Promise<string> {
  const { agent, object } = server.store.ids.decode(collection)!;
  const { item } = await server.collections.putItem(
    agent,
    { ...nobody, agent, canApprove: false },
    {
      collection: object as never,
      bytes: Buffer.from(`BEGIN:VCARD\r\n${lines.trim().replaceAll("\n", "\r\n")}\r\nEND:VCARD\r\n`),
      provenance: { source: "dav" },
      isAuthenticated: true,
    },
  );
  return server.store.ids.encode("contact", agent, item);
}

describe("contact.create", () => {
  it("takes the short form, into the default addressbook", async () => {
    const made = await create({ name: "Ada Lovelace", emails: ["ada@example.com"], phones: ["+441"] });
    expect(made).toEqual({
      ref: expect.stringMatching(/^contact_/),
      created: true,
      version: expect.any(String),
      uid: expect.stringMatching(/^urn:uuid:/),
    });
    const shown = await read(made.ref);
    expect(shown).toMatchObject({
      ref: made.ref,
      kind: "contact",
      version: made.version,
      text: "Ada Lovelace\nEmail: ada@example.com\nPhone: +441",
      content: {
        uid: made.uid,
        addressbook: book,
        card: {
          uid: made.uid,
          name: { full: "Ada Lovelace" },
          emails: { k1: { address: "ada@example.com" } },
        },
      },
      provenance: { authenticated: true, source: "api", removed: [] },
    });
    const vcard = await vcardOf(made.ref);
    expect(vcard).toContain("VERSION:4.0\r\n");
    expect(vcard).toContain("FN:Ada Lovelace\r\n");
  });

  it("takes a whole Card, with unknown properties", async () => {
    const card = {
      "@type": "Card",
      version: "1.0",
      uid: "card-1",
      name: { full: "Bo", components: [{ kind: "given", value: "Bo" }] },
      emails: { work: { address: "bo@example.com", contexts: { work: true }, pref: 1 } },
      "example.com:shoe": { size: 43 },
    };
    const made = await create(card);
    expect(made.uid).toBe("card-1");
    const { content } = await read(made.ref);
    expect(content.card).toEqual(card);
  });

  it("takes an addressbook by its id", async () => {
    const { ref } = await server.ada.client.ok("addressbook.create", { name: "Friends" });
    const made = await create({ name: "Cleo" }, { in: ref });
    expect((await read(made.ref)).content.addressbook).toBe(ref);
  });

  it.each([
    ["an address that is none", { name: "A", emails: [1] }, "/body/emails/0"],
    ["a wrong type", { name: "A", emails: { k: { address: 1 } } }, "/body/emails/k/address"],
    ["an unknown member", { name: "A", Nick: "x" }, "/body/Nick"],
    [
      "a link to another contact's photo",
      { media: { p: { uri: "waypost:contact_x#media/p/uri" } } },
      "/body/media/p/uri",
    ],
  ])("points at %s", async (_, body, field) => {
    expect(await refusal("contact.create", { body })).toEqual([400, "invalid", field]);
  });

  it("answers a repeat under its key like the first time, also when the contact has gone", async () => {
    const request = { body: { name: "Once" }, idempotency_key: "contact-1" };
    const first = await server.ada.client.ok("contact.create", request);
    expect(await server.ada.client.ok("contact.create", request)).toEqual(first);
    expect(await refusal("contact.create", { ...request, body: { name: "Twice" } })).toEqual([
      400,
      "invalid",
      "/idempotency_key",
    ]);
    await server.ada.client.ok("contact.delete", { id: first.ref, version: first.version });
    const { uid: _, ...rest } = first;
    expect(await server.ada.client.ok("contact.create", request)).toEqual(rest);
  });

  it("refuses a UID that the addressbook has", async () => {
    await create({ uid: "taken", name: "A" });
    expect((await refusal("contact.create", { body: { uid: "taken", name: "B" } })).slice(1)).toEqual([
      "invalid",
      "/body/uid",
    ]);
  });

  it("keeps the loop free while it writes a card that takes long", async () => {
    const entries = (of: (at: number) => object) =>
      Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`k${at}`, of(at)]));
    const body = {
      name: "Many",
      emails: entries((at) => ({ address: `a${at}@e.com`, label: "x" })),
      notes: entries((at) => ({ note: `n${at}` })),
      links: entries((at) => ({ uri: `https://example.com/${at}` })),
    };
    const { ref } = await create(body);
    const { content } = await read(ref, { max_chars: 200_000 });
    expect(Object.keys(content.card.notes)).toHaveLength(1000);
  });
});

describe("contact.update", () => {
  it("patches by JSON pointers, and null deletes", async () => {
    const { ref, version } = await create({ name: "Dee", emails: ["dee@example.com"], phones: ["1", "2"] });
    const changed = await server.ada.client.ok("contact.update", {
      id: ref,
      version,
      patch: { "emails/k1/address": "dee@example.org", "phones/k1": null, "notes/n": { note: "New" } },
    });
    expect(changed).toMatchObject({ ref, created: false });
    expect(changed.version).not.toBe(version);
    const { text, version: shown } = await read(ref);
    expect(text).toBe("Dee\nEmail: dee@example.org\nPhone: 2\nNote: New");
    expect(shown).toBe(changed.version);
  });

  it("takes a whole body in place of the old one", async () => {
    const { ref, version, uid } = await create({ name: "Eli", phones: ["1"] });
    await server.ada.client.ok("contact.update", { id: ref, version, body: { name: "Eli B" } });
    const { content } = await read(ref);
    expect(content.card).toMatchObject({ uid, name: { full: "Eli B" } });
    expect(content.card.phones).toBeUndefined();
  });

  it("keeps a card of version 3.0 one of 3.0, with the octets of lines that say the same", async () => {
    const id = await put(`VERSION:3.0
PRODID:-//Apple Inc.//iOS 18//EN
N:Doe;Jo;;;
FN:Jo Doe
item1.EMAIL;type=INTERNET:jo@example.com
item1.X-ABLabel:_$!<HomePage>!$_
X-SOMETHING;x=1:kept
UID:three`);
    const before = await vcardOf(id);
    const { version } = await read(id);
    await server.ada.client.ok("contact.update", { id, version, patch: { "phones/p": { number: "+441" } } });
    const after = await vcardOf(id);
    expect(after).toContain("VERSION:3.0\r\n");
    const added = after.split("\r\n").filter((line) => !before.split("\r\n").includes(line));
    expect(added).toEqual([expect.stringMatching(/^TEL.*:\+441$/)]);
    expect(before.split("\r\n").every((line) => after.split("\r\n").includes(line))).toBe(true);
  });

  it("changes nothing when the described card is sent back, and keeps its photos", async () => {
    const photo = `data:image/png;base64,${Buffer.alloc(5000, 3).toString("base64")}`;
    const { ref, version } = await create({ name: "Fay", media: { p: { kind: "photo", uri: photo } } });
    const { content } = await read(ref);
    expect(content.linked).toEqual([{ part: "media/p/uri", type: "image/png", size: 5000 }]);
    const same = await server.ada.client.ok("contact.update", { id: ref, version, body: content.card });
    expect(same.version).toBe(version);
    const renamed = { ...content.card, name: { full: "Fay B" } };
    await server.ada.client.ok("contact.update", { id: ref, version, body: renamed });
    expect((await vcardOf(ref)).replaceAll(/\r\n /g, "")).toContain(photo);
  });

  it("is refused without the current version, and the answer names it", async () => {
    const { ref, version } = await create({ name: "Gil" });
    for (const given of [{}, { version: "1" }]) {
      const { status, body } = await server.ada.client.call("contact.update", {
        id: ref,
        ...given,
        patch: { "name/full": "X" },
      });
      expect(status).toBe(409);
      expect(body.error).toMatchObject({ version, current: { id: ref, name: "Gil" } });
    }
    expect((await read(ref)).version).toBe(version);
  });

  it("of two at the same time refuses one", async () => {
    const { ref, version } = await create({ name: "Hal" });
    const answers = await Promise.all(
      ["A", "B"].map((name) =>
        server.ada.client.call("contact.update", { id: ref, version, patch: { "name/full": name } }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  });

  it.each([
    ["neither patch nor body", {}, "/patch"],
    ["both", { patch: {}, body: {} }, "/patch"],
    ["a place inside nothing", { patch: { "emails/k9/x/y/z": 1 } }, "/patch"],
    ["a wrong value", { patch: { "emails/k1": { address: 7 } } }, "/patch/emails~1k1/address"],
    ["another uid", { patch: { uid: "x" } }, "/patch/uid"],
    ["another uid in a body", { body: { uid: "x", name: "A" } }, "/body/uid"],
  ])("points at %s", async (_, change, field) => {
    const { ref, version } = await create({ name: "Ivy", emails: ["i@example.com"] });
    const [status, code, found] = await refusal("contact.update", { id: ref, version, ...change });
    expect([status, code]).toEqual([400, "invalid"]);
    expect(found).toMatch(new RegExp(`^${field}`));
  });
});

describe("contact.delete", () => {
  it("removes the contact for all readers", async () => {
    const { ref, version, uid } = await create({ name: "Jan" });
    expect(await refusal("contact.delete", { id: ref })).toEqual([409, "precondition_failed", undefined]);
    expect(await server.ada.client.ok("contact.delete", { id: `${book}#${uid}`, version })).toMatchObject({
      created: false,
    });
    for (const id of [ref, `${book}#${uid}`, `${book}#${ref}`])
      expect((await server.ada.client.call("part.describe", { id })).status).toBe(404);
  });
});

describe("a contact as it is read", () => {
  it("is named by its id or UID, in the addressbook or by itself", async () => {
    const { ref, uid } = await create({ name: "Kim" });
    for (const request of [
      { id: ref },
      { id: `${book}#${uid}` },
      { id: `${book}#${ref}` },
      { id: book, contact: uid },
      { id: book, contact: ref },
    ])
      expect(await server.ada.client.ok("part.describe", request)).toMatchObject({
        ref,
        kind: "contact",
        text: "Kim",
      });
    expect(await refusal("part.describe", { id: `${book}#x`, contact: "y" })).toEqual([
      400,
      "invalid",
      "/contact",
    ]);
    expect(await refusal("part.describe", { id: ref, contact: "y" })).toEqual([400, "invalid", "/contact"]);
  });

  it("is text, JSContact, vCard, or the octets that its writer wrote", async () => {
    const id = await put("VERSION:3.0\nFN:Lee\u200b\nN:;Lee;;;\nUID:lee\nX-A;B=c:d");
    expect((await read(id)).text).toBe("Lee");
    expect(JSON.parse((await read(id, { render: "json" })).text)).toMatchObject({ name: { full: "Lee" } });
    const vcard = await read(id, { render: "vcard" });
    expect(vcard.text).toBe("BEGIN:VCARD\nVERSION:3.0\nFN:Lee\nN:;Lee;;;\nUID:lee\nX-A;B=c:d\nEND:VCARD\n");
    expect(vcard.provenance).toMatchObject({ source: "dav", removed: ["zero-width"] });
    expect(await refusal("part.describe", { id, render: "source" })).toEqual([
      403,
      "forbidden_scope",
      undefined,
    ]);
    const { client } = await server.token(server.ada, ["contacts", "raw"]);
    const source = await client.ok("part.describe", { id, render: "source" });
    expect(Buffer.from(source.content.data, "base64").toString()).toBe(await vcardOf(id));
    expect(await refusal("part.describe", { id, render: "html" })).toEqual([400, "invalid", "/render"]);
  });

  it("leaves out invisible text, and says so", async () => {
    const { ref } = await create({ name: "Mel\u200b", notes: { n: { note: "Hi\u{e0041}" } } });
    const { content, provenance, text } = await read(ref);
    expect(text).toBe("Mel\nNote: Hi");
    expect(JSON.stringify(content)).not.toMatch(/\u200b|\u{e0041}/u);
    expect(provenance.removed).toEqual(["zero-width", "unicode-tag"]);
    expect(provenance.removed_detail).toContainEqual({ what: "unicode-tag", count: 1, where: "notes" });
  });

  it("has photos behind links, which raw reads", async () => {
    const octets = Buffer.alloc(3000, 5);
    const uri = `data:image/png;base64,${octets.toString("base64")}`;
    const { ref } = await create({ name: "Nan", media: { p: { kind: "photo", uri } } });
    const { content, text } = await read(ref);
    expect(JSON.stringify(content).length).toBeLessThan(1000);
    expect(text).toBe("Nan\nPhoto: image/png, 3000 octets, part media/p/uri");
    const part = `${ref}#media/p/uri`;
    expect(await refusal("part.describe", { id: part, render: "raw" })).toEqual([
      403,
      "forbidden_scope",
      undefined,
    ]);
    const { client } = await server.token(server.ada, ["contacts", "raw"]);
    const data = await client.ok("part.describe", { id: part, render: "raw" });
    expect(data).toMatchObject({ ref: part, kind: "attachment", content: { type: "image/png", size: 3000 } });
    expect(Buffer.from(data.content.data, "base64").equals(octets)).toBe(true);
    expect((await server.ada.client.call("part.describe", { id: `${ref}#media/q/uri` })).status).toBe(404);
  });

  it("goes on with a long text by a cursor, until it changes", async () => {
    const note = "word ".repeat(10_000);
    const { ref, version } = await create({ name: "Ole", notes: { n: { note } } });
    const part = `${ref}#notes/n/note`;
    const first = await read(part, { max_chars: 20_000 });
    const second = await read(part, { max_chars: 200_000, cursor: first.cursor });
    expect(`${first.text.split("\n[truncated")[0]}${second.text}`).toBe(note);
    await server.ada.client.ok("contact.update", { id: ref, version, patch: { "name/full": "Ola" } });
    expect((await refusal("part.describe", { id: part, cursor: first.cursor }))[0]).toBe(409);
  });

  it("says when a name is the address of another", async () => {
    const { ref } = await create({ name: "ceo@bank.example", emails: ["mel@elsewhere.example"] });
    expect((await read(ref)).provenance.removed).toEqual(["name-is-address"]);
  });
});

describe("addressbooks", () => {
  it("are made, changed and deleted, with what is in them", async () => {
    const made = await server.ada.client.ok("addressbook.create", {
      name: "Work",
      description: "Colleagues",
      color: "#aabbcc",
    });
    expect(made).toEqual({
      ref: expect.stringMatching(/^addressbook_/),
      created: true,
      version: expect.any(String),
    });
    const { ref } = await create({ name: "Pat" }, { in: made.ref });
    const shown = await read(made.ref);
    expect(shown).toMatchObject({
      kind: "addressbook",
      version: made.version,
      content: {
        id: made.ref,
        name: "Work",
        description: "Colleagues",
        color: "#aabbcc",
        total: 1,
        items: [{ id: ref, name: "Pat" }],
      },
    });
    const changed = await server.ada.client.ok("addressbook.update", {
      id: made.ref,
      version: made.version,
      name: "Team",
      description: null,
    });
    const { content } = await read(made.ref);
    expect(content).toMatchObject({ name: "Team", color: "#aabbcc", version: changed.version });
    expect(content.description).toBeUndefined();
    expect(await refusal("addressbook.delete", { id: made.ref, version: made.version })).toEqual([
      409,
      "precondition_failed",
      undefined,
    ]);
    await server.ada.client.ok("addressbook.delete", { id: made.ref, version: changed.version });
    for (const id of [made.ref, ref])
      expect((await server.ada.client.call("part.describe", { id })).status).toBe(404);
  });

  it("include a default one, which cannot be deleted", async () => {
    const { content } = await read(server.ada.id);
    const own = content.addressbooks.find((one: { default?: boolean }) => one.default === true);
    expect(own).toMatchObject({ name: "Contacts", total: expect.any(Number) });
    const { status, body } = await server.ada.client.call("addressbook.delete", {
      id: own.id,
      version: own.version,
    });
    expect([status, body.error.code]).toEqual([422, "policy_refused"]);
  });

  it("keep their version when a contact is added", async () => {
    const { ref, version } = await server.ada.client.ok("addressbook.create", { name: "Still" });
    await create({ name: "Quin" }, { in: ref });
    expect((await read(ref)).version).toBe(version);
  });

  it("answer a repeat under its key", async () => {
    const request = { name: "Once", idempotency_key: "book-1" };
    const first = await server.ada.client.ok("addressbook.create", request);
    expect(await server.ada.client.ok("addressbook.create", request)).toEqual(first);
  });

  it.each([
    ["a control character", { name: "a\u0007" }, "/name"],
    ["no name", {}, "/name"],
    ["a colour that is none", { name: "A", color: "red" }, "/color"],
  ])("are refused with %s", async (_, input, field) => {
    expect(await refusal("addressbook.create", input)).toEqual([400, "invalid", field]);
  });

  it("of others are refused: 403 in the account, 404 outside it", async () => {
    const { bob, eve } = server;
    for (const [who, status] of [
      [bob, 403],
      [eve, 404],
    ] as const) {
      expect((await who.client.call("part.describe", { id: book })).status).toBe(status);
      expect((await who.client.call("contact.create", { in: book, body: { name: "X" } })).status).toBe(
        status,
      );
    }
  });

  it("are read with contacts:read and changed with contacts", async () => {
    const { client } = await server.token(server.ada, ["contacts:read"]);
    expect((await client.call("part.describe", { id: book })).status).toBe(200);
    expect((await client.call("contact.create", { body: { name: "X" } })).status).toBe(403);
    const { client: mailOnly } = await server.token(server.ada, ["mail"]);
    expect((await mailOnly.call("part.describe", { id: book })).status).toBe(403);
    expect((await mailOnly.ok("part.describe", { id: server.ada.id })).content.addressbooks).toEqual([]);
  });
});

describe("search in an addressbook", () => {
  let friends: string;
  beforeAll(async () => {
    friends = (await server.ada.client.ok("addressbook.create", { name: "Searched" })).ref;
    for (let at = 0; at < 30; at++)
      await create(
        { name: `Friend ${at}`, emails: [`f${at}@example.com`], phones: [`+44${at}`] },
        { in: friends },
      );
    await create({ name: "Zoë Groß", notes: { n: { note: "plays the Violin" } } }, { in: friends });
  });
  const search = (request: object) => server.ada.client.ok("search", { in: friends, ...request });
  const names = (content: { items: { name: string }[] }) => content.items.map(({ name }) => name);

  it("lists them in the order in which they came, in pages", async () => {
    const found: string[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const page = await search({ limit: 12, ...(cursor ? { cursor } : {}) });
      expect(page).toMatchObject({ ref: friends, kind: "listing", content: { total: 31 } });
      found.push(...names(page.content));
      ({ cursor } = page);
      pages++;
    } while (cursor !== undefined);
    expect(pages).toBe(3);
    expect(found).toEqual([...Array.from({ length: 30 }, (_, at) => `Friend ${at}`), "Zoë Groß"]);
  });

  it.each([
    ["friend 7", ["Friend 7", "Friend 17", "Friend 27"]],
    ["f12@example.com", ["Friend 12"]],
    ["violin ZOE", ["Zoë Groß"]],
    ["groß", ["Zoë Groß"]],
    ["nobody", []],
  ])("finds %j in names, addresses and notes", async (q, expected) => {
    expect(names((await search({ q })).content).filter((name) => expected.includes(name as never))).toEqual(
      expected,
    );
    if (expected.length < 2) expect(names((await search({ q })).content)).toEqual(expected);
  });

  it("has short forms", async () => {
    const { content } = await search({ q: "f3@example.com" });
    expect(content.items).toEqual([
      {
        id: expect.stringMatching(/^contact_/),
        version: expect.any(String),
        uid: expect.any(String),
        kind: "individual",
        name: "Friend 3",
        emails: ["f3@example.com"],
        phones: ["+443"],
        updated_at: expect.any(String),
        size: expect.any(Number),
        authenticated: true,
      },
    ]);
  });

  it("refuses what only mail has, and cursors of another search", async () => {
    expect(await refusal("search", { in: friends, unread: true })).toEqual([400, "invalid", "/unread"]);
    expect(await refusal("search", { in: friends, since: "2026-01-01T00:00:00Z" })).toEqual([
      400,
      "invalid",
      "/since",
    ]);
    const { cursor } = await search({ limit: 1 });
    expect(await refusal("search", { in: friends, q: "friend", cursor })).toEqual([
      400,
      "invalid",
      "/cursor",
    ]);
    expect(await refusal("search", { in: book, cursor })).toEqual([400, "invalid", "/cursor"]);
  });
});
