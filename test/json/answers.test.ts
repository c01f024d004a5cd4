/** Answers to invitations with a reason, participants as recipients of mail are written, times with and without a zone, and whose a
 *  shared addressbook is: over `/v1`, MCP and the typed client. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createClient } from "#/src/client/client.ts";
import { type JsonServer, openJsonServer } from "../support/servers/json-server.ts";

// biome-ignore lint/suspicious/noExplicitAny: answers differ by operation
type Answer = any;

let server: JsonServer;
let tools: Client;
beforeAll(async () => {
  server = await openJsonServer();
  tools = new Client({ name: "test", version: "1" });
  await tools.connect(
    new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), {
      requestInit: { headers: { Authorization: `Bearer ${server.ada.token}` } },
    }),
  );
});
afterAll(async () => {
  await tools.close();
  await server[Symbol.asyncDispose]();
});

/** The same call by each of the three. */
const doors: Record<string, (operation: string, input: object) => Promise<Answer>> = {
  v1: (operation, input) => server.ada.client.ok(operation, input),
  mcp: async (operation, input) => {
    const { content } = await tools.callTool({
      name: operation.replaceAll(".", "_"),
      arguments: input as never,
    });
    return JSON.parse((content as Answer)[0].text);
  },
  typed: (operation, input) =>
    createClient({ url: server.url, token: server.ada.token }).call(operation as never, input as never),
};

const participantsOf = async (client: Answer, id: string): Promise<Answer[]> =>
  Object.values((await client.ok("part.describe", { id })).content.event.participants);

it.each(Object.keys(doors))("declines with a reason that the organizer reads, by %s", async (door) => {
  const { ada, bob } = server;
  const invited = await bob.client.ok("event.create", {
    body: {
      title: `Audit ${door}`,
      start: "2027-05-03T10:00:00",
      timeZone: "Etc/UTC",
      duration: "PT1H",
      participants: [ada.address],
    },
    invite: "send",
  });
  const { items } = (await ada.client.ok("calendarMonth.list", { month: "2027-05" })).content;
  const event = items.find(({ title }: Answer) => title === `Audit ${door}`);
  const comment = `The machine is "serviced", ä, then\nby ${door}.`;
  await doors[door]!("event.update", {
    id: event.id,
    version: event.version,
    patch: {
      "participants/me/participationStatus": "declined",
      "participants/me/participationComment": comment,
    },
  });
  const told = (await participantsOf(bob.client, invited.ref)).find(({ calendarAddress }) =>
    calendarAddress.includes(ada.address),
  );
  expect(told).toMatchObject({ participationStatus: "declined", participationComment: comment });
  const own = (await participantsOf(ada.client, event.id)).find(({ calendarAddress }) =>
    calendarAddress.includes(ada.address),
  );
  expect(own.participationComment).toBe(comment);
});

it("takes a comment of 1000 characters, and no longer one", async () => {
  const { ada, bob } = server;
  await bob.client.ok("event.create", {
    body: { title: "Long", start: "2027-05-04T10:00:00", duration: "PT1H", participants: [ada.address] },
    invite: "send",
  });
  const { items } = (await ada.client.ok("calendarMonth.list", { month: "2027-05" })).content;
  const { id, version } = items.find(({ title }: Answer) => title === "Long");
  const answer = (length: number) =>
    ada.client.call("event.update", {
      id,
      version,
      patch: { "participants/me/participationComment": "x".repeat(length) },
    });
  expect((await answer(1001)).status).toBe(400);
  expect((await answer(1000)).status).toBe(200);
});

it.each([
  [["Ann <ann@example.com>", "bob@example.com"]],
  [[{ name: "Ann", address: "ann@example.com" }, "bob@example.com"]],
  [{ a: '"Ann" <ann@example.com>', b: { address: "bob@example.com" } }],
  [[{ name: "Ann", calendarAddress: "mailto:ann@example.com" }, "mailto:bob@example.com"]],
])("takes participants as recipients of mail are written: %j", async (participants) => {
  const { ref } = await server.ada.client.ok("event.create", {
    body: { title: "Review", start: "2027-05-05T10:00:00", duration: "PT1H", participants },
  });
  const shown = await participantsOf(server.ada.client, ref);
  expect(shown.map(({ name, calendarAddress }) => [name, calendarAddress])).toEqual([
    ["Ann", "mailto:ann@example.com"],
    [undefined, "mailto:bob@example.com"],
  ]);
});

it("takes times with and without a zone", async () => {
  const { client } = server.ada;
  const read = async (id: string) => {
    const { start, timeZone } = (await client.ok("part.describe", { id })).content.event;
    return [start, timeZone];
  };
  const create = (body: object) =>
    client.ok("event.create", { body: { title: "T", duration: "PT1H", ...body } });
  const utc = await create({ start: "2027-07-01T08:00:00Z" });
  expect(await read(utc.ref)).toEqual(["2027-07-01T08:00:00", "Etc/UTC"]);
  const berlin = await create({ start: "2027-07-01T08:00:00Z", timeZone: "Europe/Berlin" });
  expect(await read(berlin.ref)).toEqual(["2027-07-01T10:00:00", "Europe/Berlin"]);
  const moved = await client.ok("event.update", {
    id: berlin.ref,
    version: berlin.version,
    patch: { start: "2027-12-01T08:00:00-05:00" },
  });
  expect(await read(moved.ref)).toEqual(["2027-12-01T14:00:00", "Europe/Berlin"]);
  const sent = await client.ok("send", {
    body: { to: [server.bob.address], subject: "Later", text: "Hello." },
    send_at: new Date(server.clock.now() + 86_400_000).toISOString().replace(/\.\d+Z$/, ""),
  });
  expect(sent.state).toBe("scheduled");
});

it("says whose addressbooks of one name are", async () => {
  const { ada, bob } = server;
  await server.administer("grant.create", {
    holder: ada.address,
    target: bob.address,
    scopes: ["contacts"],
  });
  const { addressbooks } = (await ada.client.ok("part.describe", { id: ada.id })).content;
  expect(addressbooks.map(({ name, owner }: Answer) => [name, owner?.address])).toEqual([
    [addressbooks[0].name, undefined],
    [addressbooks[0].name, bob.address],
  ]);
  const { ref } = await ada.client.ok("contact.create", {
    in: addressbooks[1].id,
    body: { name: "Bindery", emails: ["office@binders.example"] },
  });
  expect((await bob.client.ok("part.describe", { id: ref })).content.card.name.full).toBe("Bindery");
});
