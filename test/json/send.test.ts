import { simpleParser } from "mailparser";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nobody } from "#/src/model/author.ts";
import { type JsonServer, type Owner, openJsonServer, plainMessage } from "../support/servers/json-server.ts";

const hourMs = 3_600_000;

let server: JsonServer;
beforeAll(async () => {
  server = await openJsonServer({ outbound: { smarthostHost: "relay.example" } });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

const hello = (to: string, subject = "Hello") => ({ to: [to], subject, text: "How are you?" });

// biome-ignore lint/suspicious/noExplicitAny: bodies differ
async function send(owner: Owner, body: any, beside: Record<string, unknown> = {}) {
  return owner.client.ok("send", { body, ...beside });
}

async function refusal(owner: Owner, input: unknown) {
  const { status, body } = await owner.client.call("send", input);
  return { status, ...body.error } as {
    status: number;
    code: string;
    field?: string;
    retry_after_ms?: number;
  };
}

/** The message as its recipients here get it: newest first in INBOX. */
async function received(owner: Owner) {
  await server.deliverQueued();
  const { content } = await owner.client.ok("search", { folder: "inbox", limit: 1 });
  return content.items[0] as { id: string; subject: string; authenticated: boolean };
}

async function bytesOf(id: string): Promise<Buffer> {
  const { agent, object } = server.store.ids.decode(id)!;
  return server.mail.readBytes((await server.mail.findMessage(agent, object as never))!);
}

async function headersOf(id: string): Promise<string> {
  return (await bytesOf(id)).toString("latin1").split("\r\n\r\n")[0]!;
}

describe("what is sent", () => {
  it("is in Sent under the same id, read, and arrives as authenticated", async () => {
    const sent = await send(server.ada, hello(server.bob.address));
    expect(sent).toMatchObject({ created: true, state: "queued" });
    const described = await server.ada.client.ok("part.describe", { id: sent.ref });
    expect(described.version).toBe(sent.version);
    expect(described.content).toMatchObject({ unread: false, subject: "Hello" });
    const folder = await server.ada.client.ok("search", { folder: "sent", limit: 1 });
    expect(folder.content.items[0].id).toBe(sent.ref);
    const arrived = await received(server.bob);
    expect(arrived).toMatchObject({ subject: "Hello", authenticated: true });
    const there = await server.bob.client.ok("part.describe", { id: arrived.id });
    expect(there.provenance).toMatchObject({ source: "api", from_domain: "first.example" });
    const headers = await headersOf(arrived.id);
    expect(headers).toMatch(/^Return-Path: <ada@first\.example>\r\nDelivered-To: bob@first\.example\r\n/);
    expect(headers).toMatch(/^Message-ID: <[-\w]+@first\.example>$/m);
    expect(headers).toContain("\r\nAuto-Submitted: auto-generated\r\n");
    expect(headers).toContain("\r\nFrom: ada <ada@first.example>\r\n");
  });

  it("is told of by events, in order, to who sent it", async () => {
    const { cursor } = await server.ada.client.ok("wait");
    const sent = await send(server.ada, hello(server.bob.address));
    await server.deliverQueued();
    const { events } = await server.ada.client.ok("wait", { cursor, timeout_s: 1 });
    expect(events).toMatchObject([
      {
        type: "mail.sent",
        message: sent.ref,
        recipient: server.bob.address,
        outcome: { status: "sent", code: "2.1.5" },
      },
      { type: "mail.delivered", message: sent.ref, recipient: server.bob.address },
    ]);
    const { content } = await server.ada.client.ok("part.describe", { id: server.ada.id });
    const sentFolder = content.folders.find((one: { role?: string }) => one.role === "sent");
    expect(events[0].folder).toBe(sentFolder.id);
  });

  it("shows its Bcc to the sender alone", async () => {
    const sent = await send(server.ada, {
      ...hello(server.bob.address),
      bcc: [{ name: "Ä", address: server.ada.address }],
    });
    expect((await server.ada.client.ok("part.describe", { id: sent.ref })).content.bcc).toEqual([
      { name: "Ä", address: server.ada.address },
    ]);
    expect(await headersOf((await received(server.bob)).id)).not.toMatch(/^Bcc:/m);
    expect(await headersOf((await received(server.ada)).id)).not.toMatch(/^Bcc:/m);
  });

  it("goes to other servers only through the queue", async () => {
    await server.administer("agent.update", { owner: server.ada.address, allow: ["far.example"] });
    const sent = await send(server.ada, hello("Mel <Mel.M@Far.example>"));
    expect(sent.state).toBe("queued");
    const remote = await server.deliverQueued();
    expect(remote.at(-1)).toMatchObject({
      domain: "far.example",
      envelopeFrom: server.ada.address,
      recipients: [{ address: "Mel.M@far.example" }],
      isSmtputf8: false,
    });
  });

  it("waits for its time", async () => {
    const send_at = new Date(server.clock.now() + hourMs).toISOString();
    const sent = await send(server.ada, hello(server.bob.address, "later"), { send_at });
    expect(sent.state).toBe("scheduled");
    expect((await received(server.bob)).subject).not.toBe("later");
    server.clock.advance(hourMs);
    expect((await received(server.bob)).subject).toBe("later");
  });

  it("waits for a person with hold always, and is reported as held", async () => {
    const { cursor } = await server.ada.client.ok("wait");
    const sent = await send(server.ada, hello(server.bob.address, "asked"), { hold: "always" });
    expect(sent).toMatchObject({ state: "held", hold: expect.stringMatching(/^hold_/) });
    expect((await received(server.bob)).subject).not.toBe("asked");
    const { events } = await server.ada.client.ok("wait", { cursor, timeout_s: 1 });
    expect(events).toMatchObject([
      { type: "mail.held", message: sent.ref, hold: sent.hold, reason: "requested" },
    ]);
  });
});

it("gets a text alternative made from the HTML when only HTML was given", async () => {
  const html = "<h1>News</h1><p>Hi <b>you</b> &amp; all</p>";
  const sent = await send(server.ada, { to: [server.bob.address], subject: "html", html });
  const parsed = await simpleParser(await bytesOf(sent.ref));
  expect(parsed.html).toBe(html);
  expect(parsed.text).toMatch(/News\s+Hi you & all/);
});

describe("an answer", () => {
  const question = `From: Bob <bob@first.example>
To: ada@first.example, kit@far.example
Cc: Eve <eve@second.example>
Subject: Plans
Message-ID: <plans@first.example>
References: <first@first.example>
MIME-Version: 1.0

When?
`;

  it("goes to the author, in the thread, and marks what it answers", async () => {
    const asked = await server.deliver(server.ada, question, { isAuthenticated: true });
    const sent = await send(server.ada, { text: "Now.", in_reply_to: asked });
    const headers = await headersOf(sent.ref);
    expect(headers).toContain("\r\nTo: Bob <bob@first.example>\r\n");
    expect(headers).toContain("\r\nIn-Reply-To: <plans@first.example>\r\n");
    expect(headers).toContain("\r\nReferences: <first@first.example> <plans@first.example>\r\n");
    expect(headers).toContain("\r\nSubject: Re: Plans\r\n");
    expect(headers).toMatch(/^Auto-Submitted: auto-replied\r$/m);
    const described = await server.ada.client.ok("part.describe", { id: asked });
    expect(described.content.answered).toBe(true);
    const answer = await server.ada.client.ok("part.describe", { id: sent.ref });
    expect(answer.content.thread).toBe(described.content.thread);
  });

  it("to all goes to the others, and not to oneself", async () => {
    const asked = await server.deliver(server.ada, question, { isAuthenticated: true });
    const sent = await send(
      server.ada,
      { text: "Now.", in_reply_to: asked, reply_all: true },
      { hold: "always" },
    );
    const { content } = await server.ada.client.ok("part.describe", { id: sent.ref });
    expect(content.to).toEqual([{ name: "Bob", address: "bob@first.example" }]);
    expect(content.cc).toEqual([
      { address: "kit@far.example" },
      { name: "Eve", address: "eve@second.example" },
    ]);
  });

  it("carries the id of the data that it answers", async () => {
    const first = await send(server.bob, {
      ...hello(server.ada.address, "offer"),
      agent: { type: "https://first.example/offer", data: { price: 7 } },
    });
    const offered = await received(server.ada);
    const partOf = async (owner: Owner, id: string) =>
      (await owner.client.ok("part.describe", { id, part: "agent" })).content;
    const theirs = await partOf(server.bob, first.ref);
    const answer = await send(
      server.ada,
      { text: "Yes.", in_reply_to: offered.id, agent: { type: "https://first.example/yes", data: null } },
      { hold: "always" },
    );
    expect(JSON.stringify(await partOf(server.ada, answer.ref))).toContain(
      (JSON.stringify(theirs).match(/urn:uuid:[-0-9a-f]+/) ?? ["nothing"])[0],
    );
  });
});

describe("what goes along", () => {
  it("is blobs, data and parts of stored messages", async () => {
    const blob = await server.ada.client.ok("blob.create", {
      data: Buffer.from("of a blob").toString("base64"),
      name: "blob.txt",
      type: "text/plain",
    });
    const stored = await server.deliver(
      server.ada,
      `From: mel@far.example
To: ada@first.example
Subject: has one
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=b

--b
Content-Type: text/plain

hi
--b
Content-Type: image/png; name="pic.png"
Content-Transfer-Encoding: base64

AQID
--b--
`,
    );
    const sent = await send(server.ada, {
      ...hello(server.bob.address),
      html: '<img src="cid:pic">',
      attachments: [
        { blob: blob.ref },
        { data: Buffer.from("given").toString("base64"), name: "given.bin" },
        { part: `${stored}#2`, cid: "pic" },
      ],
    });
    const { attachments } = await simpleParser(await bytesOf(sent.ref));
    const shown = attachments.map(({ filename, contentType, content, cid }) => [
      filename,
      contentType,
      content.toString("latin1"),
      cid,
    ]);
    expect(shown.toSorted()).toEqual(
      [
        ["pic.png", "image/png", "\x01\x02\x03", "pic"],
        ["blob.txt", "text/plain", "of a blob", undefined],
        ["given.bin", "application/octet-stream", "given", undefined],
      ].toSorted(),
    );
  });

  it("is a whole message, as it came", async () => {
    const original = plainMessage("News", "Söme text\n");
    const stored = await server.deliver(server.ada, original);
    const sent = await send(server.ada, { to: [server.bob.address], forward_of: stored });
    const bytes = await bytesOf(sent.ref);
    expect(bytes.includes(Buffer.from(original.replace(/\n/g, "\r\n")))).toBe(true);
    expect(bytes.toString("latin1")).not.toContain("Delivered-To: ada");
    const { content } = await server.ada.client.ok("part.describe", { id: sent.ref });
    expect(content.subject).toBe("Fwd: News");
    const described = await server.ada.client.ok("part.describe", { id: stored });
    expect(described.content.labels).toContain("$Forwarded");
  });
});

describe("a draft", () => {
  it("is sent as it is, and gone", async () => {
    const draft = await server.ada.client.ok("draft.create", {
      body: { ...hello(server.bob.address, "drafted"), bcc: [server.ada.address] },
    });
    const both = { body: hello(server.bob.address), draft: draft.ref };
    expect(await refusal(server.ada, both)).toMatchObject({ status: 400, field: "/body" });
    const stale = await refusal(server.ada, { draft: draft.ref });
    expect(stale).toMatchObject({ status: 409, code: "precondition_failed", version: draft.version });
    const sent = await server.ada.client.ok("send", { draft: draft.ref, version: draft.version });
    expect(sent.state).toBe("queued");
    const arrived = await received(server.bob);
    expect(arrived.subject).toBe("drafted");
    expect(await headersOf(arrived.id)).not.toMatch(/^(?:Bcc|X-Waypost-Draft):/m);
    expect((await received(server.ada)).subject).toBe("drafted");
    expect(await refusal(server.ada, { draft: draft.ref, version: draft.version })).toMatchObject({
      status: 404,
    });
    const drafts = await server.ada.client.ok("search", { folder: "drafts" });
    expect(drafts.content.items).toEqual([]);
  });
});

describe("a key", () => {
  it("sends once, whatever a repeat says, for seven days and through a restart", async () => {
    await using own = await openJsonServer();
    const key = { idempotency_key: "send-1" };
    const first = await own.ada.client.ok("send", { body: hello(own.bob.address), ...key });
    const again = await own.ada.client.ok("send", { body: hello(own.bob.address, "rephrased"), ...key });
    expect(again).toEqual({ ...first, replayed: true });
    await own.restart();
    own.clock.advance(7 * 24 * hourMs - 1);
    await own.store.maintain({ changesMs: 90 * 24 * hourMs });
    expect(await own.ada.client.ok("send", { body: hello("no address at all", "third"), ...key })).toEqual({
      ...first,
      replayed: true,
    });
    expect(await own.store.all("select count(*) as count from submission")).toEqual([{ count: 1 }]);
    own.clock.advance(1);
    const later = await own.ada.client.ok("send", { body: hello(own.bob.address), ...key });
    expect(later.ref).not.toBe(first.ref);
    expect(later.replayed).toBeUndefined();
  });

  it("still answers a repeat when the draft has gone, the mailbox is paused and the limit is spent", async () => {
    await using own = await openJsonServer({ limits: { sendsPerHour: 1 } });
    const draft = await own.ada.client.ok("draft.create", { body: hello(own.bob.address) });
    const input = { draft: draft.ref, version: draft.version, idempotency_key: "k" };
    const first = await own.ada.client.ok("send", input);
    await own.store.write(nobody, "setAgentState", {
      agent: own.ada.agent,
      state: "paused",
      by: "operator",
      at: 0,
    });
    expect(await own.ada.client.ok("send", input)).toEqual({ ...first, replayed: true });
  });

  it("belongs to the agent that sent it", async () => {
    const key = { idempotency_key: "whose" };
    const ofAda = await send(server.ada, hello(server.bob.address), key);
    const other = await server.token(server.ada, ["send"]);
    const again = await other.client.ok("send", { body: hello(server.bob.address), ...key });
    expect(again).toEqual({ ...ofAda, replayed: true });
    const ofBob = await send(server.bob, hello(server.ada.address), key);
    expect(ofBob.replayed).toBeUndefined();
    expect(ofBob.ref).not.toBe(ofAda.ref);
  });

  it("can be used again after a refused attempt", async () => {
    const key = { idempotency_key: "refused-first" };
    expect(await refusal(server.ada, { body: hello("nobody@first.example"), ...key })).toMatchObject({
      status: 400,
      field: "/body/to/0",
    });
    expect((await send(server.ada, hello(server.bob.address), key)).replayed).toBeUndefined();
  });

  it("sends one mail when many requests use it at the same time", async () => {
    const key = { idempotency_key: "at-once" };
    const answers = await Promise.all(
      Array.from({ length: 50 }, () =>
        server.ada.client.call("send", { body: hello(server.bob.address, "burst"), ...key }),
      ),
    );
    const refs = new Set(answers.filter(({ status }) => status === 200).map(({ body }) => body.ref));
    expect(refs.size).toBe(1);
    for (const { status, body } of answers)
      if (status !== 200) expect(body.error).toMatchObject({ code: "rate_limited", retry_after_ms: 250 });
    await server.deliverQueued();
    const found = await server.bob.client.ok("search", { folder: "inbox", limit: 10 });
    const arrived = found.content.items.filter((item: { subject: string }) => item.subject === "burst");
    expect(arrived).toHaveLength(1);
  });
});

describe("from another mailbox", () => {
  it("a granted one sends as itself, with the copy in its own Sent", async () => {
    await using own = await openJsonServer();
    await own.administer("grant.create", {
      holder: own.ada.address,
      target: own.bob.address,
      scopes: ["mail", "send"],
    });
    const sent = await send(own.ada, hello(own.eve.address, "for bob"), {
      in: own.bob.id,
      hold: "always",
    });
    const { agent, object } = own.store.ids.decode(sent.ref)!;
    expect(agent).toBe(own.bob.agent);
    const message = (await own.mail.findMessage(agent, object as never))!;
    expect(message.fromAddress).toBe(own.bob.address);
    const hold = await own.store.get<{ asked: number }>(
      "select requested_by as asked from hold where agent_id = ? and message_id = ?",
      agent,
      object,
    );
    expect(hold).toEqual({ asked: own.ada.agent });
  });
});

describe("from a mailbox that is granted", () => {
  it("an agent is held to the policy of its own mailbox", async () => {
    await using own = await openJsonServer({ outbound: { smarthostHost: "relay.example" } });
    await own.administer("agent.update", { owner: own.bob.address, holdPolicy: "open" });
    await own.administer("grant.create", {
      holder: own.ada.address,
      target: own.bob.address,
      scopes: ["mail", "send"],
    });
    const body = hello("mel@far.example");
    expect(await own.bob.client.ok("send", { body })).toMatchObject({ state: "queued" });
    expect(await own.ada.client.ok("send", { body, in: own.bob.id })).toMatchObject({ state: "held" });
  });
});

describe("from a person's mailbox", () => {
  it("an agent may send what its own mailbox may send, and mail that needs approval is refused", async () => {
    await using own = await openJsonServer({ outbound: { smarthostHost: "relay.example" } });
    const { id } = (await own.administer("person.create", { address: "pat@first.example" })) as {
      id: string;
    };
    await own.administer("grant.create", {
      holder: own.ada.address,
      target: "pat@first.example",
      scopes: ["mail", "send"],
    });
    const beside = { in: id };
    expect(await own.ada.client.ok("send", { body: hello(own.bob.address), ...beside })).toMatchObject({
      state: "queued",
    });
    const answer = await own.ada.client.call("send", { body: hello("mel@far.example"), ...beside });
    expect(answer.status).toBe(422);
    expect(answer.body.error).toMatchObject({ code: "policy_refused", hint: expect.stringMatching(/draft/) });
    await own.administer("agent.update", { owner: own.ada.address, allow: ["far.example"] });
    expect(await own.ada.client.ok("send", { body: hello("mel@far.example"), ...beside })).toMatchObject({
      state: "queued",
    });
  });

  it("mail that an agent sends is marked as automatic, composed and as a draft", async () => {
    await using own = await openJsonServer();
    const { id } = (await own.administer("person.create", { address: "pat@first.example" })) as {
      id: string;
    };
    await own.administer("grant.create", {
      holder: own.ada.address,
      target: "pat@first.example",
      scopes: ["mail", "send"],
    });
    const body = hello(own.bob.address);
    const draft = await own.ada.client.ok("draft.create", { body, in: id });
    const asDraft = await own.ada.client.ok("send", { draft: draft.ref, version: draft.version });
    const composed = await own.ada.client.ok("send", { body, in: id });
    for (const { ref } of [asDraft, composed]) {
      const { agent, object } = own.store.ids.decode(ref)!;
      const message = (await own.mail.findMessage(agent, object as never))!;
      expect((await own.mail.readBytes(message)).toString()).toMatch(/^Auto-Submitted: auto-generated\r$/m);
    }
  });
});

describe("limits", () => {
  it("answer the exact time until the next mail may go, and count held mail too", async () => {
    await using own = await openJsonServer({ limits: { sendsPerHour: 2, sendsPerDay: 3 } });
    const body = hello(own.bob.address);
    await own.ada.client.ok("send", { body, hold: "always" });
    own.clock.advance(60_000);
    await own.ada.client.ok("send", { body });
    const limited = { body, idempotency_key: "limited" };
    const refused = async () => (await own.ada.client.call("send", limited)).body.error;
    expect(await refused()).toMatchObject({ code: "rate_limited", retry_after_ms: hourMs - 60_000 });
    own.clock.advance(hourMs - 60_000);
    expect((await own.ada.client.ok("send", limited)).replayed).toBeUndefined();
    limited.idempotency_key = "limited-again";
    own.clock.advance(hourMs);
    expect((await refused()).retry_after_ms).toBe(22 * hourMs);
    await own.bob.client.ok("send", { body: hello(own.ada.address) });
  });
});

describe("is refused:", () => {
  const base = { to: ["bob@first.example"], subject: "s", text: "t" };
  it.each([
    ["neither body nor draft", {}, "/body"],
    ["a version without a draft", { body: base, version: "1" }, "/version"],
    ["nobody to send to", { body: { subject: "s", text: "t" } }, "/body/to"],
    ["nothing to say", { body: { to: base.to, subject: "s" } }, "/body/text"],
    ["a subject with a line end", { body: { ...base, subject: "a\r\nBcc: x@y.z" } }, "/body/subject"],
    ["a subject with NUL", { body: { ...base, subject: "a\0" } }, "/body/subject"],
    ["a subject with half a character", { body: { ...base, subject: "a\ud800" } }, "/body/subject"],
    ["a text with half a character", { body: { ...base, text: "a\udc00" } }, "/body/text"],
    ["an address that is none", { body: { ...base, to: ["bob"] } }, "/body/to/0"],
    ["two addresses in one", { body: { ...base, to: ["a@x.example, b@x.example"] } }, "/body/to/0"],
    ["an address with a line end", { body: { ...base, cc: ["a@x.example\r\nX: y"] } }, "/body/cc/0"],
    [
      "a name with a line end",
      { body: { ...base, cc: [{ name: "a\nb", address: "a@x.example" }] } },
      "/body/cc/0/name",
    ],
    [
      "an address object that is none",
      { body: { ...base, bcc: [{ address: "<a@x.example>" }] } },
      "/body/bcc/0/address",
    ],
    [
      "an unknown mailbox here",
      { body: { ...base, to: [...base.to, "nobody@first.example"] } },
      "/body/to/1",
    ],
    ["an unknown field", { body: { ...base, from: "x" } }, "/body/from"],
    [
      "an attachment from nowhere",
      { body: { ...base, attachments: [{ name: "x" }] } },
      "/body/attachments/0",
    ],
    [
      "an attachment from two places",
      { body: { ...base, attachments: [{ data: "eA==", blob: "blob_x" }] } },
      "/body/attachments/0",
    ],
    [
      "data that is no base64",
      { body: { ...base, attachments: [{ data: "e!" }] } },
      "/body/attachments/0/data",
    ],
    [
      "a file name with a line end",
      { body: { ...base, attachments: [{ data: "eA==", name: "a\nb" }] } },
      "/body/attachments/0/name",
    ],
    [
      "a type that is none",
      { body: { ...base, attachments: [{ data: "eA==", type: "text/plain\r\nX: y" }] } },
      "/body/attachments/0/type",
    ],
    [
      "a multipart",
      { body: { ...base, attachments: [{ data: "eA==", type: "multipart/mixed" }] } },
      "/body/attachments/0/type",
    ],
    [
      "a content id with brackets",
      { body: { ...base, attachments: [{ data: "eA==", cid: "a>b" }] } },
      "/body/attachments/0/cid",
    ],
    ["reply_all to nothing", { body: { ...base, reply_all: true } }, "/body/reply_all"],
    ["an answer to a folder", { body: { ...base, in_reply_to: "folder_x" } }, "/body/in_reply_to"],
    [
      "data without text",
      { body: { to: base.to, attachments: [{ data: "eA==" }], agent: { type: "x:y", data: 1 } } },
      "/body/text",
    ],
    [
      "data of a type that is no URI",
      { body: { ...base, agent: { type: "offer", data: 1 } } },
      "/body/agent/type",
    ],
    ["a time that is none", { body: base, send_at: "tomorrow" }, "/send_at"],
    ["a time in years", { body: base, send_at: "2100-01-01T00:00:00Z" }, "/send_at"],
    ["a mailbox that is no mailbox", { body: base, in: "message_x" }, "/in"],
  ])("%s", async (_, input, field) => {
    expect(await refusal(server.ada, input)).toMatchObject({ status: 400, code: "invalid", field });
  });

  it("a mailbox that the credential may not send from", async () => {
    const { client } = await server.token(server.ada, ["mail"]);
    expect((await client.call("send", { body: base })).status).toBe(403);
    expect(await refusal(server.ada, { body: base, in: server.bob.id })).toMatchObject({
      status: 403,
      code: "forbidden_scope",
    });
    expect(await refusal(server.ada, { body: base, in: server.eve.id })).toMatchObject({ status: 404 });
  });

  it("an attachment of somebody else's", async () => {
    const blob = await server.bob.client.ok("blob.create", { data: "eA==" });
    const attachments = [{ blob: blob.ref }];
    expect(await refusal(server.ada, { body: { ...base, attachments } })).toMatchObject({ status: 403 });
    const stored = await server.deliver(server.eve, plainMessage());
    expect(await refusal(server.ada, { body: { ...base, forward_of: stored } })).toMatchObject({
      status: 404,
    });
  });

  it("more recipients than a mail may have", async () => {
    const to = Array.from({ length: 101 }, (_, index) => `r${index}@far.example`);
    expect(await refusal(server.ada, { body: { ...base, to } })).toMatchObject({
      status: 400,
      field: "/body/to/100",
    });
  });
});
