import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Mailbox } from "#/src/mail/mailboxes.ts";
import { nobody } from "#/src/model/author.ts";
import { deletedFlag, draftFlag } from "#/src/model/flags.ts";
import type { MailboxNumber, Uid } from "#/src/model/numbers.ts";
import { type JsonServer, openJsonServer, plainMessage } from "../support/servers/json-server.ts";

let server: JsonServer;
beforeAll(async () => {
  server = await openJsonServer();
});
afterAll(() => server[Symbol.asyncDispose]());

const body = { to: ["mel@elsewhere.example"], subject: "Plan", text: "First words" };
const write = (more: object = {}) => server.ada.client.ok("draft.create", { body, ...more });
const read = (id: string, more: object = {}) => server.ada.client.ok("part.describe", { id, ...more });
const mailbox = async (role: string): Promise<Mailbox> =>
  (await server.mail.listMailboxes(server.ada.agent)).find((one) => one.role === role)!;

/** What a mail client does with a draft: the bytes of a message, and where it lies. */
async function source(id: string): Promise<{ text: string; uid: Uid; mailbox: MailboxNumber }> {
  const { object } = server.store.ids.decode(id)!;
  const message = (await server.mail.findMessage(server.ada.agent, object as never))!;
  const { uid, mailbox } = message.places[0]!;
  return { text: (await server.mail.readBytes(message)).toString(), uid, mailbox };
}
const appended = (text: string) => ({ bytes: Buffer.from(text), flags: draftFlag, keywords: [] });
async function append(text: string): Promise<string> {
  const { number } = await mailbox("drafts");
  const { messages } = await server.mail.appendMessages(nobody, server.ada.agent, number, [appended(text)], {
    source: "imap",
  });
  return server.store.ids.encode("message", server.ada.agent, messages[0]!);
}
async function expunge(id: string): Promise<void> {
  const { uid, mailbox } = await source(id);
  const uids = [[uid, uid]] as const;
  const change = { uids, mode: "add", flags: deletedFlag, keywords: [] } as const;
  await server.mail.storeFlags(nobody, server.ada.agent, mailbox, change);
  await server.mail.expungeMessages(nobody, server.ada.agent, mailbox, uids);
}

describe("draft.create", () => {
  it("writes a message into Drafts, which is read as a draft and as a message", async () => {
    const draft = await write({
      body: { ...body, cc: ["Zoë <zoe@elsewhere.example>"], bcc: ["hidden@elsewhere.example"] },
      send_at: "2026-02-01T09:00:00Z",
      hold: "always",
    });
    expect(draft).toEqual({
      ref: expect.stringMatching(/^draft_/),
      created: true,
      version: expect.any(String),
      message: expect.stringMatching(/^message_/),
      send_at: "2026-02-01T09:00:00.000Z",
    });
    const described = await read(draft.ref);
    expect(described).toMatchObject({ ref: draft.ref, kind: "draft", version: draft.version });
    expect(described.text.trim()).toBe("First words");
    expect(described.content).toMatchObject({
      id: draft.ref,
      message: draft.message,
      draft: true,
      unread: false,
      subject: "Plan",
      from: { address: server.ada.address },
      to: [{ address: "mel@elsewhere.example" }],
      cc: [{ name: "Zoë", address: "zoe@elsewhere.example" }],
      bcc: [{ address: "hidden@elsewhere.example" }],
      send_at: "2026-02-01T09:00:00.000Z",
      hold: "always",
    });
    expect(described.provenance).toMatchObject({ authenticated: true, source: "api" });
    const asMessage = await read(draft.message);
    expect([asMessage.kind, asMessage.content.draft_id]).toEqual(["message", draft.ref]);
    const { content } = await server.ada.client.ok("search", { folder: "drafts" });
    expect(content.items[0]).toMatchObject({ id: draft.message, draft_id: draft.ref });
    expect((await read(draft.ref, { part: "headers" })).text).toMatch(/^subject: Plan$/im);
    expect(await read(`${draft.ref}#1`)).toMatchObject({ ref: `${draft.ref}#1`, kind: "body" });
  });

  it("attaches blobs and parts of stored messages, and answers in the conversation", async () => {
    const { client } = server.ada;
    const { ref: blob } = await client.ok("blob.create", {
      data: Buffer.from("a,b").toString("base64"),
      name: "table.csv",
      type: "text/csv",
    });
    const original = await server.deliver(server.ada, plainMessage("Question"));
    const draft = await write({ body: { text: "Here", in_reply_to: original, attachments: [{ blob }] } });
    const described = await read(draft.ref);
    expect(described.content).toMatchObject({
      subject: "Re: Question",
      to: [{ address: "mel@elsewhere.example" }],
      thread: (await read(original)).content.thread,
    });
    expect(described.content.parts).toContainEqual(
      expect.objectContaining({ name: "table.csv", disposition: "attachment" }),
    );
  });

  it("answers a repeat under its key with the first draft", async () => {
    const request = { body, idempotency_key: "draft-1" };
    const first = await write(request);
    expect(await write(request)).toEqual(first);
    const other = await server.ada.client.call("draft.create", { ...request, hold: "always" });
    expect([other.status, other.body.error.field]).toEqual([400, "/idempotency_key"]);
  });

  it.each([
    ["/body", "no body", {}],
    ["/body/subject", "a line end in the subject", { body: { subject: "a\r\nBcc: x@y.example" } }],
    ["/body/to/0", "no address", { body: { to: ["mel"] } }],
    ["/body/text", "half of a character", { body: { text: "\ud800" } }],
    ["/send_at", "a day", { body, send_at: "2026-02-01" }],
    ["/send_at", "a time that send refuses", { body, send_at: "2031-02-01T09:00:00Z" }],
    ["/in", "an id of another kind", { body, in: "message_00000000000000000000000000" }],
  ])("is refused with %s: %s", async (field, _, request: object) => {
    const { status, body } = await server.ada.client.call("draft.create", request);
    expect([status, body.error.code, body.error.field]).toEqual([400, "invalid", field]);
  });
});

describe("draft.update", () => {
  it("replaces the draft whole under its name, with its labels, and gives a new version", async () => {
    const { client } = server.ada;
    const draft = await write();
    await client.ok("message.update", { id: draft.message, labels: ["urgent"], flagged: true });
    expect((await read(draft.ref)).version).toBe(draft.version);
    const request = { id: draft.ref, version: draft.version, body: { ...body, text: "Second words" } };
    const updated = await client.ok("draft.update", { ...request, idempotency_key: "draft-2" });
    expect(updated).toMatchObject({ ref: draft.ref, created: false });
    expect(updated.version).not.toBe(draft.version);
    expect(await client.ok("draft.update", { ...request, idempotency_key: "draft-2" })).toEqual(updated);
    const described = await read(draft.ref);
    expect(described.text.trim()).toBe("Second words");
    expect(described.content).toMatchObject({ message: updated.message, labels: ["urgent"], flagged: true });
    expect((await client.call("part.describe", { id: draft.message })).status).toBe(404);
  });

  it("changes nothing without the version that is there, and says which that is", async () => {
    const draft = await write();
    for (const sent of [{}, { version: "1" }]) {
      const request = { id: draft.ref, body, ...sent };
      const { status, body: answer } = await server.ada.client.call("draft.update", request);
      expect([status, answer.error.code]).toEqual([409, "precondition_failed"]);
      expect(answer.error.version).toBe(draft.version);
      expect(answer.error.current).toMatchObject({ id: draft.ref, subject: "Plan", message: draft.message });
    }
  });
});

describe("a draft that is sent in an old version", () => {
  it("is answered with the current draft, or with its version alone to a caller who may not read it", async () => {
    const draft = await write();
    const sender = await server.token(server.ada, ["send"]);
    const refusals = [];
    for (const client of [server.ada.client, sender.client])
      refusals.push((await client.call("send", { draft: draft.ref, version: "1" })).body.error);
    expect(refusals.map(({ version }) => version)).toEqual([draft.version, draft.version]);
    expect(refusals[0].current).toMatchObject({ id: draft.ref, subject: "Plan" });
    expect(refusals[1].current).toBeUndefined();
  });
});

describe("draft.delete", () => {
  it("puts the message into Trash, where it is no draft any more", async () => {
    const { client } = server.ada;
    const draft = await write();
    expect((await client.call("draft.delete", { id: draft.ref })).body.error.version).toBe(draft.version);
    const request = { id: draft.ref, version: draft.version, idempotency_key: "draft-3" };
    const done = await client.ok("draft.delete", request);
    expect(await client.ok("draft.delete", request)).toEqual(done);
    expect((await client.call("part.describe", { id: draft.ref })).status).toBe(404);
    const { content } = await read(draft.message);
    expect([content.folder, content.draft_id]).toEqual([(await mailbox("trash")).id, undefined]);
    await client.ok("message.update", { id: draft.message, folder: "drafts" });
    expect((await read(draft.ref)).content.message).toBe(draft.message);
  });
});

describe("draft.update", () => {
  const options = { send_at: "2026-02-01T09:00:00.000Z", hold: "always" };

  it("keeps when the draft is to leave and that a person is asked, where it does not say another", async () => {
    const { client } = server.ada;
    const to = [server.bob.address];
    const { ref: id, ...draft } = await write({ body: { ...body, to }, ...options });
    const update = async (version: string, more: object): Promise<string> =>
      (await client.ok("draft.update", { id, version, body: { ...body, to, text: "Other words" }, ...more }))
        .version;
    const second = await update(draft.version, {});
    expect((await read(id)).content).toMatchObject(options);
    const third = await update(second, { send_at: "2026-02-02T09:00:00Z" });
    expect((await read(id)).content).toMatchObject({ ...options, send_at: "2026-02-02T09:00:00.000Z" });
    expect(await client.ok("send", { draft: id, version: third })).toMatchObject({
      state: "held",
      hold_reason: "requested",
    });
  });

  it("takes both back where it says so", async () => {
    const { client } = server.ada;
    const { ref: id, version } = await write({ body: { ...body, to: [server.bob.address] }, ...options });
    const changed = { id, version, body: { ...body, to: [server.bob.address] } };
    const now = new Date(server.clock.now()).toISOString();
    const next = await client.ok("draft.update", { ...changed, hold: "policy", send_at: now });
    expect(await client.ok("send", { draft: id, version: next.version })).toMatchObject({ state: "queued" });
  });
});

describe("a draft that a person edits in a mail client", () => {
  it("keeps its name when it is replaced (REPLACE), whatever its Message-ID", async () => {
    const draft = await write({ hold: "always" });
    const { uid, mailbox } = await source(draft.message);
    await server.mail.replaceMessage(
      nobody,
      server.ada.agent,
      mailbox,
      uid,
      mailbox,
      appended("Subject: Mine\r\nMessage-ID: <other@client.example>\r\n\r\nBy hand\r\n"),
      { source: "imap" },
    );
    const described = await read(draft.ref);
    expect(described.version).not.toBe(draft.version);
    expect(described.content).toMatchObject({ subject: "Mine", hold: "always" });
    const old = await server.ada.client.call("draft.update", { id: draft.ref, version: draft.version, body });
    expect([old.status, old.body.error.version]).toEqual([409, described.version]);
  });

  it.each(["Message-ID", "X-Waypost-Draft", "X-Universally-Unique-Identifier"])(
    "keeps its name when it is appended with the same %s and the old one expunged",
    async (field) => {
      const first = await append(`${field}: <a-${field}@client.example>\r\nSubject: One\r\n\r\nOne\r\n`);
      const { content, version } = await read(first);
      const id: string = content.draft_id;
      expect(id).toMatch(/^draft_/);
      const second = await append(`${field}: <a-${field}@client.example>\r\nSubject: Two\r\n\r\nTwo\r\n`);
      // While both are there the newer one is the draft.
      expect((await read(id)).content).toMatchObject({ subject: "Two", message: second });
      expect((await read(first)).content.draft_id).toBeUndefined();
      await expunge(first);
      const described = await read(id);
      expect(described.content).toMatchObject({ subject: "Two", message: second });
      expect(described.version).not.toBe(version);
      await expunge(second);
      expect((await server.ada.client.call("part.describe", { id })).status).toBe(404);
    },
  );

  it("is the older message again when the newer one is expunged first", async () => {
    const first = await append("Message-ID: <b@client.example>\r\nSubject: One\r\n\r\nOne\r\n");
    const { draft_id: id } = (await read(first)).content;
    await expunge(await append("Message-ID: <b@client.example>\r\nSubject: Two\r\n\r\nTwo\r\n"));
    expect((await read(id)).content).toMatchObject({ subject: "One", message: first });
  });

  it("is a new draft when the older one with its Message-ID has left Drafts", async () => {
    const { client } = server.ada;
    const draft = await write();
    const { text } = await source(draft.message);
    await client.ok("draft.delete", { id: draft.ref, version: draft.version });
    const again = (await read(await append(text))).content.draft_id;
    expect(again).not.toBe(draft.ref);
    expect((await client.call("part.describe", { id: draft.ref })).status).toBe(404);
  });
});

it("takes a message that a person puts into Drafts for a draft, and none elsewhere", async () => {
  const { client } = server.ada;
  const id = await server.deliver(server.ada, plainMessage("Not mine"));
  expect((await read(id)).content.draft_id).toBeUndefined();
  await client.ok("message.update", { id, folder: "drafts" });
  const { draft_id } = (await read(id)).content;
  const { version } = await read(draft_id);
  await client.ok("draft.update", { id: draft_id, version, body });
  expect((await read(draft_id)).content.subject).toBe("Plan");
});

it("is reached with the folder that drafts are in", async () => {
  await using other = await openJsonServer();
  const { ada, bob, eve } = other;
  const { ref: id, version } = await bob.client.ok("draft.create", { body });
  const attempts = async () => [
    (await ada.client.call("draft.create", { in: bob.id, body })).status,
    (await ada.client.call("part.describe", { id })).status,
    (await ada.client.call("draft.update", { id, version, body })).status,
    (await ada.client.call("draft.delete", { id, version: "1" })).status,
  ];
  expect(await attempts()).toEqual([403, 403, 403, 403]);
  const grant = { holder: ada.address, target: bob.address };
  await other.administer("grant.create", { ...grant, scopes: ["mail"], mailboxes: ["INBOX"] });
  expect(await attempts()).toEqual([403, 403, 403, 403]);
  await other.administer("grant.create", { ...grant, scopes: ["mail"], mailboxes: ["Drafts"] });
  expect(await attempts()).toEqual([200, 200, 200, 409]);
  // Who may not send as bob has not written as bob.
  expect((await bob.client.ok("part.describe", { id })).provenance.authenticated).toBe(false);
  expect((await eve.client.call("part.describe", { id })).status).toBe(404);
});
