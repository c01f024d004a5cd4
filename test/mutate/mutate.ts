/** Tests fail when the code is wrong: `npm run mutate [-- --chance N] [--listed N] [--seed S]`. Each mutation of the list (`listed.ts`) and so many by
 *  chance are made in a copy of the repository. First the nearest tests run, then all of them. A mutation with which all pass survives.
 *  Fails when more than one in ten survives that is not listed as equivalent. */
import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { randomSource } from "../support/random.ts";
import { ImportGraph } from "./import-graph.ts";
import { listed } from "./listed.ts";
import { type Mutation, mutated, mutationByChance } from "./mutations.ts";

const { values } = parseArgs({
  options: {
    chance: { type: "string", default: "30" },
    listed: { type: "string", default: String(listed.length) },
    seed: { type: "string", default: String(randomInt(2 ** 31)) },
  },
});
const top = path.resolve(import.meta.dirname, "../..");
const nearestCount = 12;
/** Tests that hang with a mutation have noticed it. */
const hangMs = 15 * 60_000;
const survivorsOneIn = 10;

const base = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-mutate-"));
const copy = path.join(base, "waypost");
git("worktree", "add", "--detach", copy, "HEAD");
try {
  fs.symlinkSync(path.join(top, "node_modules"), path.join(copy, "node_modules"));
  fs.symlinkSync(path.resolve(top, "../shared"), path.join(base, "shared"));
  process.exitCode = tryAll() ? 0 : 1;
} finally {
  git("worktree", "remove", "--force", copy);
  fs.rmSync(base, { recursive: true, force: true });
}

function tryAll(): boolean {
  const files = git("ls-files", "*.ts").split("\n").filter(Boolean);
  const graph = new ImportGraph(top, files);
  const sources = files.filter((file) => /^(?:src|protocols|storage|config)\//.test(file));
  const random = randomSource(Number(values.seed));
  console.log(`--seed ${values.seed}`);
  const mutations = [
    ...listed.slice(0, Number(values.listed)).map(placed),
    ...Array.from({ length: Number(values.chance) }, () => mutationByChance(copy, sources, random)),
  ];
  if (fails([])) throw new Error("The tests fail without a mutation");
  const survivors = mutations.filter((mutation) => {
    const place = path.join(copy, mutation.file);
    const source = fs.readFileSync(place, "utf8");
    fs.writeFileSync(place, mutated(source, mutation));
    const isNoticed = fails(graph.nearestTests(mutation.file, nearestCount)) || fails([]);
    fs.writeFileSync(place, source);
    console.log(`${isNoticed ? "noticed" : "SURVIVED"}: ${describe(source, mutation)}`);
    return !isNoticed;
  });
  console.log(`\n${mutations.length} mutations, ${survivors.length} survived`);
  return survivors.length * survivorsOneIn <= mutations.length;
}

/** Without names all tests. */
function fails(tests: readonly string[]): boolean {
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
  return status !== 0;
}

function placed({ file, from, to }: (typeof listed)[number]): Mutation {
  const source = fs.readFileSync(path.join(copy, file), "utf8");
  const start = source.indexOf(from);
  if (start < 0 || source.indexOf(from, start + 1) >= 0)
    throw new Error(`${file} does not have ${JSON.stringify(from)} once`);
  return { file, start, end: start + from.length, text: to };
}

function describe(source: string, { file, start, end, text }: Mutation): string {
  const line = source.slice(0, start).split("\n").length;
  return `${file}:${line} ${source.slice(start, end)} → ${text}`;
}

function git(...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync("git", args, { cwd: top, encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}
