/** node config/build/compile.ts <folder>: compiles the program into this folder, which names the source (`compiled.mjs`), and deletes
 *  older ones beside it. It runs as a process of its own, so that a daemon holds nothing of the compiler. */
import fs from "node:fs";
import path from "node:path";
import { build, type Plugin } from "esbuild";
import { houseThreads, processHost } from "#/src/threads/house-threads.ts";

const top = path.resolve(import.meta.dirname, "../..");
/** A process that runs an older program loads more files of it later. */
const keptMax = 3;

const { dependencies } = JSON.parse(fs.readFileSync(path.join(top, "package.json"), "utf8")) as {
  readonly dependencies: Readonly<Record<string, string>>;
};
/** Half of zod's modules are messages in languages that nobody asks for; English is loaded apart from them. */
const withoutLocales: Plugin = {
  name: "without locales",
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({ contents: "export {};" })),
};

async function compile(outdir: string): Promise<void> {
  const threads = [...Object.values(houseThreads), processHost].map(({ name, source }) => [name, source]);
  await build({
    absWorkingDir: top,
    entryPoints: Object.fromEntries([["main", "src/main.ts"], ...threads]),
    outdir,
    bundle: true,
    // What is loaded only when it is needed stays apart, and what threads share is there once.
    splitting: true,
    platform: "node",
    target: "node26",
    format: "esm",
    keepNames: true,
    legalComments: "none",
    // Libraries are loaded as Node loads them: bundled ones differ in what CommonJS gives to an import. But zod has ES modules alone,
    // and 95 of them; and the SDK of the Model Context Protocol, which has ES modules too, then shares them.
    external: Object.keys(dependencies).filter(
      (name) => !["zod", "@modelcontextprotocol/server"].includes(name),
    ),
    plugins: [withoutLocales],
    logLevel: "silent",
  });
}

/** Several processes may compile at the same time; the first one stays. */
function putInPlace(made: string, place: string): void {
  try {
    fs.renameSync(made, place);
  } catch (error) {
    if (!fs.existsSync(path.join(place, "main.js"))) throw error;
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

const folder = process.argv[2]!;
const unfinished = `${folder}.${process.pid}`;
try {
  fs.mkdirSync(unfinished, { recursive: true });
  await compile(unfinished);
  putInPlace(unfinished, folder);
  deleteOld(path.dirname(folder));
} finally {
  fs.rmSync(unfinished, { recursive: true, force: true });
}
