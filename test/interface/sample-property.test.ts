/** A property of a message, of a folder, of a calendar is one line, and with a column of its own its migration: in a copy of the tree that has
 *  one more of each, the tests of the members and of the columns go all journeys with it. That it compiles: `small-changes.test.ts`. */
import { readFileSync } from "node:fs";
import { afterAll, expect, it } from "vitest";
import { copyTree } from "../support/copied-tree.ts";
import { layColumns } from "../support/sample-property/column.ts";
import { layProperty } from "../support/sample-property/mark.ts";

const copy = copyTree();
afterAll(() => copy[Symbol.dispose]());
layProperty(copy);
layColumns(copy);

/** Runs suites of the copy, and gives the titles of their tests, none of which has failed. */
async function run(config: string, suites: readonly string[]): Promise<readonly string[]> {
  const report = copy.pathOf("report.json");
  const { said } = await copy.run("vitest/vitest.mjs", [
    ...["run", "--config", config, ...suites.map((name) => `test/${name}.test.ts`)],
    ...["--reporter", "json", "--outputFile", report],
  ]);
  const { testResults } = JSON.parse(readFileSync(report, "utf8")) as Report;
  const outcomes = testResults.flatMap(({ assertionResults }) => assertionResults);
  expect(testResults.length, said).toBe(suites.length);
  expect(outcomes.filter(({ failureMessages }) => failureMessages.length > 0)).toEqual([]);
  return outcomes.map(({ title }) => title);
}

const ofStore = ["storage/columns", "storage/new-versions"];
const journeysOfStore = [
  "keeps them in a copy and in a transfer to another owner",
  "keeps them in a new version of a draft",
  "keeps what was set on a message when REPLACE puts another in its place",
  "submitMessage of a draft keeps what was set",
  "editHold keeps what was set",
];

it("properties in one line are written and read over /v1, and kept on every journey", async () => {
  const suites = [
    ...["interface/members", "collections/collections", "daemon/journeys", "json/given-times"],
    ...ofStore,
  ];
  expect(await run("test/vitest.config.ts", suites)).toEqual(
    expect.arrayContaining([
      "each mark is set and read",
      "each declared property is set, read and taken away",
      "an account as an archive",
      "a backup that is put back",
      "mail as Maildir",
      "mail as mbox",
      "a message that is copied, and one that is transferred to another owner",
      "a draft in a new version",
      "a draft that is sent",
      "a mail that waits for approval in a new version",
      "a mail that waits for approval, in an archive",
      "an account as an archive carries what the columns say",
      "message.update snooze is the same instant however it is written, by v1",
      ...journeysOfStore,
    ]),
  );
}, 300_000);

it("several properties of a message are kept together on PostgreSQL", async () => {
  expect(await run("test/postgres/vitest.config.ts", ofStore)).toEqual(
    expect.arrayContaining(journeysOfStore),
  );
}, 300_000);

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly {
      readonly title: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}
