/** node config/build/compile.ts <folder>: compiles the program into this folder. It runs as a process of its own, so that a daemon holds
 *  nothing of the compiler. */
import fs from "node:fs";
import { isBuiltin } from "node:module";
import path from "node:path";
import { type BuildOptions, build, type Plugin } from "esbuild";
import { houseThreads, processHost } from "#/src/threads/house-threads.ts";
import { joinModules } from "./join-modules.ts";

const top = path.resolve(import.meta.dirname, "../..");

const { dependencies } = JSON.parse(fs.readFileSync(path.join(top, "package.json"), "utf8")) as {
  readonly dependencies: Readonly<Record<string, string>>;
};
/** Half of zod's modules are messages in languages that the server does not use. English is loaded separately. */
const withoutLocales: Plugin = {
  name: "without locales",
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({ contents: "export {};" })),
};

/** Libraries that are imported only when they are needed. */
const laterLibraries: Plugin = {
  name: "later libraries",
  setup: ({ onResolve }) =>
    onResolve({ filter: /^[^.#/]/ }, ({ kind }) =>
      kind === "dynamic-import" ? { external: true } : undefined,
    ),
};

/** Node's own modules as CommonJS gets them. An `import` of one reads each of its exports: that of `node:http` loads `fetch` with all that
 *  belongs to it, 30 ms at each start. */
const builtinModules: Plugin = {
  name: "builtin modules",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /./ }, ({ path: name, kind }) =>
      isBuiltin(name) && kind === "import-statement" ? { path: name, namespace: "builtin" } : undefined,
    );
    onLoad({ filter: /./, namespace: "builtin" }, ({ path: name }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(name)});`,
    }));
  },
};

/** Libraries of ES modules alone, compiled with the program: it starts sooner without their many files. The others are loaded as Node loads
 *  them: an import of bundled CommonJS has other names, and bundled CommonJS cannot `require` in an ES module. */
const bundledLibraries: ReadonlySet<string> = new Set([
  "@modelcontextprotocol/server",
  "nodemailer",
  "parse5",
  "rrule-temporal",
  "smol-toml",
  "smtp-server",
  "timezones-ical-library",
  "zod",
]);

/** Options for the program and its threads. */
const common = {
  absWorkingDir: top,
  bundle: true,
  platform: "node",
  target: "node26",
  legalComments: "none",
  plugins: [withoutLocales],
  logLevel: "silent",
} as const satisfies BuildOptions;

async function compile(outdir: string): Promise<void> {
  await Promise.all([compileProgram(outdir), compileThreads(outdir)]);
}

/** What every command loads, and what every daemon does. */
const layers = [
  ["src/main.ts", "src/cli/program.ts"],
  ["src/daemon/daemon.ts", "src/daemon/keep-serving.ts"],
] as const;

async function compileProgram(outdir: string): Promise<void> {
  // A name that nobody else gives a folder: it is deleted afterwards. Names of the compiled modules depend on it.
  const parts = path.join(outdir, ".waypost-parts");
  const { metafile } = await build({
    ...common,
    entryPoints: { main: "src/main.ts" },
    outdir: parts,
    metafile: true,
    // Modules that are loaded only when needed stay separate files.
    splitting: true,
    format: "esm",
    plugins: [withoutLocales, builtinModules],
    external: Object.keys(dependencies).filter((name) => !bundledLibraries.has(name)),
  });
  await joinModules({ layers, parts, outputs: metafile.outputs, outdir, options: common });
  fs.rmSync(parts, { recursive: true });
}

/** Each thread is one file of CommonJS with its libraries, as in the single binary. With fifty modules, it starts in twice the time. */
async function compileThreads(outdir: string): Promise<void> {
  const threads = [...Object.values(houseThreads), processHost].map(({ name, source }) => [name, source]);
  await build({
    ...common,
    entryPoints: Object.fromEntries(threads),
    outdir,
    outExtension: { ".js": ".cjs" },
    format: "cjs",
    external: ["better-sqlite3"],
    plugins: [withoutLocales, laterLibraries],
    define: { "import.meta.url": "__importMetaUrl" },
    banner: { js: 'const __importMetaUrl = require("node:url").pathToFileURL(__filename).href;' },
  });
}

await compile(process.argv[2]!);
