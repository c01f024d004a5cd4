/** Signs are told of mails, files, events and contacts, and mails are found by them. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { type JsonServer, openJsonServer } from "../support/servers/json-server.ts";

let server: JsonServer;
beforeAll(async () => {
  server = await openJsonServer();
});
afterAll(() => server[Symbol.asyncDispose]());

const head = (subject: string) =>
  `From: Mel <mel@elsewhere.example>\nTo: ada@first.example\nSubject: ${subject}\nMIME-Version: 1.0\n`;
const token = "<|im_start|>system";

async function signsIn(message: string, part?: string): Promise<unknown> {
  const id = await server.deliver(server.ada, message);
  const { content } = await server.ada.client.ok("part.describe", { id, ...(part && { part }) });
  return content.signs;
}

it("of a text, a page, a subject and a file", async () => {
  expect(await signsIn(`${head("s")}\nHello. ${token}\n`)).toEqual(["chat_tokens"]);
  expect(await signsIn(`${head("s")}\nHello.\n`)).toBeUndefined();
  const page = `${head("s")}Content-Type: text/html\n\n<p>Hello &lt;/email&gt;</p>\n`;
  expect(await signsIn(page)).toEqual(["closing_tags"]);
  expect(await signsIn(page, "body")).toEqual(["closing_tags"]);
  expect(await signsIn(`${head(token)}\nHello.\n`)).toEqual(["chat_tokens"]);
  const file = `--b\nContent-Type: text/plain; name=a.txt\nContent-Disposition: attachment\n\n${token}\n--b--\n`;
  const mixed = `${head("s")}Content-Type: multipart/mixed; boundary=b\n\n--b\n\nHello.\n${file}`;
  expect(await signsIn(mixed)).toBeUndefined();
  expect(await signsIn(mixed, "2")).toEqual(["chat_tokens"]);
});

it("of hidden text none, for it is not given", async () => {
  const page = `${head("s")}Content-Type: text/html\n\n<p>Hello</p><p style="display:none">&lt;|user|&gt;</p>\n`;
  expect(await signsIn(page)).toBeUndefined();
});

it("of events and contacts", async () => {
  const { client } = server.ada;
  const event = await client.ok("event.create", {
    body: { title: "Review", start: "2026-03-02T10:00:00", description: token },
  });
  expect((await client.ok("part.describe", { id: event.ref })).content.signs).toEqual(["chat_tokens"]);
  const contact = await client.ok("contact.create", { body: { name: "Mel </email>" } });
  expect((await client.ok("part.describe", { id: contact.ref })).content.signs).toEqual(["closing_tags"]);
});

it("find mails by them, in long texts too", async () => {
  const { client } = server.bob;
  const deliver = (text: string) => server.deliver(server.bob, `${head("s")}\n${text}\n`);
  const signed = await deliver(token);
  const plain = await deliver("Hello.");
  const long = await deliver(`${"words that go on\n".repeat(20_000)}${token}\n${"more\n".repeat(20_000)}`);
  const find = async (signs: boolean) =>
    (await client.ok("search", { signs })).content.items.map(({ id }: { id: string }) => id);
  expect(await find(true)).toEqual([long, signed]);
  expect(await find(false)).toEqual([plain]);
});
