/** npm run test:near [-- ROOM… | --base REVISION] [--list] [-t NAME]: the suites near to what has changed: to the named rooms or files, or to
 *  what differs from the revision (the branch that this one follows, or the last commit), committed or not. `suites.ts` declares which. */
import { spawnSync } from "node:child_process";
import path from "node:path";
import { parseArgs } from "node:util";
import { rooms } from "../support/rooms.ts";
import { filesNearAll } from "./near-files.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    base: { type: "string" },
    list: { type: "boolean", default: false },
    testNamePattern: { type: "string", short: "t" },
  },
});
const top = path.resolve(import.meta.dirname, "../..");
const changed =
  positionals.length > 0 ? positionals.map(nameOf) : changedSince(values.base ?? startOfBranch());
const files = filesNearAll(changed);
console.log(files.join("\n"));
if (!values.list) {
  const { status } = spawnSync(
    process.execPath,
    [
      "node_modules/vitest/vitest.mjs",
      "run",
      "--config",
      "test/vitest.config.ts",
      ...(values.testNamePattern === undefined ? [] : ["-t", values.testNamePattern]),
      ...files,
    ],
    { cwd: top, stdio: "inherit" },
  );
  process.exitCode = status ?? 1;
}

/** A room may be named by the last part of its path. */
function nameOf(written: string): string {
  const name = written.replace(/\/$/, "");
  return rooms.flat().find((room) => room.split("/").at(-1) === name) ?? name;
}

function changedSince(revision: string): string[] {
  const known = git("diff", "--name-only", "--diff-filter=d", revision);
  return [...known, ...git("ls-files", "--others", "--exclude-standard")];
}

/** The commit at which this branch left the one that it follows. What has been landed since then is no change of this branch. */
function startOfBranch(): string {
  const followed = spawnSync("git", ["merge-base", "HEAD", "@{upstream}"], { cwd: top, encoding: "utf8" });
  return followed.status === 0 ? followed.stdout.trim() : "HEAD~1";
}

function git(...args: readonly string[]): string[] {
  const { status, stdout, stderr } = spawnSync("git", args, { cwd: top, encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return stdout.split("\n").filter(Boolean);
}
