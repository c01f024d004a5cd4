import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { contentOfKind } from "#/protocols/json/contents.ts";
import type { HttpClient } from "../support/clients/http.ts";
import { type JsonServer, openJsonServer, plainMessage } from "../support/servers/json-server.ts";

let server: JsonServer;
let reader: HttpClient;
beforeAll(async () => {
  server = await openJsonServer();
  reader = (await server.token(server.ada, ["mail", "raw"])).client;
});
afterAll(() => server[Symbol.asyncDispose]());

const newsletter = `Return-Path: <x@list.example>
From: "=?utf-8?q?Caf=C3=A9?=" <news@list.example>
Reply-To: answers@list.example
To: Ada <ada@first.example>, Group: b@x.example, c@x.example;
Cc: d@x.example
Subject: =?utf-8?B?w5xiZXJzaWNodA==?=
Message-ID: <m1@list.example>
In-Reply-To: <m0@list.example>
References: <m00@list.example> <m0@list.example>
List-Id: The list <news.list.example>
Auto-Submitted: auto-generated
Date: Mon, 5 Jan 2026 10:00:00 +0100
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=mix

--mix
Content-Type: multipart/alternative; boundary=alt

--alt
Content-Type: text/plain; charset=iso-8859-1
Content-Transfer-Encoding: quoted-printable

Gr=FC=DFe
--alt
Content-Type: text/html

<html><head><style>p{}</style></head><body><!-- c --><p>Hallo <b>Welt</b></p>
<script>alert(1)</script><img src="https://track.example/p.gif"></body></html>
--alt--
--mix
Content-Type: image/png; name="../../pixel.png"
Content-Disposition: attachment
Content-ID: <pic@x>
Content-Transfer-Encoding: base64

iVBORw0KGgo=
--mix
Content-Type: application/vnd.waypost.agent+json
Content-Disposition: attachment; filename="agent.json"

{"type":"urn:example:ask","data":{"n":1}}
--mix
Content-Type: message/rfc822

From: inner@elsewhere.example
Subject: Inner

Inner text.
--mix--
`;

describe("a message", () => {
  it("is read with its header, its parts and where it came from", async () => {
    const id = await server.deliver(server.ada, newsletter, { isAuthenticated: true });
    const read = await reader.ok("part.describe", { id });
    expect(read).toMatchObject({ ref: id, kind: "message", text: "Hallo Welt", version: expect.any(String) });
    expect(read.content).toEqual({
      id,
      thread: expect.stringMatching(/^thread_/),
      folder: expect.stringMatching(/^folder_/),
      labels: [],
      unread: true,
      flagged: false,
      answered: false,
      draft: false,
      from: { name: "Café", address: "news@list.example" },
      reply_to: [{ address: "answers@list.example" }],
      to: [
        { name: "Ada", address: "ada@first.example" },
        { address: "b@x.example" },
        { address: "c@x.example" },
      ],
      cc: [{ address: "d@x.example" }],
      bcc: [],
      subject: "Übersicht",
      message_id: "m1@list.example",
      in_reply_to: ["m0@list.example"],
      references: ["m00@list.example", "m0@list.example"],
      automated: true,
      list_id: "news.list.example",
      date: "2026-01-05T09:00:00.000Z",
      received_at: new Date(server.clock.now()).toISOString(),
      size: expect.any(Number),
      agent_part: true,
      parts: [
        { part: "1.1", type: "text/plain", charset: "iso-8859-1", size: 9 },
        { part: "1.2", type: "text/html", size: expect.any(Number) },
        {
          part: "2",
          type: "image/png",
          disposition: "attachment",
          name: "pixel.png",
          size: 12,
          cid: "pic@x",
        },
        {
          part: "3",
          type: "application/vnd.waypost.agent+json",
          disposition: "attachment",
          name: "agent.json",
          size: 41,
        },
        { part: "4", type: "message/rfc822", size: expect.any(Number) },
        { part: "4.1", type: "text/plain", size: 11 },
      ],
    });
    expect(read.provenance).toEqual({
      authenticated: true,
      removed: ["comment", "script", "style", "remote-image"],
      source: "smtp",
      from_domain: "elsewhere.example",
      removed_detail: ["comment", "script", "style", "remote-image"].map((what) => ({
        what,
        count: 1,
        where: "1.2",
      })),
      received_at: new Date(server.clock.now()).toISOString(),
    });
  });

  it("gives each part, named by part or behind the id, and its octets with render raw", async () => {
    const id = await server.deliver(server.ada, newsletter, { isAuthenticated: true });
    const html = await reader.ok("part.describe", { id: `${id}#1.2` });
    expect(html).toMatchObject({ ref: `${id}#1.2`, kind: "body", text: "Hallo Welt" });
    expect(html.provenance.removed).toEqual(["comment", "script", "style", "remote-image"]);
    expect(html.provenance.removed_detail).toContainEqual({ what: "script", count: 1, where: "1.2" });
    expect(html.content).toMatchObject({
      renderer: "waypost-text/9",
      chars_total: 10,
      range: { start: 0, end: 10 },
    });

    const image = await reader.ok("part.describe", { id, part: "2" });
    const bytes = Buffer.from("iVBORw0KGgo=", "base64");
    expect(image).toMatchObject({
      kind: "attachment",
      content: {
        type: "image/png",
        name: "pixel.png",
        size: 8,
        sha256: createHash("sha256").update(bytes).digest("hex"),
      },
      provenance: { removed: ["binary"] },
    });
    expect(image.text).toBeUndefined();
    const raw = await reader.ok("part.describe", { id, part: "2", render: "raw" });
    expect(raw.content).toMatchObject({ data: "iVBORw0KGgo=", range: { start: 0, end: 8, total: 8 } });
    expect(raw.provenance.removed).toEqual([]);
    const encoded = await reader.ok("part.describe", { id, part: "2", render: "source" });
    expect(Buffer.from(encoded.content.data, "base64").toString()).toBe("iVBORw0KGgo=");

    const agent = await reader.ok("part.describe", { id, part: "agent" });
    expect(agent).toMatchObject({
      ref: `${id}#agent`,
      kind: "agent_part",
      content: { part: "3", data: { type: "urn:example:ask", data: { n: 1 } } },
      provenance: { authenticated: true },
    });
    expect((await reader.ok("part.describe", { id, part: "body" })).text).toBe("Hallo Welt");
    expect((await reader.ok("part.describe", { id, part: "1.1" })).text).toBe("Grüße");
    expect((await reader.ok("part.describe", { id, part: "1" })).kind).toBe("body");
  });

  it.each([
    ["a member __proto__", '{"data":{"__proto__":{"n":1}}}'],
    ["a number without a value", '{"data":[1e400]}'],
    ["no object", '"ask"'],
    ["levels beyond the bound", `{"data":${"[".repeat(64)}${"]".repeat(64)}}`],
    ["no JSON", '{"data":'],
  ])("has no data of a structured part with %s, and says so", async (_, json) => {
    const mail = newsletter.replace('{"type":"urn:example:ask","data":{"n":1}}', json);
    const { content, provenance } = await reader.ok("part.describe", {
      id: await server.deliver(server.ada, mail),
      part: "agent",
    });
    expect(content).not.toHaveProperty("data");
    expect(contentOfKind.agent_part.parse(content)).toEqual(content);
    expect(provenance.removed).toEqual(["undecodable"]);
  });

  it("is not authenticated for a message inside the message", async () => {
    const id = await server.deliver(server.ada, newsletter, { isAuthenticated: true });
    for (const part of ["4", "4.1", "4.HEADER", "4.1.MIME"]) {
      const read = await reader.ok("part.describe", { id, part });
      expect([part, read.provenance.authenticated]).toEqual([part, false]);
    }
    expect((await reader.ok("part.describe", { id, part: "4" })).text).toBe("Inner text.");
    const own = await reader.ok("part.describe", { id, part: "2.MIME" });
    expect(own).toMatchObject({ kind: "headers", provenance: { authenticated: true } });
    expect(own.content.headers).toContainEqual({ name: "content-id", value: "<pic@x>" });
  });

  it("shows headers and structure, as part and as render", async () => {
    const id = await server.deliver(server.ada, newsletter);
    for (const request of [{ part: "headers" }, { part: "HEADER" }, { render: "headers" }]) {
      const { kind, content, text } = await reader.ok("part.describe", { id, ...request });
      expect(kind).toBe("headers");
      expect(content.headers).toContainEqual({ name: "subject", value: "Übersicht" });
      expect(content.headers[0]).toEqual({ name: "return-path", value: "<sender@elsewhere.example>" });
      expect(text).toContain("subject: Übersicht");
    }
    for (const request of [{ part: "structure" }, { render: "structure" }]) {
      const { kind, content, text } = await reader.ok("part.describe", { id, ...request });
      expect(kind).toBe("structure");
      expect(content.structure.parts).toHaveLength(4);
      expect(content.structure.parts[3].message).toMatchObject({ part: "4.1", type: "text/plain" });
      expect(text.split("\n")[1]).toBe(`  1 multipart/alternative ${content.structure.parts[0].size} octets`);
    }
  });

  it("gives the octets that are stored, trace and all, as source", async () => {
    const message = plainMessage().replace(/\n/g, "\r\n");
    const id = await server.deliver(server.ada, message);
    const { content } = await reader.ok("part.describe", { id, render: "source" });
    const source = Buffer.from(content.data, "base64").toString();
    expect(source).toBe(
      `Return-Path: <sender@elsewhere.example>\r\nDelivered-To: ada@first.example\r\n${message}`,
    );
    const header = await reader.ok("part.describe", { id, part: "HEADER", render: "raw" });
    const text = await reader.ok("part.describe", { id, part: "TEXT", render: "raw" });
    expect([header, text].map((one) => Buffer.from(one.content.data, "base64").toString()).join("")).toBe(
      source,
    );
  });

  it("leaves out invisible text, and says so", async () => {
    const id = await server.deliver(
      server.ada,
      plainMessage("A\u202eB", "vis\u200bible\u{e0041}\u{e0042}\u0007 \u202dtext\u2060 👨‍👩‍👧 é\n"),
    );
    const { text, provenance, content } = await reader.ok("part.describe", { id });
    expect(text).toBe("visible text 👨‍👩‍👧 é\n");
    expect(content.subject).toBe("AB");
    expect(provenance.removed_detail).toEqual([
      { what: "bidi-control", count: 1, where: "subject" },
      { what: "zero-width", count: 2, where: "1" },
      { what: "unicode-tag", count: 2, where: "1" },
      { what: "control-character", count: 1, where: "1" },
      { what: "bidi-control", count: 1, where: "1" },
    ]);
  });
});

describe("a long text", () => {
  const sentence = "Zwölf Boxkämpfer jagen 👩‍👩‍👧‍👦 über den Deich. ";
  const whole = `${sentence.repeat(1500)}end`;
  const characters = [...whole].length;

  it("is cut inside its budget with a line that says so, and goes on without a gap", async () => {
    const id = await server.deliver(server.ada, plainMessage("long", whole));
    let joined = "";
    let cursor: string | undefined;
    let pages = 0;
    do {
      const read = await reader.ok("part.describe", {
        id,
        part: "body",
        max_chars: 5000,
        ...(cursor === undefined ? {} : { cursor }),
      });
      expect([...read.text].length).toBeLessThanOrEqual(5000);
      cursor = read.cursor;
      pages++;
      const line = /\n\[truncated: (\d+) of (\d+) characters; continue with cursor\]$/.exec(read.text);
      expect(line !== null).toBe(cursor !== undefined);
      joined += line === null ? read.text : read.text.slice(0, line.index);
      if (line !== null) {
        expect(Number(line[1])).toBe([...joined].length);
        expect(Number(line[2])).toBe(characters);
        expect(read.content.range.end).toBe(Number(line[1]));
      }
    } while (cursor !== undefined);
    expect(pages).toBeGreaterThan(10);
    expect(joined).toBe(whole);
  });

  it("goes on from the cursor alone, and is 20,000 characters by default", async () => {
    const id = await server.deliver(server.ada, plainMessage("long", whole));
    const first = await reader.ok("part.describe", { id, part: "1" });
    expect([...first.text].length).toBeGreaterThan(19_900);
    expect([...first.text].length).toBeLessThanOrEqual(20_000);
    const second = await reader.ok("part.describe", { id, cursor: first.cursor });
    expect(second.ref).toBe(`${id}#1`);
    expect(second.content.range.start).toBe(first.content.range.end);
    for (const change of [{ part: "body" }, { render: "json" }]) {
      const { status, body } = await reader.call("part.describe", { id, cursor: first.cursor, ...change });
      expect([status, body.error.field]).toEqual([400, "/cursor"]);
    }
    const other = await server.deliver(server.ada, plainMessage("long", whole));
    expect((await reader.call("part.describe", { id: other, cursor: first.cursor })).status).toBe(400);
  });

  it("goes on when the message was marked read, labelled or moved meanwhile", async () => {
    const id = await server.deliver(server.ada, plainMessage("long", whole));
    const first = await reader.ok("part.describe", { id });
    await reader.ok("message.update", { id, unread: false, add_labels: ["done"], folder: "archive" });
    const next = await reader.ok("part.describe", { id, cursor: first.cursor });
    const begin = first.text.slice(0, first.text.lastIndexOf("\n"));
    expect(whole.startsWith(begin)).toBe(true);
    expect(whole.slice(begin.length).startsWith(next.text.slice(0, 1000))).toBe(true);
  });

  it("is refused with 409 and the version when the draft has become another message", async () => {
    const { ref } = await reader.ok("draft.create", { body: { text: whole } });
    const first = await reader.ok("part.describe", { id: ref });
    const { version } = await reader.ok("draft.update", {
      id: ref,
      version: first.version,
      body: { text: `${whole}!` },
    });
    const { status, body } = await reader.call("part.describe", { id: ref, cursor: first.cursor });
    expect([status, body.error.code, body.error.version]).toEqual([409, "precondition_failed", version]);
  });

  it("gives octets in ranges when max_chars is given", async () => {
    const id = await server.deliver(server.ada, plainMessage("long", whole));
    const pieces: Buffer[] = [];
    let cursor: string | undefined;
    do {
      const read = await reader.ok("part.describe", {
        id,
        part: "1",
        render: "raw",
        max_chars: 40_000,
        ...(cursor === undefined ? {} : { cursor }),
      });
      expect(read.content.data.length).toBeLessThanOrEqual(40_000);
      pieces.push(Buffer.from(read.content.data, "base64"));
      cursor = read.cursor;
    } while (cursor !== undefined);
    expect(pieces.length).toBeGreaterThan(2);
    expect(Buffer.concat(pieces).toString()).toBe(whole);
  });
});

describe("what cannot be read", () => {
  it.each([
    ["no identifier", { id: "hello" }, 400, "/id"],
    ["a made-up identifier", { id: "message_00000000000000000000000000" }, 404, undefined],
    ["an unknown render", { render: "pdf" }, 400, "/render"],
    ["text of a picture", { part: "2", render: "text" }, 400, "/render"],
    ["a part that is no part", { part: "1..2" }, 400, "/part"],
    ["a part that the message lacks", { part: "9" }, 404, undefined],
    ["an alias in capitals", { part: "BODY" }, 400, "/part"],
    ["two parts", { id: "#1", part: "2" }, 400, "/part"],
    ["a budget under its minimum", { max_chars: 199 }, 400, "/max_chars"],
    ["a budget over its maximum", { max_chars: 200_001 }, 400, "/max_chars"],
    ["an event of a message", { uid: "x" }, 400, "/uid"],
  ])("is refused: %s", async (_, request: Record<string, unknown>, expectedStatus, field) => {
    const message = await server.deliver(server.ada, newsletter);
    const id = request.id === "#1" ? `${message}#1` : (request.id ?? message);
    const { status, body } = await reader.call("part.describe", { ...request, id });
    expect([status, body.error.field]).toEqual([expectedStatus, field]);
  });

  it("names the kinds and the renderings that are accepted", async () => {
    const id = await server.deliver(server.ada, newsletter);
    const render = await reader.call("part.describe", { id, part: "2", render: "html" });
    expect(render.body.error.hint).toBe("Accepted: json, headers, structure, raw, source.");
    const kind = await reader.call("search", { in: id });
    expect(kind.body.error).toMatchObject({
      field: "/in",
      message: "This is the identifier of a message, which is not accepted here.",
      hint: expect.stringContaining("Accepted: ag_…, calendar_…, addressbook_…. part.describe"),
    });
  });

  it("is a message of another account, with the same answer as an unknown id", async () => {
    const id = await server.deliver(server.eve, newsletter);
    const foreign = await reader.call("part.describe", { id });
    expect([foreign.status, foreign.body.error.code]).toEqual([404, "not_found"]);
    const inside = await server.deliver(server.bob, newsletter);
    const ungranted = await reader.call("part.describe", { id: inside });
    expect([ungranted.status, ungranted.body.error.code]).toEqual([403, "forbidden_scope"]);
  });
});

describe("what holds messages", () => {
  it("is the mailbox, with its addresses, folders and reach", async () => {
    const { client, id } = server.bob;
    const { kind, content } = await client.ok("part.describe", { id });
    expect(kind).toBe("agent");
    expect(content).toMatchObject({
      id,
      kind: "agent",
      address: "bob@first.example",
      addresses: ["bob@first.example"],
      state: "active",
      reach: [{ mailbox: id, address: "bob@first.example", folders: "all" }],
    });
    expect(content.folders.map((one: { role: string }) => one.role).sort()).toEqual([
      "archive",
      "drafts",
      "inbox",
      "junk",
      "sent",
      "trash",
    ]);
  });

  it("is a folder and a conversation, whose messages are listed the newest first", async () => {
    await using other = await openJsonServer();
    const { client } = other.ada;
    const reply = plainMessage("Re: Talk").replace(
      "Message-ID: ",
      "In-Reply-To: <Talk@elsewhere.example>\nMessage-ID: ",
    );
    const first = await other.deliver(other.ada, plainMessage("Talk"));
    const second = await other.deliver(other.ada, reply);
    await other.deliver(other.ada, plainMessage("Other"));
    const { content } = await client.ok("part.describe", { id: first });
    const thread = await client.ok("part.describe", { id: content.thread });
    expect(thread).toMatchObject({ ref: content.thread, kind: "thread" });
    expect(thread.content.items.map((one: { id: string }) => one.id)).toEqual([second, first]);
    const folder = await client.ok("part.describe", { id: content.folder });
    expect(folder).toMatchObject({
      kind: "listing",
      content: { path: "INBOX", role: "inbox", total: 3, unread: 3 },
    });
    expect(folder.content.items).toHaveLength(3);
  });
});
