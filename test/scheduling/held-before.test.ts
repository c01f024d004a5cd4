/** Invitations that have waited since before messages of calendars were noted: a later change takes them back too. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { administer } from "#/src/accounts/administration/operations.ts";
import { atCommandLine } from "#/src/model/author.ts";
import type { StorePlace } from "#/storage/store.ts";
import { type HttpClient, httpClient } from "../support/clients/http.ts";
import { type InProcessDaemon, startInProcessDaemon } from "../support/daemon.ts";
import { changeRows } from "../support/engine.ts";

let daemon: InProcessDaemon;
let client: HttpClient;
beforeAll(async () => {
  daemon = await startInProcessDaemon({
    set: ["dns.servers=none", "outbound.smarthost_host=127.0.0.1", "outbound.smarthost_port=9"],
  });
  const { address, token } = daemon.agents[0]!;
  const { house } = daemon.daemon;
  await administer(atCommandLine, house, "agent.update", { owner: address, holdPolicy: "always" });
  client = httpClient(daemon.http.url, token);
});
afterAll(() => daemon[Symbol.asyncDispose]());

async function heldBefore(title: string): Promise<{ id: string; version: string }> {
  const { ref, version, scheduling } = await client.ok("event.create", {
    body: { title, start: "2030-03-02T10:00:00", participants: ["mel@elsewhere.example"] },
    invite: "send",
  });
  expect(scheduling).toBe("held");
  const { url } = daemon.daemon.house.settings.storage;
  const place = { folder: daemon.data, ...(url === "" ? {} : { database: { url } }) } as StorePlace;
  await changeRows(place, "delete from calendar_message");
  return { id: ref, version };
}

const states = () =>
  daemon.daemon.house.store.column<string>("select state from hold order by hold_id desc limit 2");

test("an event that changes: the older invitation is withdrawn, and the new one waits", async () => {
  const { id, version } = await heldBefore("First");
  await client.ok("event.update", { id, version, patch: { title: "Second" }, invite: "send" });
  expect(await states()).toEqual(["waiting", "withdrawn"]);
});

test("an event that is deleted: the older invitation is withdrawn", async () => {
  const { id, version } = await heldBefore("Gone");
  await client.ok("event.delete", { id, version, invite: "send" });
  expect((await states())[0]).toBe("withdrawn");
});
