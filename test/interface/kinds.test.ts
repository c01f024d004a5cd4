/** What a kind of objects costs, as `docs/contributing.md` says it. That it is all that a kind needs: `sample-kind.test.ts`. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { countLines, ownFiles } from "../support/sample-kind/lay.ts";
import { declaration, rows, testRows } from "../support/sample-kind/rows.ts";

const top = path.join(import.meta.dirname, "../..");
const page = readFileSync(path.join(top, "docs/contributing.md"), "utf8");

it("has a recipe like the others, of at most ten steps, of which the last says what nothing names", () => {
  const recipes = page.split(/^## /m).slice(1);
  const steps = recipes.map((recipe) => recipe.match(/^\d+\. .*$/gm)!);
  expect(recipes.map((recipe) => recipe.slice(0, recipe.indexOf("\n")))).toEqual([
    "An operation of `/v1`",
    "A command of IMAP",
    "A property of a message",
    "A fact of a message",
    "A limit",
    "An event",
    "A role of a folder",
    "A kind of objects",
  ]);
  expect(steps.filter((all) => all.length > 10 || !/^\d+\. Nothing names/.test(all.at(-1)!))).toEqual([]);
});

it("names files that are there", () => {
  const named = [...page.matchAll(/`((?:src|protocols|storage|config|test|docs)\/[^`<>]*)`/g)].map(
    ([, name]) => name!,
  );
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter((name) => !existsSync(path.join(top, name)))).toEqual([]);
});

it("is what the page for contributors says", () => {
  const own = ownFiles.filter((file) => !file.startsWith("test/")).length;
  const inTree = [...declaration, ...rows];
  const files = new Set(inTree.map(({ file }) => file)).size;
  const demanded = rows.filter((row) => row.isDemanded).length;
  expect(page.replace(/\s+/g, " ")).toContain(
    `${own} files of its own and ${inTree.length} rows in ${files} files, ${countLines()} lines together; ` +
      `the compiler demands ${demanded} of the rows, and ${testRows.filter((row) => row.isDemanded).length} of the ${testRows.length} in tables of the tests.`,
  );
});

it("is told in the files that the recipe names", () => {
  const recipe = page.slice(page.indexOf("## A kind of objects"));
  const untold = [...declaration, ...rows, ...testRows]
    .map(({ file }) => file)
    .filter((file) => !recipe.includes(`\`${file}\``));
  expect([...new Set(untold)]).toEqual([]);
});
