import { randomBytes } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { migrations } from "#/storage/migrations/index.ts";
import { connect } from "#/storage/postgres/connection.ts";
import { ConnectionLost, postgresFailure } from "#/storage/postgres/failures.ts";
import { migrate } from "#/storage/postgres/migrate.ts";
import { command, openDatabase, serverUrl } from "./database.ts";

describe.skipIf(serverUrl === undefined)("a connection to PostgreSQL", () => {
  it("returns numbers, octets, booleans and null as SQLite does", async () => {
    await using test = await openDatabase();
    await test.sql.run("create table thing (a bigint not null, b bytea, c text) without rowid");
    const octets = randomBytes(1000);
    await test.sql.run("insert into thing (a, b, c) values (?, ?, ?)", 2 ** 53 - 1, octets, "é");
    await test.sql.run("insert into thing (a, b, c) values (?, ?, ?)", 1, new Uint8Array(), null);
    expect(await test.sql.all("select a, b, c from thing order by a desc")).toEqual([
      { a: 2 ** 53 - 1, b: octets, c: "é" },
      { a: 1, b: Buffer.alloc(0), c: null },
    ]);
    expect(
      await test.sql.get(
        "select sum(a) as sum, count(*) as count, max(a) > 1 as more from thing where a = ?",
        1,
      ),
    ).toEqual({ sum: 1, count: 1, more: 0 });
    expect(await test.sql.column("select a from thing order by a")).toEqual([1, 2 ** 53 - 1]);
    expect(await test.sql.run("update thing set a = a")).toBe(2);
  });

  it("refuses a number that JavaScript cannot hold", async () => {
    await using test = await openDatabase();
    await expect(test.sql.get("select 9007199254740993 as big")).rejects.toThrow("beyond 2^53");
    expect(await test.sql.get("select 1 as one")).toEqual({ one: 1 });
  });

  it("stores text with a NUL, with another character in its place", async () => {
    await using test = await openDatabase();
    await test.sql.run("create table thing (c text not null)");
    await test.sql.run("insert into thing (c) values (?)", "a\0b");
    expect(await test.sql.get("select c from thing where c = ?", "a\0b")).toEqual({ c: "a\uFFFDb" });
  });

  it("orders text by its octets, whatever order the database has", async () => {
    await using test = await openDatabase();
    await test.sql.run("create table thing (c text not null primary key) without rowid");
    for (const word of ["b", "B", "a", "A", "é", "_"])
      await test.sql.run("insert into thing (c) values (?)", word);
    expect(await test.sql.column("select c from thing order by c")).toEqual(["A", "B", "_", "a", "b", "é"]);
  });

  it("runs statements in the order in which they were sent, and continues after a failed one", async () => {
    await using test = await openDatabase();
    await test.sql.run("create table thing (a bigint not null primary key)");
    const insert = (a: number) => test.sql.run("insert into thing (a) values (?)", a);
    const done = await Promise.allSettled([insert(1), insert(1), insert(2), insert(2), insert(3)]);
    expect(done.map(({ status }) => status)).toEqual([
      "fulfilled",
      "rejected",
      "fulfilled",
      "rejected",
      "fulfilled",
    ]);
    expect(await test.sql.column("select a from thing order by a")).toEqual([1, 2, 3]);
  });

  it("reads more SQL texts than stay prepared", async () => {
    await using test = await openDatabase();
    for (let turn = 0; turn < 2; turn++)
      for (let number = 0; number < 600; number++)
        expect(await test.sql.get(`select ${number} as n`)).toEqual({ n: number });
    const prepared = await test.sql.get<{ count: number }>(
      "select count(*) as count from pg_prepared_statements",
    );
    expect(prepared!.count).toBeLessThanOrEqual(500);
  });

  it("refuses everything as temporary once the server has ended the connection", async () => {
    await using test = await openDatabase();
    const { pid } = (await test.sql.get<{ pid: number }>("select pg_backend_pid() as pid"))!;
    const waiting = test.sql.get("select pg_sleep(60)");
    await Promise.all([
      expect(waiting).rejects.toThrow(),
      command(`select pg_terminate_backend(${pid}, 60000)`),
    ]);
    const after = await test.sql.get("select 1 as one").catch((error: unknown) => error);
    expect(after).toBeInstanceOf(ConnectionLost);
    expect(postgresFailure(after)).toMatchObject({
      code: "upstream_unavailable",
      details: { reason: "busy" },
    });
  });

  it("reads its password from a file", async () => {
    await using test = await openDatabase();
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-password-"));
    const passwordFile = path.join(folder, "password");
    fs.writeFileSync(passwordFile, "secret\n");
    const sql = await connect({ url: test.url, passwordFile });
    expect(await sql.get("select 1 as one")).toEqual({ one: 1 });
    await sql.close();
    await expect(connect({ url: test.url, passwordFile: path.join(folder, "none") })).rejects.toThrow(
      "ENOENT",
    );
    fs.rmSync(folder, { recursive: true });
  });
});

describe.skipIf(serverUrl === undefined)("the schema on PostgreSQL", () => {
  it("is created once when several daemons start at the same time", async () => {
    await using test = await openDatabase();
    const others = await Promise.all([1, 2, 3].map(() => connect({ url: test.url })));
    await Promise.all([test.sql, ...others].map((sql) => migrate(sql, 5)));
    expect(await test.sql.column("select version from schema_version order by version")).toEqual(
      migrations.map((_, at) => at + 1),
    );
    expect(await test.sql.column("select count(*) from deployment where name = 'secret'")).toEqual([1]);
    for (const sql of others) await sql.close();
  });

  it("runs the missing steps of an older one separately, and rolls a failed step back", async () => {
    await using test = await openDatabase();
    const make = (name: string) => ({
      name,
      does: "",
      run: async (tx: { run(text: string): Promise<number> }) =>
        void (await tx.run(`create table ${name} (n bigint)`)),
    });
    await migrate(test.sql, 1, [make("a")]);
    const bad = {
      name: "bad",
      does: "",
      async run(tx: { run(text: string): Promise<number> }) {
        await tx.run("create table c (n bigint)");
        await tx.run("no sql");
      },
    };
    await expect(migrate(test.sql, 2, [make("a"), make("b"), bad])).rejects.toThrow("Step 3 (bad)");
    expect(await test.sql.column("select version from schema_version order by version")).toEqual([1, 2]);
    expect(await test.sql.get("select to_regclass('b') as b, to_regclass('c') as c")).toEqual({
      b: "b",
      c: null,
    });
  });

  it("leaves room for entries that change, in a new database and in one that has none", async () => {
    await using test = await openDatabase();
    const options = () => test.sql.column("select reloptions from pg_class where relname = 'entry'");
    await migrate(test.sql, 1);
    expect(await options()).toEqual(["{fillfactor=50}"]);
    await test.sql.run("alter table entry reset (fillfactor)");
    await migrate(test.sql, 2);
    expect(await options()).toEqual(["{fillfactor=50}"]);
  });

  it("of a newer version is refused", async () => {
    await using test = await openDatabase();
    const step = { name: "one", does: "", run: async () => {} };
    await migrate(test.sql, 1, [step, step]);
    await expect(migrate(test.sql, 1, [step])).rejects.toThrow("start the newer one");
  });
});
