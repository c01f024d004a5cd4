/** Builds dist/waypost-<version>.tgz, the package for npm: node config/build/build-package.ts
 *
 *  Node strips no types below `node_modules`, so the package has the program compiled (`compile.ts`), started by
 *  the same `src/start.mjs`, and the client as JavaScript with types. npm-shrinkwrap.json has the tested versions of all libraries. */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import manifest from "#/package.json" with { type: "json" };

const top = path.resolve(import.meta.dirname, "../..");

interface Lock {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean }>>;
}

/** Returns the path of the package. */
export function buildPackage(out: string): string {
  const folder = path.join(out, "package");
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(path.join(folder, "src"), { recursive: true });
  run("config/build/compile.ts", path.join(folder, "program"));
  run("config/build/build-client.ts", path.join(folder, "dist/client"));
  for (const file of [
    "src/start.mjs",
    "src/own-files.mjs",
    "LICENSE",
    "README.md",
    "CHANGELOG.md",
    "config/waypost.example.toml",
  ]) {
    fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    fs.copyFileSync(path.join(top, file), path.join(folder, file));
  }
  fs.cpSync(path.join(top, "docs"), path.join(folder, "docs"), { recursive: true });
  const packed = packedManifest();
  fs.writeFileSync(path.join(folder, "package.json"), `${JSON.stringify(packed, undefined, 2)}\n`);
  fs.writeFileSync(path.join(folder, "npm-shrinkwrap.json"), shrinkwrapText(packed));
  const name = execFileSync("npm", ["pack", "--silent", "--pack-destination", out], {
    cwd: folder,
    encoding: "utf8",
  }).trim();
  return path.join(out, name);
}

function run(script: string, folder: string): void {
  execFileSync(process.execPath, [path.join(top, script), folder], { cwd: top, stdio: "inherit" });
}

function packedManifest() {
  const { name, version, description, license, type, bin, exports, dependencies, optionalDependencies } =
    manifest;
  return { name, version, description, license, type, bin, exports, dependencies, optionalDependencies };
}

/** The lock file of the repository without the packages that only development needs. */
function shrinkwrapText(packed: ReturnType<typeof packedManifest>): string {
  const lock = JSON.parse(fs.readFileSync(path.join(top, "package-lock.json"), "utf8")) as Lock;
  const packages = Object.fromEntries(Object.entries(lock.packages).filter(([, { dev }]) => dev !== true));
  return `${JSON.stringify({ ...lock, packages: { ...packages, "": packed } }, undefined, 2)}\n`;
}

if (import.meta.filename === process.argv[1]) console.log(buildPackage(path.join(top, "dist")));
