/** Invitations that have waited since before messages of calendars were noted: a later change takes them back too, and none leaves whose event
 *  is gone. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import zlib from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { administer } from "#/src/accounts/administration/operations.ts";
import { atCommandLine, nobody } from "#/src/model/author.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { findGoneEvent } from "#/storage/queries/collections/calendar-mail.ts";
import { findHold } from "#/storage/queries/outbound/holds.ts";
import type { StorePlace } from "#/storage/store.ts";
import { type HttpClient, httpClient } from "../support/clients/http.ts";
import { type InProcessDaemon, startInProcessDaemon } from "../support/daemon.ts";
import { changeRows } from "../support/engine.ts";
import { itOnSqlite, openTestStore } from "../support/store.ts";

let daemon: InProcessDaemon;
let client: HttpClient;
beforeAll(async () => {
  daemon = await startInProcessDaemon({
    set: [
      "dns.servers=none",
      "outbound.smarthost_host=127.0.0.1",
      "outbound.smarthost_port=9",
      "holds.grace_s=0",
    ],
  });
  const { address, token } = daemon.agents[0]!;
  const { house } = daemon.daemon;
  await administer(atCommandLine, house, "agent.update", { owner: address, holdPolicy: "always" });
  client = httpClient(daemon.http.url, token);
});
afterAll(() => daemon[Symbol.asyncDispose]());

async function forgetMessages(): Promise<void> {
  const { url } = daemon.daemon.house.settings.storage;
  const place = { folder: daemon.data, ...(url === "" ? {} : { database: { url } }) } as StorePlace;
  await changeRows(place, "delete from calendar_message");
}

async function heldBefore(title: string): Promise<{ id: string; version: string }> {
  const { ref, version, scheduling } = await client.ok("event.create", {
    body: { title, start: "2030-03-02T10:00:00", participants: ["mel@elsewhere.example"] },
    invite: "send",
  });
  expect(scheduling).toBe("held");
  await forgetMessages();
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

/** As it was deleted before messages were noted: what waited about it stayed. */
async function deleteBefore(id: string): Promise<void> {
  const { store, collections } = daemon.daemon.house;
  const { agent, object } = store.ids.decode(id)!;
  await collections.deleteItem(agent, { ...nobody, agent }, object as never);
}

/** Approves the newest hold, and gives what has become of it. */
async function approveNewest(server: InProcessDaemon = daemon): Promise<string> {
  const { house } = server.daemon;
  const row = (await house.store.get<{ agent: AgentNumber; hold: number }>(
    "select agent_id as agent, hold_id as hold from hold where state = 'waiting' order by hold_id desc limit 1",
  ))!;
  const hold = house.store.ids.encode("hold", row.agent, row.hold);
  await administer(atCommandLine, house, "hold.approve", { hold });
  while (await house.holds.runDue());
  return (await house.holds.findHold(row.agent, row.hold))!.state;
}

test("an event that was deleted before: its invitation does not leave when it is approved", async () => {
  const { id } = await heldBefore("Deleted long ago");
  await deleteBefore(id);
  expect(await approveNewest()).toBe("failed");
});

test("an event that is there: its invitation leaves", async () => {
  await heldBefore("Still there");
  expect(await approveNewest()).toBe("sent");
});

test("an event that was deleted before: its cancellation leaves", async () => {
  const { id, version } = await heldBefore("Told, and deleted");
  expect(await approveNewest()).toBe("sent");
  const { version: now } = await client.ok("event.update", {
    id,
    version,
    patch: { title: "Told" },
    invite: "none",
  });
  await client.ok("event.delete", { id, version: now, invite: "send" });
  await forgetMessages();
  expect(await approveNewest()).toBe("sent");
});

itOnSqlite(
  "in a store of the schema before: what waits about an event that is not there does not leave",
  async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-before-"));
    try {
      const kept = path.join(import.meta.dirname, "../storage/stores/schema-0040.db.zst");
      fs.writeFileSync(path.join(folder, "waypost.db"), zlib.zstdDecompressSync(fs.readFileSync(kept)));
      await changeRows(
        { folder },
        `update hold set envelope = replace(envelope, '"envid"', '"calendarUid":"gone","envid"') where state = 'waiting'`,
      );
      await using test = await openTestStore({ folder });
      const [held, ...more] = await test.store.all<{ agent: AgentNumber; hold: number }>(
        "select agent_id as agent, hold_id as hold from hold where state = 'waiting'",
      );
      expect(more).toEqual([]);
      const hold = (await findHold(test.store, held!.agent, held!.hold))!;
      expect(await findGoneEvent(test.store, hold)).toBe("older");
    } finally {
      fs.rmSync(folder, { recursive: true, force: true });
    }
  },
);
