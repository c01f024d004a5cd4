/** Runs the long suites of `table.ts`: `node test/long/run.ts [--night] [name…]`. Two run at a time, and those that measure alone. A suite that
 *  ends with 77 did not run. Fails when a suite fails, or did not run without being excused.
 *
 *  A seed with which a suite fails is tried on the parent commit too. If it fails there, it is reported as found, and blocks no change. */
import { spawn, spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { didNotRunCode } from "./did-not-run.ts";
import { type LongSuite, longSuites, mayNotRun } from "./table.ts";

const { values, positionals } = parseArgs({
  options: { night: { type: "boolean", default: false } },
  allowPositionals: true,
});
const top = path.resolve(import.meta.dirname, "../..");
const passed: string[] = [];
const failed: string[] = [];
const absent: string[] = [];
const found: string[] = [];

const wanted = longSuites.filter(
  ({ name, day }) =>
    (values.night || day !== undefined) && (positionals.length === 0 || positionals.includes(name)),
);
const beside = wanted.filter(({ isAlone }) => isAlone === undefined);
const inTurn = beside.values();
await Promise.all([1, 2].map(() => runAll(inTurn)));
await runAll(wanted.filter(({ isAlone }) => isAlone === true));

const unexcused = absent.filter((name) => !mayNotRun.some((excuse) => excuse?.name === name));
if (failed.length > 0) console.log(`\nfailed: ${failed.join(", ")}`);
for (const one of found) console.log(`\nfound, and it fails on the parent commit too: ${one}`);
for (const name of unexcused)
  console.log(`\n${name} did not run, and nothing in test/long/table.ts excuses it`);
const left = absent.length === 0 ? "" : `, ${absent.length} did not run: ${absent.join(", ")}`;
const before = found.length === 0 ? "" : `, ${found.length} found`;
console.log(`\n${passed.length} passed, ${failed.length} failed${before}${left}`);
process.exitCode = failed.length + unexcused.length === 0 ? 0 : 1;

async function runAll(suites: Iterable<LongSuite>): Promise<void> {
  for (const suite of suites) await run(suite);
}

async function run({ name, day, night, isSeeded }: LongSuite): Promise<void> {
  const seed = isSeeded === undefined ? [] : ["--seed", String(randomInt(2 ** 31))];
  const args = [...(values.night ? night : day!), ...seed];
  const startedAt = performance.now();
  const { code, output } = await runIn(top, name, args);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  const outcome = code === 0 ? "passed" : code === didNotRunCode ? "did not run" : "FAILED";
  // Whole, as suites that run beside each other would mix their lines.
  console.log(`\n-- ${[name, ...args].join(" ")}\n${output.trimEnd()}\n-- ${name}: ${outcome}, ${seconds} s`);
  if (code === 0) passed.push(name);
  else if (code === didNotRunCode) absent.push(name);
  else if (seed.length > 0 && (await failsOnParent(name, args))) found.push([name, ...args].join(" "));
  else failed.push(name);
}

async function runIn(
  folder: string,
  name: string,
  args: readonly string[],
): Promise<{ code: number | null; output: string }> {
  const file = path.join(folder, "test/long", `${name}.ts`);
  const child = spawn(process.execPath, [file, ...args], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  const [code] = (await once(child, "close")) as [number | null];
  return { code, output };
}

/** False where there is no parent commit, as in a checkout without history. */
async function failsOnParent(name: string, args: readonly string[]): Promise<boolean> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-parent-"));
  const git = (...words: readonly string[]) => spawnSync("git", words, { cwd: top, encoding: "utf8" });
  try {
    if (git("worktree", "add", "--detach", folder, "HEAD^").status !== 0) return false;
    fs.symlinkSync(path.join(top, "node_modules"), path.join(folder, "node_modules"));
    if (!fs.existsSync(path.join(folder, "test/long", `${name}.ts`))) return false;
    const { code, output } = await runIn(folder, name, args);
    console.log(
      `\n-- on the parent commit: ${[name, ...args].join(" ")}\n${output.trimEnd()}\n-- ended with ${code}`,
    );
    return code !== 0 && code !== didNotRunCode;
  } finally {
    git("worktree", "remove", "--force", folder);
    fs.rmSync(folder, { recursive: true, force: true });
  }
}
