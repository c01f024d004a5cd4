/** Mail that was scheduled before the mailbox Scheduled existed: it is in the queue and has its copy in Sent. */
import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { scheduled } from "#/storage/migrations/0012-scheduled.ts";
import { SqliteSql } from "#/storage/sqlite/connection.ts";
import { openHoldHouse } from "../holds/hold-house.ts";

const dayMs = 86_400_000;

it("mail that was scheduled by an older version is put into Scheduled at the start, and leaves at its time", async () => {
  await using house = await openHoldHouse();
  await house.administer("agent.update", { owner: house.robin.address, holdPolicy: "open" });
  const send = (subject: string) =>
    house.client.ok("send", { body: { to: ["lee@elsewhere.example"], subject, text: "x" } });
  const later = await send("Later");
  const thrownAway = await send("Without a copy in Sent");
  const now = await send("Now");
  await house.client.ok("message.delete", { id: thrownAway.ref, version: thrownAway.version });

  const database = new Database(`${house.store.folder}/waypost.db`);
  const at = house.clock.now() + dayMs;
  const numbers = [later, thrownAway].map(({ ref }) => house.store.ids.decode(ref)!.object);
  const named = `agent_id = ${house.robin.agent} and submission_id in
    (select submission_id from submission where message_id in (${numbers.join(", ")}))`;
  database.exec(`update submission set send_at = ${at} where ${named}`);
  database.exec(`update submission_recipient set next_attempt_at = ${at} where ${named}`);
  for (const column of ["answers_id", "forwards_id", "left_modseq"])
    database.exec(`alter table submission drop column ${column}`);
  database.exec("drop index submission_recipient_scheduled");
  await scheduled(new SqliteSql(database));
  database.close();

  const due = async () => {
    const options = { now: house.clock.now(), limit: 100, skipDomains: new Set<string>() };
    const taken = await house.outbound.takeDue(options);
    return taken.map(({ message }) => house.store.ids.encode("message", house.robin.agent, message));
  };
  expect(await due()).toEqual([now.ref]);
  expect(await house.outbound.nextDueAt()).toBe(at);
  expect(await due()).toEqual([]);
  expect(await house.folder("scheduled")).toEqual([later.ref]);
  expect(await house.folder("sent")).toEqual([now.ref]);
  house.clock.advance(dayMs);
  expect((await due()).sort()).toEqual([later.ref, thrownAway.ref].sort());
  expect(await house.folder("scheduled")).toEqual([]);
});
