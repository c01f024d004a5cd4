import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nobody } from "#/src/model/author.ts";
import { type JsonServer, openJsonServer } from "../support/servers/json-server.ts";

let server: JsonServer;
beforeAll(async () => {
  server = await openJsonServer();
});
afterAll(() => server[Symbol.asyncDispose]());

const base64 = (text: string | Buffer): string => Buffer.from(text).toString("base64");
const upload = (text: string, more: object = {}) =>
  server.ada.client.ok("blob.create", { data: base64(text), ...more });

describe("blob.create", () => {
  it("stores bytes that are read like an attachment, with their version", async () => {
    const { client } = server.ada;
    const blob = await upload("Grüße", { name: "hello.txt", type: "text/plain; charset=utf-8" });
    expect(blob).toEqual({
      ref: expect.stringMatching(/^blob_/),
      created: true,
      version: expect.any(String),
      size: 7,
      expires_at: new Date(server.clock.now() + 7 * 86_400_000).toISOString(),
    });
    const read = await client.ok("part.describe", { id: blob.ref });
    expect(read).toMatchObject({
      ref: blob.ref,
      kind: "blob",
      text: "Grüße",
      version: blob.version,
      content: { id: blob.ref, name: "hello.txt", type: "text/plain; charset=utf-8", size: 7 },
      provenance: { authenticated: false, removed: [] },
    });
    const raw = await server.token(server.ada, ["mail:read", "raw"]);
    const { content } = await raw.client.ok("part.describe", { id: blob.ref, render: "raw" });
    expect(Buffer.from(content.data, "base64").toString()).toBe("Grüße");
    expect((await client.call("part.describe", { id: blob.ref, render: "raw" })).status).toBe(403);
  });

  it("is described by its type and size alone when it has no text of its own", async () => {
    for (const [type, text] of [
      [undefined, "\0\u0001"],
      ["message/rfc822", "Subject: inner\r\n\r\nHello\r\n"],
      ["multipart/mixed", "--x\r\n\r\nHello\r\n--x--\r\n"],
    ]) {
      const blob = await upload(text!, type === undefined ? {} : { type });
      const read = await server.ada.client.ok("part.describe", { id: blob.ref });
      expect([read.kind, read.text, read.content.type]).toEqual([
        "blob",
        undefined,
        type ?? "application/octet-stream",
      ]);
    }
  });

  it("is read in the forms of an attachment, by its type or the end of its name", async () => {
    const { client } = server.ada;
    const html = "<p>Hello <b>there</b><script>x</script></p>";
    for (const more of [{ type: "text/html" }, { name: "l'été (1)*.html" }]) {
      const { ref: id } = await upload(html, more);
      const read = await client.ok("part.describe", { id });
      expect([read.text.trim(), read.provenance.removed]).toEqual(["Hello there", ["script"]]);
      expect((await client.ok("part.describe", { id, render: "markdown" })).text).toContain("**there**");
      expect((await client.ok("part.describe", { id, render: "json" })).text).toBeUndefined();
      const { status, body } = await client.call("part.describe", { id, render: "source" });
      expect([status, body.error.field]).toEqual([400, "/render"]);
    }
  });

  it("goes on with a cut text", async () => {
    const { client } = server.ada;
    const { ref: id } = await upload("Lorem ipsum. ".repeat(100), { type: "text/plain" });
    const first = await client.ok("part.describe", { id, max_chars: 400 });
    expect(first.text).toMatch(/\[truncated: \d+ of 1300 characters; continue with cursor\]$/);
    const second = await client.ok("part.describe", { id, max_chars: 2000, cursor: first.cursor });
    expect(second.text.endsWith("Lorem ipsum. ")).toBe(true);
  });

  it("takes a body of 16 MiB and refuses a larger one", async () => {
    const { client } = server.ada;
    const overhead = '{"data":""}'.length;
    const fits = "A".repeat(Math.floor((16 * 1024 * 1024 - overhead) / 4) * 4);
    const { size } = await client.ok("blob.create", { data: fits });
    expect(size).toBe((fits.length / 4) * 3);
    const { status, body } = await client.call("blob.create", { data: `${fits}AAAAAAAAAAAA` });
    expect([status, body.error.code, body.error.field]).toEqual([400, "invalid", ""]);
  });

  it.each([
    ["/data", "no base64", { data: "?" }],
    ["/data", "no padding", { data: "QQ" }],
    ["/data", "a line end", { data: "QUFB\nQUFB" }],
    ["/data", "the alphabet of URLs", { data: "-_-_" }],
    ["/data", "nothing", {}],
    ["/name", "a line end", { data: "", name: "a\r\nb" }],
    ["/name", "half of a character", { data: "", name: "\ud800" }],
    ["/type", "no media type", { data: "", type: "text" }],
    ["/type", "a line end", { data: "", type: "text/plain\r\nX: y" }],
  ])("is refused with %s: %s", async (field, _, request: object) => {
    const { status, body } = await server.ada.client.call("blob.create", request);
    expect([status, body.error.code, body.error.field]).toEqual([400, "invalid", field]);
  });

  it("does the work once under one key", async () => {
    const request = { data: base64("once"), idempotency_key: "blob-1" };
    const first = await server.ada.client.ok("blob.create", request);
    expect(await server.ada.client.ok("blob.create", request)).toEqual(first);
    const other = await server.ada.client.call("blob.create", { ...request, name: "b" });
    expect([other.status, other.body.error.field]).toEqual([400, "/idempotency_key"]);
  });
});

describe("blob.delete", () => {
  it("refuses a request without the version, and answers the current version", async () => {
    const { client } = server.ada;
    const { ref: id, version } = await upload("x");
    const { status, body } = await client.call("blob.delete", { id });
    expect([status, body.error.code, body.error.version]).toEqual([409, "precondition_failed", version]);
    expect(body.error.current).toMatchObject({ id, size: 1 });
    const request = { id, version, idempotency_key: "blob-2" };
    const done = await client.ok("blob.delete", request);
    expect(await client.ok("blob.delete", request)).toEqual(done);
    expect((await client.call("part.describe", { id })).status).toBe(404);
    expect((await client.call("blob.delete", { id, version })).status).toBe(404);
  });
});

it("forgets a blob after its time, and frees its bytes", async () => {
  await using other = await openJsonServer();
  const { client } = other.ada;
  const { ref: id, version } = await client.ok("blob.create", { data: base64("x") });
  other.clock.advance(7 * 86_400_000);
  expect((await client.call("part.describe", { id })).status).toBe(404);
  expect((await client.call("blob.delete", { id, version })).status).toBe(404);
  expect(await other.store.get("select count(*) as kept from blob")).toEqual({ kept: 1 });
  await other.store.maintain({ changesMs: 1e12 });
  expect(await other.store.get("select count(*) as kept from blob")).toEqual({ kept: 0 });
});

it("needs a grant on the whole mailbox for a blob of another agent, because blobs are in no folder", async () => {
  await using other = await openJsonServer();
  const { ada, bob } = other;
  const { ref: id, version } = await bob.client.ok("blob.create", { data: "" });
  const read = () => ada.client.call("part.describe", { id });
  expect((await read()).status).toBe(403);
  const grant = { holder: ada.address, target: bob.address, scopes: ["mail"] };
  await other.administer("grant.create", { ...grant, mailboxes: ["INBOX"] });
  expect((await read()).status).toBe(403);
  expect((await ada.client.call("blob.delete", { id, version })).status).toBe(403);
  await other.administer("grant.create", grant);
  expect((await read()).status).toBe(200);
  await ada.client.ok("blob.delete", { id, version });
  expect((await other.eve.client.call("part.describe", { id })).status).toBe(404);
});

it("holds a bounded number of blobs for an agent", async () => {
  await using other = await openJsonServer();
  const { client } = other.ada;
  const bytes = Buffer.alloc(11 * 1024 * 1024);
  for (let count = 0; count < 23; count++)
    await other.mail.createUpload(nobody, other.ada.agent, { bytes, name: "", type: "text/plain" });
  const { status, body } = await client.call("blob.create", { data: bytes.toString("base64") });
  expect([status, body.error.code]).toEqual([422, "policy_refused"]);
});
