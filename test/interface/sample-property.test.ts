/** A property of a message is one line (`src/model/marks.ts`): in a copy of the tree that has one more, the tests of the members go all journeys
 *  with it. That it compiles: `small-changes.test.ts`. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { copyTree } from "../support/copied-tree.ts";
import { layCollectionProperty } from "../support/sample-property/collection.ts";
import { layProperty } from "../support/sample-property/mark.ts";

it("a property of a calendar is one line and its migration: stored, changed, and kept in archives and backups", async () => {
  using copy = copyTree();
  layCollectionProperty(copy);
  const suites = ["collections/collections", "daemon/journeys", "storage/columns"];
  const report = copy.pathOf("report.json");
  const { said } = await copy.run("vitest/vitest.mjs", [
    ...["run", "--config", "test/vitest.config.ts", ...suites.map((name) => `test/${name}.test.ts`)],
    ...["--reporter", "json", "--outputFile", report],
  ]);
  const { testResults } = JSON.parse(readFileSync(report, "utf8")) as Report;
  const outcomes = testResults.flatMap(({ assertionResults }) => assertionResults);
  expect(testResults.length, said).toBe(suites.length);
  expect(outcomes.length).toBeGreaterThan(10);
  expect(outcomes.filter(({ failureMessages }) => failureMessages.length > 0)).toEqual([]);
}, 300_000);

it("a property in one line is written and read over /v1, and kept on every journey", async () => {
  using copy = copyTree();
  layProperty(copy);
  const report = copy.pathOf("report.json");
  const { said } = await copy.run("vitest/vitest.mjs", [
    ...["run", "--config", "test/vitest.config.ts", "test/interface/members.test.ts"],
    ...["--reporter", "json", "--outputFile", report],
  ]);
  const { testResults } = JSON.parse(readFileSync(report, "utf8")) as Report;
  const outcomes = testResults.flatMap(({ assertionResults }) =>
    assertionResults.map(({ title, failureMessages }) => [title, ...failureMessages]),
  );
  const journeys = [
    "each mark is set and read",
    "an account as an archive",
    "a backup that is put back",
    "mail as Maildir",
    "mail as mbox",
    "a message that is copied, and one that is transferred to another owner",
    "a draft in a new version",
  ];
  expect(outcomes, said).toEqual(journeys.map((title) => [title]));
}, 300_000);

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly {
      readonly title: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}
