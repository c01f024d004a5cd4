/** What a credential of calendars or contacts alone finds, and how months and refused changes answer. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nobody } from "#/src/model/author.ts";
import { type JsonServer, openJsonServer, plainMessage } from "../support/servers/json-server.ts";

let server: JsonServer;
beforeAll(async () => {
  server = await openJsonServer();
});
afterAll(() => server[Symbol.asyncDispose]());

describe("a token of calendars or contacts alone", () => {
  it.each([
    ["calendar:read", "calendars", "addressbooks"],
    ["contacts:read", "addressbooks", "calendars"],
  ] as const)("finds its containers: %s", async (scope, reached, other) => {
    const { client } = await server.token(server.ada, [scope]);
    const { content } = await client.ok("part.describe", { id: server.ada.id });
    expect(content[reached].length).toBe(1);
    expect(content[other]).toEqual([]);
    expect(content).not.toHaveProperty("folders");
    expect(
      (await server.ada.client.ok("part.describe", { id: server.ada.id })).content.folders,
    ).toBeDefined();
  });

  it("lists a month to read", async () => {
    const { client } = await server.token(server.ada, ["calendar:read"]);
    expect((await client.ok("calendarMonth.list", { month: "2030-01" })).kind).toBe("calendarMonth");
  });
});

it("a full mailbox says how full it is, to those who reach all of its mail, and what makes room", async () => {
  await using other = await openJsonServer();
  const { ada, bob } = other;
  await other.deliver(ada, plainMessage("first", "words ".repeat(2000)));
  const describe = async ({ client }: typeof ada) =>
    (await client.ok("part.describe", { id: ada.id })).content;
  const bytes = (await describe(ada)).quota.bytes;
  expect(bytes).toBeGreaterThan(12_000);
  await other.store.write(nobody, "updateAgent", { agent: ada.agent, quotaBytes: bytes + 100 });
  expect((await describe(ada)).quota).toEqual({ bytes, bytes_max: bytes + 100 });
  const text = "words ".repeat(100);
  const { status, body } = await ada.client.call("draft.create", { body: { text } });
  expect([status, body.error.reason]).toEqual([422, "over_quota"]);
  expect(body.error.hint).toContain("message.delete");
  const { items } = (await ada.client.ok("search", {})).content;
  const deleted = await ada.client.ok("message.delete", { id: items[0].id, version: items[0].version });
  await ada.client.ok("message.delete", { id: items[0].id, version: deleted.version });
  await ada.client.ok("draft.create", { body: { text } });
  const grant = { holder: bob.address, target: ada.address, scopes: ["mail:read"] };
  await other.administer("grant.create", { ...grant, mailboxes: ["INBOX"] });
  expect(await describe(bob)).not.toHaveProperty("quota");
  await other.administer("grant.create", grant);
  expect(await describe(bob)).toHaveProperty("quota");
});

it("a month without max_chars keeps to 20,000 characters, and goes on", async () => {
  const { client } = server.bob;
  const body = {
    title: "Stand-up ".repeat(20),
    start: "2030-05-01T09:00:00",
    timeZone: "Europe/Berlin",
    duration: "PT15M",
    recurrenceRule: { frequency: "hourly", byHour: [9, 10, 11, 12] },
  };
  await client.ok("event.create", { body });
  const first = await client.ok("calendarMonth.list", { month: "2030-05" });
  expect(JSON.stringify(first.content.items).length).toBeLessThan(22_000);
  const next = await client.ok("calendarMonth.list", { month: "2030-05", cursor: first.cursor });
  expect(next.content.items[0].start > first.content.items.at(-1).start).toBe(true);
});

it("a month says that a series is too dense to list each instance", async () => {
  const { client } = await server.token(server.bob, ["calendar"]);
  const calendar = await client.ok("calendar.create", { name: "Dense" });
  const body = {
    title: "Tick",
    start: "2030-06-01T09:00:00",
    timeZone: "Etc/UTC",
    recurrenceRule: { frequency: "secondly" },
  };
  await client.ok("event.create", { in: calendar.ref, body });
  const { content } = await client.ok("calendarMonth.list", { in: calendar.ref, month: "2030-06" });
  expect(content.items).toMatchObject([{ title: "Tick", dense: true }]);
});

it("a change at an old version speaks of the object that it is about", async () => {
  const { client } = server.ada;
  const contact = await client.ok("contact.create", { body: { name: "Ada" } });
  const { status, body } = await client.call("contact.update", {
    id: contact.ref,
    version: "1",
    patch: { name: "X" },
  });
  expect([status, body.error.message]).toEqual([409, "The object has changed since that version."]);
});
