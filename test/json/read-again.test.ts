/** A message that is read a second time: its text comes from a cache (`src/render/kept-descriptions.ts`), its rights and flags from the
 *  store. */
import { afterAll, beforeAll, expect, it } from "vitest";
import type { MessageNumber } from "#/src/model/numbers.ts";
import { postJson } from "../support/clients/events.ts";
import type { HttpClient } from "../support/clients/http.ts";
import { startInProcessDaemon } from "../support/daemon.ts";
import { type JsonServer, openJsonServer, plainMessage } from "../support/servers/json-server.ts";

let server: JsonServer;
let reader: HttpClient;
beforeAll(async () => {
  server = await openJsonServer();
  reader = (await server.token(server.ada, ["mail", "raw"])).client;
});
afterAll(() => server[Symbol.asyncDispose]());

const renders = ["text", "reply", "markdown", "html", "json", "headers", "structure", "raw", "source"];

it.each(renders)("gives the same answer when it is read again, in render %s", async (render) => {
  const id = await server.deliver(server.ada, plainMessage(`Again ${render}`, "> old\r\nnew words\r\n"));
  const first = await reader.ok("part.describe", { id, render });
  expect(await reader.ok("part.describe", { id, render })).toEqual(first);
});

it("shows changed flags, labels and folder when it is read again", async () => {
  const id = await server.deliver(server.ada, plainMessage("Marks"));
  const first = await reader.ok("part.describe", { id });
  expect(first.content).toMatchObject({ unread: true, labels: [] });
  await reader.ok("message.update", { id, unread: false, labels: ["seen-by-ada"], folder: "archive" });
  const again = await reader.ok("part.describe", { id });
  expect(again.content).toMatchObject({ unread: false, labels: ["seen-by-ada"] });
  expect(again.content.folder).not.toBe(first.content.folder);
  expect(again.version).not.toBe(first.version);
});

it("goes on in a text from its cursor", async () => {
  const words = Array.from({ length: 500 }, (_, number) => `word${number}`).join(" ");
  const id = await server.deliver(server.ada, plainMessage("Long", `${words}\r\n`));
  let text = "";
  for (let cursor: string | undefined, pages = 0; pages < 50; pages++) {
    const page = await reader.ok("part.describe", { id, max_chars: 400, ...(cursor && { cursor }) });
    text += page.text.replace(/\n\[truncated: .*\]$/, "");
    cursor = page.cursor;
    if (cursor === undefined) break;
  }
  expect(text.trim()).toBe(words);
});

it("is refused to who may not read it, though it was read by another", async () => {
  const id = await server.deliver(server.ada, plainMessage("Secret"));
  await reader.ok("part.describe", { id });
  await reader.ok("part.describe", { id, render: "source" });
  const refusal = async (client: HttpClient, input: object) =>
    (await client.call("part.describe", input)).body.error.code as string;
  const other = (await server.token(server.bob, ["mail", "raw"])).client;
  expect(await refusal(other, { id })).toBe("forbidden_scope");
  const withoutRaw = (await server.token(server.ada, ["mail"])).client;
  expect(await refusal(withoutRaw, { id, render: "source" })).toBe("forbidden_scope");
  const withoutMail = (await server.token(server.ada, ["calendar"])).client;
  expect(await refusal(withoutMail, { id })).toBe("forbidden_scope");
});

it("is gone when the message is", async () => {
  const id = await server.deliver(server.ada, plainMessage("Going"));
  for (let times = 0; times < 2; times++) {
    const { version } = await reader.ok("part.describe", { id });
    await reader.ok("message.delete", { id, version });
  }
  expect((await reader.call("part.describe", { id })).body.error.code).toBe("not_found");
});

it("is listed with changed flags and the same preview, and not after it is deleted", async () => {
  await using daemon = await startInProcessDaemon();
  const { token, address } = daemon.agents[0]!;
  const call = (operation: string, input: object) => postJson(daemon.http.url, operation, token, input);
  const body = { to: [address], subject: "Listed", text: "The words of it." };
  await call("send", { body });
  const list = async () => (await call("search", { folder: "inbox" })).content.items;
  await expect.poll(async () => (await list()).length, { timeout: 60_000 }).toBe(1);
  const indexed = daemon.daemon.house.mail;
  const principal = await daemon.daemon.house.accounts.authenticateToken(token, "127.0.0.1");
  const [message] = await indexed.listNewestMessages(principal.agent, { limit: 1 });
  await expect
    .poll(async () => (await indexed.findPreviews(principal.agent, [message!.number])).size, {
      timeout: 60_000,
    })
    .toBe(1);
  const [first] = await list();
  expect(first).toMatchObject({ subject: "Listed", preview: "The words of it.", unread: true, labels: [] });
  await call("message.update", { id: first.id, unread: false, labels: ["kept"] });
  const [again] = await list();
  expect(again).toEqual({ ...first, unread: false, labels: ["kept"], version: again.version });
  await call("message.delete", { id: first.id, version: again.version });
  expect(await list()).toEqual([]);
});

it("makes the preview of a message that is not indexed once, unless a limit was met", async () => {
  const short = await server.deliver(server.ada, plainMessage("Short", "Few words.\r\n"));
  const nodes = "<b>".repeat(600);
  const deep = plainMessage("Deep", `${nodes}hidden in the depth`).replace("text/plain", "text/html");
  const long = await server.deliver(server.ada, deep);
  const items = (await reader.ok("search", { limit: 2 })).content.items;
  expect(items.map(({ id }: { id: string }) => id)).toEqual([long, short]);
  expect(items[1].preview).toBe("Few words.");
  const factsOf = (id: string) => {
    const { agent, object } = server.store.ids.decode(id)!;
    return server.descriptions.recallFacts({ agent, message: object as MessageNumber });
  };
  expect(factsOf(short)).toMatchObject({ subject: "Short", preview: "Few words." });
  expect(factsOf(long)).toBeUndefined();
  expect((await reader.ok("search", { limit: 2 })).content.items).toEqual(items);
});
