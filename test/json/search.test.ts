import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type JsonServer, openJsonServer, plainMessage } from "../support/servers/json-server.ts";

let server: JsonServer;
const ids: Record<string, string> = {};
const noon = Date.UTC(2026, 0, 5, 12);
const hour = 3_600_000;

beforeAll(async () => {
  server = await openJsonServer();
  const arrive = async (name: string, message: string, options = {}): Promise<void> => {
    ids[name] = await server.deliver(server.ada, message, options);
    server.clock.advance(hour);
  };
  await arrive("first", plainMessage("first", `${"The quick brown fox. ".repeat(40)}`));
  await arrive(
    "reply",
    plainMessage("Re: first").replace("Message-ID:", "In-Reply-To: <first@elsewhere.example>\nMessage-ID:"),
  );
  await arrive("junk", plainMessage("buy"), { role: "junk" });
  await arrive(
    "agent",
    plainMessage("data").replace("text/plain; charset=utf-8", "application/vnd.waypost.agent+json"),
  );
  await arrive("other", plainMessage("Größe").replace("Mel Sender <mel@", "Zoë <zoe@"), {
    isAuthenticated: true,
  });
  const { client } = server.ada;
  await client.ok("message.update", { ids: [ids.first, ids.junk], unread: false, add_labels: ["bills"] });
  await client.ok("message.update", { id: ids.first, add_labels: ["paid"] });
  await client.ok("message.update", { id: ids.reply, flagged: true });
});
afterAll(() => server[Symbol.asyncDispose]());

async function found(request: object): Promise<string[]> {
  const { content } = await server.ada.client.ok("search", request);
  return content.items.map((one: { id: string }) => Object.keys(ids).find((name) => ids[name] === one.id));
}

describe("search", () => {
  it("lists a mailbox, the newest first, in short forms", async () => {
    expect(await found({})).toEqual(["other", "agent", "junk", "reply", "first"]);
    const { ref, kind, content } = await server.ada.client.ok("search", { in: server.ada.id });
    expect([ref, kind]).toEqual([server.ada.id, "listing"]);
    expect(content.items[0]).toEqual({
      id: ids.other,
      version: expect.any(String),
      thread: expect.stringMatching(/^thread_/),
      folder: expect.stringMatching(/^folder_/),
      folder_role: "inbox",
      folder_path: "INBOX",
      labels: [],
      unread: true,
      flagged: false,
      from: { name: "Zoë", address: "zoe@elsewhere.example" },
      subject: "Größe",
      date: "2026-01-05T10:00:00.000Z",
      received_at: new Date(noon + 4 * hour).toISOString(),
      size: expect.any(Number),
      authenticated: true,
      agent_part: false,
      preview: "How are you?",
    });
    const preview = content.items[4].preview;
    expect(preview.length).toBe(256);
    expect(preview.startsWith("The quick brown fox. The quick")).toBe(true);
  });

  it.each([
    [{ folder: "junk" }, ["junk"]],
    [{ folder: "INBOX" }, ["other", "agent", "reply", "first"]],
    [{ unread: true }, ["other", "agent", "reply"]],
    [{ unread: false, folder: "inbox" }, ["first"]],
    [{ agent: true }, ["agent"]],
    [{ agent: false, folder: "inbox" }, ["other", "reply", "first"]],
    [{ since: new Date(noon + 3 * hour).toISOString() }, ["other", "agent"]],
    [{ before: "2026-01-05T13:00:00+00:00" }, ["first"]],
    [{ since: "2026-01-05T13:00:00Z", before: "2026-01-05T16:00:00+01:00" }, ["junk", "reply"]],
    [{ from: "zoë" }, ["other"]],
    [{ from: "mel@elsewhere" }, ["agent", "junk", "reply", "first"]],
    [{ q: "QUICK BROWN" }, ["first"]],
    [{ q: "grösse" }, []],
    [{ q: "GRÖßE" }, ["other"]],
    [{ q: "zoë" }, ["other"]],
    // Words stand anywhere and in any order; what is quoted stands as it is.
    [{ q: "brown quick" }, ["first"]],
    [{ q: "zoë   größe you" }, ["other"]],
    [{ q: "quick zoë" }, []],
    [{ q: '"quick brown"' }, ["first"]],
    [{ q: '"brown quick"' }, []],
    [{ q: '"quick brown" the first' }, ["first"]],
    [{ q: "the fox of no" }, ["first"]],
    [{ q: "fox Q3" }, []],
    [{ q: "of" }, []],
    [{ q: 'fox "zz"' }, []],
    [{ q: '"quick' }, ["first"]],
    [{ flagged: true }, ["reply"]],
    [{ flagged: false, folder: "inbox" }, ["other", "agent", "first"]],
    [{ labels: ["bills"] }, ["junk", "first"]],
    [{ labels: ["BILLS", "paid"] }, ["first"]],
    [{ labels: ["bills"], unread: true }, []],
    [{ labels: ["none-has-it"] }, []],
    [{ q: "ADA@first" }, ["other", "agent", "junk", "reply", "first"]],
    // Not in what only servers read.
    [{ q: "delivered-to" }, []],
    [{ q: "text/plain" }, []],
  ])("keeps to %j", async (request, expected) => {
    expect(await found(request)).toEqual(expected);
  });

  it("keeps to messages with text in doubt, as they are described, and to others", async () => {
    await using other = await openJsonServer();
    const { client } = other.ada;
    const html = (body: string): string => plainMessage("page", body).replace("text/plain", "text/html");
    const all: string[] = [];
    for (const body of [
      "<p>Doubtful is a word here</p>",
      "<p>seen</p><p style=\"offset-path:path('M 9999 9999')\">a passage</p>",
      '<p style="display:none">hidden for certain</p><p>seen',
      `<p style="filter:url(#f)">one</p><p>${"long text that goes on\n".repeat(12_000)}</p>`,
    ])
      all.unshift(await other.deliver(other.ada, html(body)));
    all.unshift(await other.deliver(other.ada, plainMessage("plain", "doubtful")));
    const doubtful: string[] = [];
    for (const id of all) {
      const { provenance } = await client.ok("part.describe", { id: `${id}#body` });
      if (provenance.removed.includes("doubtful")) doubtful.push(id);
    }
    const idsOf = async (request: object): Promise<string[]> =>
      (await client.ok("search", request)).content.items.map(({ id }: { id: string }) => id);
    expect(await idsOf({ doubtful: true })).toEqual(doubtful);
    expect(await idsOf({ doubtful: false })).toEqual(all.filter((id) => !doubtful.includes(id)));
  });

  it("answers the total of a folder when no other condition narrows it", async () => {
    const totalOf = async (request: object) => (await server.ada.client.ok("search", request)).content.total;
    expect(await totalOf({ folder: "inbox", limit: 1 })).toBe(4);
    expect(await totalOf({ folder: "inbox", unread: true })).toBeUndefined();
    expect(await totalOf({})).toBeUndefined();
  });

  it("lists a conversation, alone and with other conditions", async () => {
    const { content } = await server.ada.client.ok("part.describe", { id: ids.first });
    expect(await found({ thread: content.thread })).toEqual(["reply", "first"]);
    expect(await found({ thread: content.thread, unread: true })).toEqual(["reply"]);
  });

  it("gives no cursor where nothing is behind what was asked for", async () => {
    const { client } = server.ada;
    const { content } = await client.ok("part.describe", { id: ids.first });
    for (const request of [{ folder: "inbox" }, { thread: content.thread }, { q: "quick brown" }]) {
      const { items } = (await client.ok("search", { ...request, limit: 100 })).content;
      for (const limit of [items.length, items.length - 1].filter((one) => one > 0)) {
        const page = await client.ok("search", { ...request, limit });
        const isCut = limit < items.length;
        expect([page.content.more, typeof page.cursor]).toEqual(
          isCut ? ["limit", "string"] : [undefined, "undefined"],
        );
      }
    }
  });

  it("continues from its cursor without repeating or missing a message, also when new mail arrives", async () => {
    await using other = await openJsonServer();
    const { client } = other.ada;
    const all: string[] = [];
    for (let index = 0; index < 25; index++)
      all.unshift(await other.deliver(other.ada, plainMessage(`number ${index}`)));
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const read = await client.ok("search", { limit: 4, ...(cursor === undefined ? {} : { cursor }) });
      seen.push(...read.content.items.map((one: { id: string }) => one.id));
      cursor = read.cursor;
      await other.deliver(other.ada, plainMessage("meanwhile"));
    } while (cursor !== undefined);
    expect(seen).toEqual(all);
  });

  it("keeps a listing inside max_chars, with at least one item", async () => {
    const whole = JSON.stringify((await server.ada.client.ok("search")).content.items);
    const seen: string[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const read = await server.ada.client.ok("search", {
        max_chars: 900,
        ...(cursor === undefined ? {} : { cursor }),
      });
      seen.push(...read.content.items.map((one: { id: string }) => one.id));
      cursor = read.cursor;
      pages++;
    } while (cursor !== undefined);
    expect(seen).toHaveLength(5);
    expect(new Set(seen).size).toBe(5);
    expect(pages).toBeGreaterThan(1);
    expect(whole.length).toBeGreaterThan(900);
  });

  it("binds its cursor to what was asked", async () => {
    const { cursor } = await server.ada.client.ok("search", { limit: 1, unread: true });
    await server.ada.client.ok("search", { limit: 2, unread: true, cursor });
    for (const request of [{ cursor }, { unread: false, cursor }, { unread: true, q: "x", cursor }]) {
      const { status, body } = await server.ada.client.call("search", request);
      expect([status, body.error.field]).toEqual([400, "/cursor"]);
    }
  });

  it.each([
    ["/since", { since: "yesterday" }],
    ["/since", { since: "2026-02-30" }],
    ["/before", { before: "2026-01-05 10:00" }],
    ["/limit", { limit: 0 }],
    ["/limit", { limit: 101 }],
    ["/in", { in: "calendar" }],
    ["/labels/0", { labels: ["two words"] }],
    ["/q", { q: '"' }],
    ["/q", { q: '" "' }],
    ["/q", { q: "from:mel" }],
    ["/q", { q: "invoice subject:March" }],
    ["/thread", { thread: "message_00000000000000000000000000" }],
  ])("is refused with %s for %j", async (field, request) => {
    const { status, body } = await server.ada.client.call("search", request);
    expect([status, body.error.field]).toEqual([400, field]);
  });

  it("refuses a mailbox beyond the reach of the credential", async () => {
    expect((await server.ada.client.call("search", { in: server.bob.id })).status).toBe(403);
    expect((await server.ada.client.call("search", { in: server.eve.id })).status).toBe(404);
  });

  it("fills its pages with the messages that a grant reaches", async () => {
    await using other = await openJsonServer();
    const { ada, bob } = other;
    const grant = { holder: ada.address, target: bob.address, scopes: ["mail:read"], mailboxes: ["INBOX"] };
    await other.administer("grant.create", grant);
    const inbox: string[] = [];
    for (let at = 0; at < 6; at++) {
      inbox.unshift(await other.deliver(bob, plainMessage(`in ${at}`)));
      await other.deliver(bob, plainMessage(`out ${at}`), { role: "junk" });
    }
    const first = await ada.client.ok("search", { in: bob.id, limit: 4, unread: true });
    expect(first.content.items.map((one: { id: string }) => one.id)).toEqual(inbox.slice(0, 4));
    const rest = await ada.client.ok("search", { in: bob.id, limit: 4, unread: true, cursor: first.cursor });
    expect(rest.content.items.map((one: { id: string }) => one.id)).toEqual(inbox.slice(4));
    expect(rest.cursor).toBeUndefined();
  });

  it("names the hold of a mail that waits", async () => {
    const { client } = server.bob;
    const held = await client.ok("send", {
      body: { to: [server.ada.address], subject: "May I?", text: "Hello" },
      hold: "always",
    });
    const { content } = await client.ok("search", { folder: "holds" });
    expect(content.items).toEqual([expect.objectContaining({ id: held.ref, hold_id: held.hold })]);
    expect((await client.ok("part.describe", { id: held.ref })).content.hold_id).toBe(held.hold);
  });
});
