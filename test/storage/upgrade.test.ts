/** Stores of every schema that was released, as its code wrote them, opened by the present one. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import zlib from "node:zlib";
import { expect, it } from "vitest";
import { migrations } from "#/storage/migrations/index.ts";
import { openTestStore } from "../support/store.ts";
import { describeStore, type KeptStore } from "./stores/keep.ts";

const stores = path.join(import.meta.dirname, "stores");
const schemas = migrations.map((_, index) => index + 1);

function fileOf(schema: number, ending: "db.zst" | "json"): string {
  return path.join(stores, `schema-${String(schema).padStart(4, "0")}.${ending}`);
}

it("has a kept store of every schema; a new one is made with npm run store:keep", () => {
  const missing = schemas.filter((schema) => !fs.existsSync(fileOf(schema, "db.zst")));
  expect(missing, "run npm run store:keep and commit what it writes").toEqual([]);
});

it("has rows in every table of the newest kept store", () => {
  const { rows } = JSON.parse(fs.readFileSync(fileOf(migrations.length, "json"), "utf8")) as KeptStore;
  expect(Object.keys(rows).filter((table) => rows[table] === 0)).toEqual([]);
});

it.each(schemas)(
  "opens a store of schema %i: it is backed up, sound, and its messages have the same octets",
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
