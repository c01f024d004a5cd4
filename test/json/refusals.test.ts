/** What a refusal says, and what it must not say. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hintOfCode } from "#/protocols/json/errors.ts";
import { errorCodes } from "#/src/model/errors.ts";
import { type JsonServer, type Owner, openJsonServer, plainMessage } from "../support/servers/json-server.ts";

let server: JsonServer;
beforeAll(async () => {
  server = await openJsonServer();
});
afterAll(() => server[Symbol.asyncDispose]());

type Ids = Readonly<Record<"message" | "thread" | "folder" | "draft" | "hold" | "blob" | "agent", string>>;

async function idsOf({ client, id: agent }: Owner, owner: Owner): Promise<Ids> {
  const message = await server.deliver(owner, plainMessage());
  const { thread, folder } = (await client.ok("part.describe", { id: message })).content;
  const draft = (await client.ok("draft.create", { body: { text: "x" } })).ref;
  const blob = (await client.ok("blob.create", { data: "" })).ref;
  const { hold } = await client.ok("send", { body: { to: [owner.address], text: "x" }, hold: "always" });
  return { agent, message, thread, folder, draft, blob, hold };
}

/** Ids of the right form that were never given. */
const madeUp = Object.fromEntries(
  ["agent", "message", "thread", "folder", "draft", "hold", "blob"].map((kind) => [
    kind,
    `${kind === "agent" ? "ag" : kind}_00000000000000000000000000`,
  ]),
) as Ids;

describe("an id outside the account", () => {
  const body = { to: ["ada@first.example"], subject: "x", text: "x" };
  const requests: readonly (readonly [string, (ids: Ids, own: Ids) => object])[] = [
    ["part.describe", ({ message: id }) => ({ id })],
    ["part.describe", ({ thread: id }) => ({ id })],
    ["part.describe", ({ folder: id }) => ({ id })],
    ["part.describe", ({ draft: id }) => ({ id })],
    ["part.describe", ({ hold: id }) => ({ id })],
    ["part.describe", ({ blob: id }) => ({ id })],
    ["part.describe", ({ agent: id }) => ({ id })],
    ["search", ({ agent }) => ({ in: agent })],
    ["search", ({ folder }) => ({ folder })],
    ["search", ({ thread }) => ({ thread })],
    ["message.update", ({ message: id }) => ({ id, unread: true })],
    ["message.update", ({ message }, own) => ({ ids: [own.message, message], unread: true })],
    ["message.update", ({ folder }, own) => ({ id: own.message, folder })],
    ["message.delete", ({ message: id }) => ({ id, version: "1" })],
    ["folder.create", ({ agent }) => ({ in: agent, path: "x" })],
    ["folder.create", ({ folder }) => ({ path: "x", parent: folder })],
    ["folder.update", ({ folder: id }) => ({ id, version: "1", path: "x" })],
    ["folder.delete", ({ folder: id }) => ({ id, version: "1" })],
    ["draft.create", ({ agent }) => ({ in: agent, body })],
    ["draft.update", ({ draft: id }) => ({ id, version: "1", body })],
    ["draft.delete", ({ draft: id }) => ({ id, version: "1" })],
    ["hold.update", ({ hold: id }) => ({ id, version: "1", body })],
    ["hold.delete", ({ hold: id }) => ({ id, version: "1" })],
    ["blob.delete", ({ blob: id }) => ({ id, version: "1" })],
    ["send", ({ agent }) => ({ in: agent, body })],
    ["send", ({ draft }) => ({ draft, version: "1" })],
    ["send", ({ draft }, own) => ({ in: own.agent, draft, version: "1" })],
    ["send", ({ message }) => ({ body: { ...body, in_reply_to: message } })],
    ["send", ({ message }) => ({ body: { ...body, forward_of: message } })],
    ["send", ({ blob }) => ({ body: { ...body, attachments: [{ blob }] } })],
    ["send", ({ message }) => ({ body: { ...body, attachments: [{ part: `${message}#1` }] } })],
    ["watch", ({ agent }) => ({ mailbox: agent })],
    ["wait", ({ agent }) => ({ mailbox: agent })],
  ];

  it("gets the same answer as an unknown id, in every field of a request", async () => {
    const own = await idsOf(server.ada, server.ada);
    const foreign = await idsOf(server.eve, server.eve);
    for (const [operation, request] of requests) {
      const answers = [];
      for (const ids of [foreign, madeUp]) {
        const { status, body } = await server.ada.client.call(operation, request(ids, own));
        const error = body.error ?? body.results[1].error;
        answers.push({
          status,
          code: error.code,
          message: error.message,
          hint: error.hint,
          field: error.field,
        });
      }
      expect([operation, answers[0]]).toEqual([operation, answers[1]]);
      expect([operation, answers[0]!.message]).toEqual([operation, "There is no such object."]);
      expect([operation, answers[0]!.code]).toEqual([operation, "not_found"]);
    }
  });

  it("is answered as an object that is gone", async () => {
    const { client } = server.ada;
    const { ref } = await client.ok("blob.create", { data: "" });
    const { version } = await client.ok("part.describe", { id: ref });
    await client.ok("blob.delete", { id: ref, version });
    const gone = (await client.call("part.describe", { id: ref })).body.error;
    const never = (await client.call("part.describe", { id: madeUp.blob })).body.error;
    expect({ ...gone, request_id: "" }).toEqual({ ...never, request_id: "" });
  });
});

describe("a refusal", () => {
  it("has a hint, whatever its code", () => {
    expect(Object.keys(hintOfCode).toSorted()).toEqual([...errorCodes].toSorted());
  });

  it.each([
    [
      "an address",
      "/body/to/0/nick",
      { body: { to: [{ address: "a@x.example", nick: "a" }], text: "x" } },
      "name, address",
    ],
    [
      "an attachment",
      "/body/attachments/0/file",
      { body: { to: ["a@x.example"], text: "x", attachments: [{ file: "x" }] } },
      "blob, data, part, name, type, cid",
    ],
    ["a body", "/body/texts", { body: { to: ["a@x.example"], texts: "x" } }, "to, cc, bcc, subject, text"],
  ])("of a field that is not known within %s lists those that are", async (_, field, request, known) => {
    const { status, body } = await server.ada.client.call("send", request);
    expect([status, body.error.field]).toEqual([400, field]);
    expect(body.error.hint).toContain(`Known fields: `);
    expect(body.error.hint).toContain(known);
  });

  it("repeats at most 200 characters of what the caller calls a field", async () => {
    const name = "n".repeat(5000);
    const { ada } = server;
    for (const text of [`{"${name}":1}`, `{"${name}":1,"${name}":2}`, `{"body":{"${name}":{"a":1,"a":2}}}`]) {
      const answer = await ada.client.request("/v1/send", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: text,
      });
      expect([answer.status, answer.body.error.field.length]).toEqual([400, 200]);
      expect(
        JSON.stringify(answer.body)
          .match(/n+/g)!
          .every((run) => run.length <= 200),
      ).toBe(true);
    }
  });
});

describe("the catalogue", () => {
  it("publishes how long a key of send is remembered: 7 days", async () => {
    const { content } = await server.ada.client.ok("catalog.describe");
    expect(content.retention.send_idempotency_key_s).toBe(7 * 24 * 3600);
  });
});
