/** Attachments of events over /v1, and the same attachments in calendar clients. */
import { afterAll, beforeAll, expect, it } from "vitest";
import type { ItemNumber } from "#/src/model/numbers.ts";
import { basic, davClient } from "../support/clients/dav-client.ts";
import { type JsonServer, openJsonServer } from "../support/servers/json-server.ts";

let server: JsonServer;
beforeAll(async () => {
  server = await openJsonServer();
});
afterAll(() => server[Symbol.asyncDispose]());

const start = "2026-03-02T10:00:00";
const series = {
  title: "Daily",
  start,
  timeZone: "Europe/Berlin",
  duration: "PT1H",
  recurrenceRule: { frequency: "daily", count: 5 },
};

async function blobOf(text: string, name = "plan.txt"): Promise<string> {
  const data = Buffer.from(text).toString("base64");
  return (await server.ada.client.ok("blob.create", { data, name, type: "text/plain" })).ref;
}

async function versionOf(id: string): Promise<string> {
  return (await server.ada.client.ok("part.describe", { id: id.replace(/#.*/, "") })).version;
}

async function update(id: string, change: object): Promise<void> {
  await server.ada.client.ok("event.update", { id, version: await versionOf(id), ...change });
}

async function icalOf(id: string): Promise<string> {
  const { agent, object } = server.store.ids.decode(id)!;
  const [item] = await server.collections.readItems(agent, [object as ItemNumber]);
  return Buffer.from(item!.bytes).toString().replaceAll("\r\n ", "");
}

it("attaches a blob to a new event, and both doors read it after the blob has gone", async () => {
  const { client } = server.ada;
  const blob = await blobOf("the plan");
  const body = { title: "Review", start, timeZone: "Europe/Berlin" };
  const { ref } = await client.ok("event.create", { body, attach: [{ blob }] });
  const { version } = await client.ok("part.describe", { id: blob });
  await client.ok("blob.delete", { id: blob, version });
  const text = await icalOf(ref);
  const [, managedId, url] = /ATTACH;[^:]*MANAGED-ID=([^;]+);SIZE=8:(.*)\r\n/.exec(text)!;
  const dav = davClient(server.url, basic(server.ada.address, server.ada.token));
  expect((await dav.request("GET", new URL(url!).pathname)).text).toBe("the plan");
  const { content } = await client.ok("part.describe", { id: ref });
  const [[link, { href, title }]] = Object.entries<{ href: string; title: string }>(content.event.links) as [
    [string, { href: string; title: string }],
  ];
  expect([href, title]).toEqual([url, "plan.txt"]);
  expect(href).toContain(managedId);
  const read = await client.ok("part.describe", { id: ref, part: `links/${link}/href` });
  expect([read.kind, read.text, read.content.name]).toEqual(["attachment", "the plan", "plan.txt"]);
  const eve = await server.eve.client.call("part.describe", { id: ref, part: `links/${link}/href` });
  expect(eve.body.error.code).toBe("not_found");

  await update(ref, { patch: { [`links/${link}`]: null } });
  expect(await icalOf(ref)).not.toContain("ATTACH");
  expect((await dav.request("GET", new URL(url!).pathname)).status).toBe(403);
});

it("attaches to an event that is there, with a patch or without, and to one instance", async () => {
  const { client } = server.ada;
  const { ref } = await client.ok("event.create", { body: series });
  await update(ref, { attach: [{ blob: await blobOf("one"), name: "one.txt" }] });
  const patch = { title: "Weekly" };
  const both = [{ blob: await blobOf("two") }, { blob: await blobOf("three") }];
  await update(ref, { patch, attach: both });
  await update(`${ref}#2026-03-04T10:00:00`, {
    attach: [{ blob: await blobOf("four"), name: "four.txt" }],
  });
  const [master, override, ...others] = (await icalOf(ref)).split("BEGIN:VEVENT").slice(1);
  expect(others).toEqual([]);
  expect(master).toContain("SUMMARY:Weekly");
  expect(master!.match(/^ATTACH/gm)).toHaveLength(3);
  expect(master).not.toContain("four.txt");
  expect(override).toContain("RECURRENCE-ID;TZID=Europe/Berlin:20260304T100000");
  expect(override!.match(/^ATTACH/gm)).toHaveLength(4);
});

it("refuses blobs of others, ids that are no blobs, and an empty change", async () => {
  const { client } = server.ada;
  const { ref } = await client.ok("event.create", { body: series });
  const version = await versionOf(ref);
  const refusal = async (operation: string, input: object) => {
    const { body } = await client.call(operation, { version, ...input });
    return [body.error?.code, body.error?.field];
  };
  const foreign = await server.eve.client.ok("blob.create", { data: "AAAA" });
  expect(await refusal("event.update", { id: ref, attach: [{ blob: foreign.ref }] })).toEqual([
    "not_found",
    undefined,
  ]);
  expect(await refusal("event.update", { id: ref, attach: [{ blob: ref }] })).toEqual([
    "invalid",
    "/attach/0/blob",
  ]);
  expect((await refusal("event.update", { id: ref }))[0]).toBe("invalid");
  const missing = { id: `${ref}#2027-03-04T10:00:00`, attach: [{ blob: await blobOf("x") }] };
  expect((await refusal("event.update", missing))[0]).toBe("invalid");
});
