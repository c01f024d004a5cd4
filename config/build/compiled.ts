/** The program as compiled JavaScript: `npm start` and `npx waypost` run it instead of the source, which takes Node longer to load
 *  and more memory in each thread. It is made from the source when that has changed, in about a second, and kept below
 *  `node_modules/.cache`. `node src/main.ts` runs the source itself. */
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { houseThreads } from "#/src/threads/house-threads.ts";

const top = path.resolve(import.meta.dirname, "../..");
/** What decides about the program, besides Node. */
const sources = ["config", "protocols", "src", "storage", "package.json"];
/** A process that runs an older program loads more files of it later. */
const keptMax = 3;

/** The file to run: what was compiled of this source, at the first time compiled now. Undefined where that cannot be: without
 *  esbuild (an installation without development packages) or below a folder that must not be written. */
export async function compiledProgram(): Promise<string | undefined> {
  const cache = path.join(top, "node_modules/.cache/waypost");
  const folder = path.join(cache, fingerprint());
  const program = path.join(folder, "main.js");
  if (fs.existsSync(program)) return program;
  const unfinished = `${folder}.${process.pid}`;
  try {
    fs.mkdirSync(unfinished, { recursive: true });
    await compile(unfinished);
    putInPlace(unfinished, folder);
    deleteOld(cache);
    return program;
  } catch {
    return undefined;
  } finally {
    fs.rmSync(unfinished, { recursive: true, force: true });
  }
}

/** Over name, size and time of every source file: their texts would take ten times as long to read. */
function fingerprint(): string {
  const hash = createHash("sha256").update(process.version);
  for (const source of sources)
    for (const file of filesBelow(path.join(top, source))) {
      const { size, mtimeMs } = fs.statSync(file);
      hash.update(`${path.relative(top, file)}\0${size}\0${mtimeMs}\0`);
    }
  return hash.digest("hex").slice(0, 32);
}

function filesBelow(place: string): string[] {
  if (!fs.existsSync(place)) return [];
  if (!fs.statSync(place).isDirectory()) return [place];
  return fs
    .readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
}

async function compile(folder: string): Promise<void> {
  const { build } = await import("esbuild");
  const threads = Object.values(houseThreads).map(({ name, source }) => [name, source]);
  await build({
    absWorkingDir: top,
    entryPoints: Object.fromEntries([["main", "src/main.ts"], ...threads]),
    outdir: folder,
    bundle: true,
    // What is loaded only when it is needed stays apart, and what threads share is there once.
    splitting: true,
    platform: "node",
    target: "node26",
    format: "esm",
    keepNames: true,
    legalComments: "none",
    // Libraries are loaded as Node loads them: bundled ones differ in what CommonJS gives to an import.
    packages: "external",
    logLevel: "silent",
  });
}

/** Several processes may compile at the same time; the first one stays. */
function putInPlace(unfinished: string, folder: string): void {
  try {
    fs.renameSync(unfinished, folder);
  } catch (error) {
    if (!fs.existsSync(path.join(folder, "main.js"))) throw error;
  }
}

function deleteOld(cache: string): void {
  const kept = fs
    .readdirSync(cache, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.includes("."))
    .map(({ name }) => ({ name, madeAt: fs.statSync(path.join(cache, name)).mtimeMs }))
    .sort((one, other) => other.madeAt - one.madeAt);
  for (const { name } of kept.slice(keptMax))
    fs.rmSync(path.join(cache, name), { recursive: true, force: true });
}
