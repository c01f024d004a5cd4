/** Tests fail when the code is wrong: `npm run mutate [-- --chance N] [--listed N] [--seed S] [--minutes M] [--state FILE]`. Each mutation of the
 *  list (`listed.ts`) and so many by chance are made in a copy of the repository. First the nearest tests run, then the suites near to the room
 *  (`test/near`), then all of them. A mutation with which all pass survives. Fails when more than one in ten survives that is not listed as equivalent.
 *
 *  With `--minutes` it ends in time with 75, and the same command goes on: what was tried is in the file of the state. */
import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { nearFiles } from "../near/near-files.ts";
import { randomSource } from "../support/random.ts";
import { equivalent } from "./equivalent.ts";
import { ImportGraph } from "./import-graph.ts";
import { listed } from "./listed.ts";
import { type Mutation, mutated, mutationByChance } from "./mutations.ts";

const { values } = parseArgs({
  options: {
    chance: { type: "string", default: "30" },
    listed: { type: "string", default: String(listed.length) },
    seed: { type: "string", default: String(randomInt(2 ** 31)) },
    minutes: { type: "string", default: "100000" },
    state: { type: "string" },
  },
});

interface Trial {
  readonly mutation: Mutation;
  /** As a person reads it. */
  readonly name: string;
  /** Runs of tests that have passed with it. */
  passed: number;
  isNoticed: boolean;
}

interface State {
  readonly seed: string;
  /** The commit that is tried. */
  readonly commit: string;
  readonly trials: Trial[];
}

const top = path.resolve(import.meta.dirname, "../..");
const nearestCount = 6;
/** All tests run in so many parts, so that a portion of some minutes comes to an end. */
const parts = 4;
/** The nearest tests, the near suites, and those parts. */
const allRuns = parts + 2;
/** Tests that hang with a mutation have noticed it. */
const hangMs = 15 * 60_000;
const survivorsOneIn = 10;
/** The name of a trial that all tests must pass. */
const unchanged = "without a mutation";
const goesOn = 75;
const endAt = Date.now() + Number(values.minutes) * 60_000;
const file = values.state;

const state = knownState() ?? { seed: values.seed, commit: git("rev-parse", "HEAD").trim(), trials: [] };
console.log(`--seed ${state.seed}`);
// The same place in each portion: what Node has compiled is kept by the paths of the files.
const base = path.join(os.tmpdir(), `waypost-mutate-${state.seed}`);
const copy = path.join(base, "waypost");
// A portion that was killed has left it.
fs.rmSync(base, { recursive: true, force: true });
git("worktree", "prune");
git("worktree", "add", "--detach", copy, state.commit);
try {
  fs.symlinkSync(path.join(top, "node_modules"), path.join(copy, "node_modules"));
  fs.symlinkSync(path.resolve(top, "../shared"), path.join(base, "shared"));
  process.exitCode = tryAll();
} finally {
  git("worktree", "remove", "--force", copy);
  fs.rmSync(base, { recursive: true, force: true });
}

function knownState(): State | undefined {
  if (file === undefined || !fs.existsSync(file)) return undefined;
  return JSON.parse(fs.readFileSync(file, "utf8")) as State;
}

/** The exit code. */
function tryAll(): number {
  const files = git("-C", copy, "ls-files", "*.ts").split("\n").filter(Boolean);
  const graph = new ImportGraph(copy, files);
  if (state.trials.length === 0) chooseMutations(files);
  // What survives the nearest tests is tried with the near suites, and then with all tests.
  for (const runs of [1, 2, allRuns])
    for (const trial of state.trials) {
      const near = nearFiles(trial.mutation.file);
      const nearest = graph.nearestTests(trial.mutation.file, new Set(near), nearestCount);
      const others = near.filter((one) => !nearest.includes(one));
      while (!trial.isNoticed && trial.passed < runs) {
        if (Date.now() > endAt) return goesOn;
        const tests = [nearest, others][trial.passed] ?? [`--shard=${trial.passed - 1}/${parts}`];
        trial.isNoticed = tests.length > 0 && failsWith(trial.mutation, tests);
        if (!trial.isNoticed) trial.passed++;
        console.log(`${outcomeOf(trial)}: ${trial.name}`);
        if (file !== undefined) fs.writeFileSync(file, JSON.stringify(state, null, 1));
      }
    }
  if (state.trials.some((trial) => trial.isNoticed && trial.name === unchanged))
    throw new Error("The tests fail without a mutation");
  const trials = state.trials.filter(({ name }) => name !== unchanged);
  const survivors = trials.filter(({ isNoticed, mutation }) => !isNoticed && !isEquivalent(mutation));
  console.log(`\n${trials.length} mutations, ${survivors.length} survived`);
  return survivors.length * survivorsOneIn <= trials.length ? 0 : 1;
}

function outcomeOf({ isNoticed, passed }: Trial): string {
  if (isNoticed) return "noticed";
  return passed === allRuns ? "SURVIVED" : "not noticed so far";
}

function chooseMutations(files: readonly string[]): void {
  const sources = files.filter((name) => /^(?:src|protocols|storage|config)\//.test(name));
  const random = randomSource(Number(state.seed));
  const mutations = [
    ...listed.slice(0, Number(values.listed)).map(placed),
    ...Array.from({ length: Number(values.chance) }, () => mutationByChance(copy, sources, random)),
  ];
  const nothing = { file: mutations[0]!.file, start: 0, end: 0, text: "" };
  state.trials.push({ mutation: nothing, name: unchanged, passed: 0, isNoticed: false });
  for (const mutation of mutations)
    state.trials.push({ mutation, name: describe(mutation), passed: 0, isNoticed: false });
}

function isEquivalent({ file: name, start, end, text }: Mutation): boolean {
  const source = fs.readFileSync(path.join(copy, name), "utf8");
  return equivalent.some(({ file: known, from, to }) => {
    const at = source.indexOf(from);
    return known === name && start >= at && end <= at + from.length && to === text;
  });
}

function failsWith(mutation: Mutation, tests: readonly string[]): boolean {
  const place = path.join(copy, mutation.file);
  const source = fs.readFileSync(place, "utf8");
  fs.writeFileSync(place, mutated(source, mutation));
  const { status } = spawnSync(
    process.execPath,
    [
      "node_modules/vitest/vitest.mjs",
      "run",
      "--config",
      "test/vitest.config.ts",
      "--bail",
      "1",
      "--reporter",
      "dot",
      ...tests,
    ],
    { cwd: copy, stdio: "ignore", timeout: hangMs },
  );
  fs.writeFileSync(place, source);
  return status !== 0;
}

function placed({ file, from, to }: (typeof listed)[number]): Mutation {
  const source = fs.readFileSync(path.join(copy, file), "utf8");
  const start = source.indexOf(from);
  if (start < 0 || source.indexOf(from, start + 1) >= 0)
    throw new Error(`${file} does not have ${JSON.stringify(from)} once`);
  return { file, start, end: start + from.length, text: to };
}

function describe({ file, start, end, text }: Mutation): string {
  const source = fs.readFileSync(path.join(copy, file), "utf8");
  const line = source.slice(0, start).split("\n").length;
  return `${file}:${line} ${source.slice(start, end)} → ${text}`;
}

function git(...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync("git", args, { cwd: top, encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}
