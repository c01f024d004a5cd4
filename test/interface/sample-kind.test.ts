/** A kind of objects is one declaration, and rows that the compiler demands: the sample kind, a note, is laid over a copy of the tree. There it
 *  is created, updated, deleted, listed, described, compared, repeated, tried, granted, exported, imported, checked, and deleted with its
 *  owner, on both engines. */
import { afterAll, expect, it } from "vitest";
import { copyTree } from "../support/copied-tree.ts";
import { layFiles, layRow } from "../support/sample-kind/lay.ts";
import { declaration, rows, testRows } from "../support/sample-kind/rows.ts";

const copy = copyTree();
afterAll(() => copy[Symbol.dispose]());
const all = [...rows, ...testRows];
const compile = () =>
  copy.run("typescript/bin/tsc", [
    ...["--pretty", "false", "--incremental", "--tsBuildInfoFile", copy.pathOf("tsbuildinfo")],
  ]);

it("does not compile before each table has its row", { timeout: 600_000 }, async () => {
  layFiles(copy);
  for (const row of [...declaration, ...all.filter(({ isDemanded }) => !isDemanded)]) layRow(copy, row);
  const { said } = await compile();
  const wrong = new Set(
    said.split("\n").flatMap((line) => /^([^\s(]+)\(\d+,\d+\): error /.exec(line)?.[1] ?? []),
  );
  const demanded = new Set(all.filter((row) => row.isDemanded).map(({ file }) => file));
  expect([...demanded].filter((file) => !wrong.has(file))).toEqual([]);
});

it("compiles with them", { timeout: 600_000 }, async () => {
  for (const row of all.filter(({ isDemanded }) => isDemanded)) layRow(copy, row);
  expect(await compile()).toEqual({ isDone: true, said: "" });
});

it.each([
  [
    "SQLite",
    "test/vitest.config.ts",
    ["storage/note", "storage/agent-tables", "storage/references", "storage/recorded", "storage/lock-order"],
    ["interface/dry-run", "interface/write-order", "interface/caller-gone", "interface/base"],
  ],
  [
    "PostgreSQL",
    "test/postgres/vitest.config.ts",
    ["storage/note", "storage/recorded"],
    ["interface/dry-run"],
  ],
])("lives on %s as any other kind does", { timeout: 1_200_000 }, async (_, config, ofStore, ofInterface) => {
  const files = [...ofStore, ...ofInterface].map((name) => `test/${name}.test.ts`);
  const { isDone, said } = await copy.run("vitest/vitest.mjs", ["run", "--config", config, ...files]);
  expect(isDone, said).toBe(true);
  expect(said).toContain("storage/note.test.ts");
});
