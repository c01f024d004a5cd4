/** Access in two daemons on one database: what one changes the other hears of, also when nothing is notified. */

import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, inject, it, vi } from "vitest";
import { createAccess } from "#/src/accounts/access.ts";
import { accessTables, rowEvents } from "#/storage/access/access-tables.ts";
import { openStore } from "#/storage/open-store.ts";
import { watchAccess } from "#/storage/postgres/access-triggers.ts";
import { connect } from "#/storage/postgres/connection.ts";
import type { Store } from "#/storage/store.ts";
import { accessByReads, answersOf, type Numbered } from "../support/access-answers.ts";
import { accessChanger } from "../support/access-changer.ts";
import { everyAuthor } from "../support/every-write.ts";
import { randomSource } from "../support/random.ts";
import { openTestStore, seedAgent } from "../support/store.ts";
import { change, endConnections, serverUrl } from "./database.ts";

/** Other processes have the machine too. */
const waiting = { timeout: 60_000 };
const hash = new Uint8Array(32).fill(7);

interface TwoDaemons extends AsyncDisposable {
  readonly one: Store;
  readonly two: Store;
  readonly url: string;
  /** The steady clock of both. */
  now: number;
}

async function openTwoDaemons(): Promise<TwoDaemons> {
  const daemons = { now: 0 };
  const steadyNow = () => daemons.now;
  const test = await openTestStore({ steadyNow });
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-store-"));
  const { database } = test.store.place;
  const two = await openStore({ folder, database, clock: test.clock, steadyNow });
  return Object.assign(daemons, {
    one: test.store,
    two,
    url: database!.url,
    async [Symbol.asyncDispose]() {
      await two.close();
      fs.rmSync(folder, { recursive: true, force: true });
      await test[Symbol.asyncDispose]();
    },
  });
}

/** No notification of a commit arrives any more. */
const cutNotifications = (url: string) => endConnections(url, "waypost_commit");

async function makeToken(store: Store): Promise<number> {
  const { agent } = await seedAgent(store);
  const { token } = await store.write(everyAuthor, "createToken", {
    agent,
    name: "token",
    hash,
    scopes: ["mail"],
    expiresAt: null,
    at: 0,
  });
  return token;
}

const isRevoked = async (access: ReturnType<typeof createAccess>) =>
  (await access.findToken(hash))?.revokedAt !== null;

describe.skipIf(serverUrl === undefined)("two daemons on one PostgreSQL", () => {
  it("refuse a token that either has revoked: at once, and after the next look", async () => {
    await using daemons = await openTwoDaemons();
    const { one, two, url } = daemons;
    const token = await makeToken(one);
    const [here, there] = [createAccess(one), createAccess(two)];
    expect([await isRevoked(here), await isRevoked(there)]).toEqual([false, false]);
    await cutNotifications(url);
    await one.write(everyAuthor, "revokeToken", { token, at: 1 });
    expect(await isRevoked(here)).toBe(true);
    await vi.waitUntil(() => isRevoked(there), waiting);
  });

  it("ask the rows when they have not looked for two seconds", async () => {
    await using daemons = await openTwoDaemons();
    const { one, two, url } = daemons;
    const token = await makeToken(one);
    const there = createAccess(two);
    await cutNotifications(url);
    expect(await isRevoked(there)).toBe(false);
    // Whoever looks waits for this transaction.
    const blocker = await connect({ url });
    await blocker.run("begin");
    await blocker.run("lock table access_owner in access exclusive mode");
    // No trigger tells of it.
    await change(
      url,
      `set session_replication_role = replica; update token set revoked_at = 1 where token_id = ${token}`,
    );
    daemons.now += 2000;
    expect([two.hearsAccess(), await isRevoked(there)]).toEqual([true, false]);
    daemons.now += 1;
    expect([two.hearsAccess(), await isRevoked(there)]).toEqual([false, true]);
    await blocker.close();
    await vi.waitUntil(() => two.hearsAccess(), waiting);
  });

  it("say what the rows say, after any sequence of writes of either", async () => {
    await using daemons = await openTwoDaemons();
    const { one, two } = daemons;
    const random = randomSource(inject("seed"));
    const makeChange = await accessChanger([one, two], random);
    const images = [one, two].map((store) => ({ store, image: createAccess(store) }));
    const known = new Map<string, Numbered>();
    for (let round = 0; round < 6; round++) {
      for (let count = 0; count < 8; count++) await makeChange();
      const rows = JSON.stringify(await answersOf(accessByReads(one), one, known));
      for (const { store, image } of images)
        await vi.waitUntil(
          async () => JSON.stringify(await answersOf(image, store, known)) === rows,
          waiting,
        );
    }
  });

  it("have the triggers once, and anew when one is missing", async () => {
    await using daemons = await openTwoDaemons();
    const sql = await connect({ url: daemons.url });
    const list = () =>
      sql.column<string>(
        `select t.tgname || ' on ' || c.relname
        from pg_trigger as t
        join pg_class as c on c.oid = t.tgrelid
        where t.tgname like 'access_rows_%'
        order by 1`,
      );
    const before = await list();
    expect(before).toHaveLength(accessTables.length * rowEvents.length);
    await sql.run(`drop trigger ${before[0]}`);
    await watchAccess(sql);
    expect(await list()).toEqual(before);
    await sql.close();
  });
});
