/** Stores of every released schema, written by the code of that time and opened by the current code. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import zlib from "node:zlib";
import { expect, it } from "vitest";
import { migrations } from "#/storage/migrations/index.ts";
import { openStore } from "#/storage/open-store.ts";
import { openWriting, SqliteSql } from "#/storage/sqlite/connection.ts";
import { prepareUpgrade } from "#/storage/upgrading/upgrade.ts";
import { postgresTables } from "../support/every-write.ts";
import { openTestStore } from "../support/store.ts";
import { describeStore, type KeptStore } from "./stores/keep.ts";

const stores = path.join(import.meta.dirname, "stores");
const schemas = migrations.map((_, index) => index + 1);

function fileOf(schema: number, ending: "db.zst" | "json"): string {
  return path.join(stores, `schema-${String(schema).padStart(4, "0")}.${ending}`);
}

/** A folder with the kept store of a schema. */
function keptFolder(schema: number): { readonly path: string } & Disposable {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-upgrade-"));
  fs.writeFileSync(
    path.join(folder, "waypost.db"),
    zlib.zstdDecompressSync(fs.readFileSync(fileOf(schema, "db.zst"))),
  );
  return { path: folder, [Symbol.dispose]: () => fs.rmSync(folder, { recursive: true, force: true }) };
}

it("has a kept store of every schema; a new one is made with npm run store:keep", () => {
  const missing = schemas.filter((schema) => !fs.existsSync(fileOf(schema, "db.zst")));
  expect(missing, "run npm run store:keep and commit what it writes").toEqual([]);
});

it("has rows in every table of the newest kept store", () => {
  const { rows } = JSON.parse(fs.readFileSync(fileOf(migrations.length, "json"), "utf8")) as KeptStore;
  const empty = Object.keys(rows).filter((table) => rows[table] === 0);
  expect(empty).toEqual(postgresTables);
});

it.each(schemas)(
  "opens a store of schema %i: it makes a backup, finds no fault, and its messages have the same octets",
  async (schema) => {
    const kept = JSON.parse(fs.readFileSync(fileOf(schema, "json"), "utf8")) as KeptStore;
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-upgrade-"));
    fs.writeFileSync(
      path.join(folder, "waypost.db"),
      zlib.zstdDecompressSync(fs.readFileSync(fileOf(schema, "db.zst"))),
    );
    // Its checks are made when it is disposed of.
    await using test = await openTestStore({ folder });
    const found = await describeStore(test.store);
    expect(found.messages).toEqual(kept.messages);
    expect(found.messages.length).toBeGreaterThan(5);
    expect(await test.store.get("select max(version) as version from schema_version")).toEqual({
      version: migrations.length,
    });
    const backups = fs.existsSync(path.join(folder, "backups"))
      ? fs.readdirSync(path.join(folder, "backups"))
      : [];
    expect(backups).toEqual(
      schema === migrations.length
        ? []
        : [expect.stringMatching(new RegExp(`^before-schema-${schema + 1}-\\d+\\.db$`))],
    );
  },
);

it("lists its steps and the number of their rows, makes a backup, and applies the steps", async () => {
  using folder = keptFolder(12);
  const kept = JSON.parse(fs.readFileSync(fileOf(12, "json"), "utf8")) as KeptStore;
  const file = path.join(folder.path, "elsewhere/copy.db");
  {
    await using upgrade = await prepareUpgrade({ folder: folder.path }, file);
    const { plan, backup } = upgrade;
    expect({ from: plan.from, to: plan.to }).toEqual({ from: 12, to: migrations.length });
    expect(plan.steps.map(({ step }) => step)).toEqual(schemas.slice(12));
    const { submission, submission_recipient: recipients, agent } = kept.rows;
    expect(plan.steps[0]).toEqual({
      step: 13,
      does: "keeps what became of sent mail for each recipient",
      rows: submission! + recipients!,
    });
    expect(plan.steps[2]).toMatchObject({ step: 15, rows: agent });
    // Its table comes with a step before.
    expect(plan.steps[12]).toMatchObject({ step: 25, rows: 0 });
    expect(backup).toMatchObject({ file, bytes: fs.statSync(path.join(folder.path, "waypost.db")).size });
    await expect(openStore({ folder: folder.path })).rejects.toThrow("is in use by");
    expect(fs.existsSync(file)).toBe(false);
    await upgrade.carryOut();
  }
  expect(fs.existsSync(file)).toBe(true);
  {
    await using again = await prepareUpgrade({ folder: folder.path });
    expect(again.plan).toEqual({ from: migrations.length, to: migrations.length, steps: [] });
  }
  await using test = await openTestStore({ folder: folder.path });
  expect((await describeStore(test.store)).messages).toEqual(kept.messages);
  expect(fs.existsSync(path.join(folder.path, "backups"))).toBe(false);
});

it("removes unfinished copies of killed upgrades, and nothing else", async () => {
  using folder = keptFolder(12);
  const backups = path.join(folder.path, "backups");
  fs.mkdirSync(backups);
  const unfinished = ["before-schema-13-1700000000000.db.partial", "before-schema-9-1.db.partial"];
  const others = ["before-schema-9-1.db", "monday.db.partial"];
  for (const name of [...unfinished, ...others]) fs.writeFileSync(path.join(backups, name), "x");
  await using upgrade = await prepareUpgrade({ folder: folder.path }, path.join(folder.path, "copy.db"));
  expect(fs.readdirSync(backups)).toHaveLength(4);
  await upgrade.carryOut();
  expect(fs.readdirSync(backups).sort()).toEqual(others.sort());
});

it("a step changes only rows of the tables that it names", async () => {
  const wrong: string[] = [];
  for (const [at, step] of migrations.entries()) {
    if (at === 0) continue;
    // The rows that a later store of the same kind would have.
    using later = keptFolder(at);
    const older = openWriting(later.path);
    const olderSql = new SqliteSql(older);
    const before = older.prepare("select total_changes() as changes").pluck();
    const started = before.get() as number;
    let named = 0;
    for (const table of step.goesThrough ?? [])
      named += (older.prepare(`select count(*) from ${table}`).pluck().get() as number) * 2;
    await step.run(olderSql);
    // Rows of a counter that begins.
    if ((before.get() as number) - started > named + 2) wrong.push(step.name);
    older.close();
  }
  expect(wrong).toEqual([]);
});

it("a start refuses long steps, says what to do, and changes nothing", async () => {
  using folder = keptFolder(12);
  const file = path.join(folder.path, "waypost.db");
  const { size } = fs.statSync(file);
  // Sparse: only its length is large.
  fs.truncateSync(file, 9 * 1024 ** 3);
  await expect(openStore({ folder: folder.path })).rejects.toThrow(/schema 12.*run waypost upgrade/);
  expect(fs.existsSync(path.join(folder.path, "backups"))).toBe(false);
  fs.truncateSync(file, size);
  await using upgrade = await prepareUpgrade({ folder: folder.path });
  expect(upgrade.plan.from).toBe(12);
});
