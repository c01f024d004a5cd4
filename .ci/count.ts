/** node .ci/count.ts RESULTS ABSENT FAILED: counts the results of a run of vitest: passed, failed, and did not run. What did not run is added to
 *  the file of what is absent, and each failure with the beginning of its message to the file of what failed. Fails if something did not run
 *  that is not excused (`test/long/table.ts`). */
import fs from "node:fs";
import path from "node:path";
import { mayNotRun } from "#/test/long/table.ts";

interface Results {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

const [file, absentFile, failedFile] = process.argv.slice(2) as [string, string, string];
const results = JSON.parse(fs.readFileSync(file, "utf8")) as Results;
const absent = results.testResults.flatMap(({ name, assertionResults }) => {
  const count = assertionResults.filter(({ status }) => status !== "passed" && status !== "failed").length;
  return count === 0 ? [] : [{ name: path.basename(name, ".test.ts"), count }];
});
// A file that cannot be loaded has no tests that could fail.
const broken = results.testResults.filter(
  ({ status, assertionResults }) => status === "failed" && assertionResults.length === 0,
);
for (const { name } of absent) fs.appendFileSync(absentFile, `${name}\n`);
const failures = results.testResults.flatMap(({ name, assertionResults }) =>
  assertionResults.flatMap(({ status, fullName, failureMessages }) =>
    status === "failed" ? [`${path.relative(".", name)}: ${fullName}: ${failureMessages.join(" ")}`] : [],
  ),
);
failures.push(...broken.map(({ name, message }) => `${path.relative(".", name)}: ${message}`));
for (const failure of failures)
  fs.appendFileSync(failedFile, `${failure.replaceAll(/\s+/g, " ").slice(0, 600)}\n`);
const unexcused = absent.filter(({ name }) => !mayNotRun.some((excuse) => excuse?.name === name));
for (const { name, count } of unexcused)
  console.error(`${count} tests of ${name} did not run, and nothing in test/long/table.ts excuses them`);
const left = absent.reduce((sum, { count }) => sum + count, 0);
console.log(results.numPassedTests, results.numFailedTests + broken.length, left);
process.exitCode = unexcused.length === 0 ? 0 : 1;
