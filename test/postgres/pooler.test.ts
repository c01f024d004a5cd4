/** The store behind PgBouncer: it works with session pooling, and refuses to open with other pooling. */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { nobody } from "#/src/model/author.ts";
import { openStore } from "#/storage/open-store.ts";
import { connect } from "#/storage/postgres/connection.ts";
import { findDomain } from "#/storage/queries/accounts/accounts.ts";
import { freePort } from "../support/free-port.ts";
import { dropDatabase, makeDatabase, nameOf, serverUrl } from "./database.ts";

const hasPooler = spawnSync("pgbouncer", ["--version"]).status === 0;
let folder: string;
let database: string;
let pooler: ChildProcess | undefined;

beforeEach(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-pooler-"));
  fs.chmodSync(folder, 0o755);
  database = await makeDatabase();
});
afterEach(async () => {
  if (pooler !== undefined && pooler.exitCode === null) {
    const ended = new Promise((resolve) => pooler!.once("exit", resolve));
    pooler.kill("SIGKILL");
    await ended;
  }
  await dropDatabase(database);
  fs.rmSync(folder, { recursive: true });
});

/** Answers the place of the database behind it. */
async function startPooler(mode: string): Promise<string> {
  const port = await freePort();
  const server = new URL(serverUrl!);
  const settings = path.join(folder, "pgbouncer.ini");
  fs.writeFileSync(
    settings,
    `[databases]\n* = host=${server.hostname} port=${server.port} user=waypost\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =\nauth_type = any\npool_mode = ${mode}\n`,
  );
  fs.chmodSync(settings, 0o644);
  // It refuses to run as root.
  const asUser = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
  pooler = spawn("pgbouncer", ["--quiet", settings], { ...asUser, stdio: "ignore" });
  const url = new URL(database);
  url.host = `127.0.0.1:${port}`;
  for (;;) {
    expect(pooler.exitCode, "PgBouncer ended").toBeNull();
    try {
      const sql = await connect({ url: url.href });
      await sql.close();
      return url.href;
    } catch {
      await delay(50);
    }
  }
}

describe.skipIf(!hasPooler || serverUrl === undefined)("the store behind PgBouncer", () => {
  it("writes and gets notifications where each connection keeps its session", async () => {
    const url = await startPooler("session");
    const open = (name: string) => openStore({ folder: path.join(folder, name), database: { url } });
    const [one, other] = [await open("one"), await open("other")];
    try {
      const { account } = await one.write(nobody, "createAccount", { name: "one", at: 1 });
      await other.write(nobody, "createDomain", { name: "one.test", account, keys: [], at: 1 });
      expect(await findDomain(one, "one.test")).toMatchObject({ account });
    } finally {
      await one.close();
      await other.close();
    }
  });

  it("does not open where sessions are shared by transactions", async () => {
    const url = await startPooler("transaction");
    const opened = openStore({ folder: path.join(folder, "one"), database: { url } });
    await expect(opened).rejects.toThrow(/pool_mode/);
    const sql = await connect({ url: database });
    expect(await sql.get("select to_regclass('schema_version') as name"), nameOf(database)).toEqual({
      name: null,
    });
    await sql.close();
  });
});
