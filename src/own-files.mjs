// Plain JavaScript on purpose: it runs before types can be stripped, and at every start.
/** Every start runs a program of which only starts take anything away. A folder `.waypost` beside the installation has, for each version,
 *  the program and hard links to its libraries: `npm ci`, an upgrade or another start leave a running program all of its files.
 *
 *      <fingerprint>/              a version: package.json, the program, node_modules, and the code that V8 has compiled of them
 *      <fingerprint>.<pid>         this process runs that version
 *      <fingerprint>.<pid>.making  a version that is being made or deleted
 *
 *  A start deletes what belongs to processes that have ended, and the versions that no process runs. */

import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";

const ours = /^([0-9a-f]{32})(?:\.(\d+)(\.making)?)?$/;
/** What no program reads. */
const unread = /\.(?:d\.[cm]?ts|map|md|markdown)$/i;

/** The folder of the version, made first if there is none. Undefined if it cannot be made there.
 *  @param {string} top the installation @param {readonly string[]} sources what decides about the version
 *  @param {(folder: string) => void} make puts the program into a folder
 *  @returns {string | undefined} */
export function ownFolder(top, sources, make) {
  const home = path.join(outsideOfLibraries(top), ".waypost");
  const name = fingerprint(top, sources);
  const folder = path.join(home, name);
  try {
    fs.mkdirSync(home, { recursive: true });
    // First of all, so that another start does not delete the version.
    fs.writeFileSync(`${folder}.${process.pid}`, "");
    if (!fs.existsSync(folder)) {
      const making = `${folder}.${process.pid}.making`;
      make(making);
      linkFile(path.join(top, "package.json"), path.join(making, "package.json"));
      linkLibraries(top, making);
      putInPlace(making, folder);
    }
    deleteUnused(home, name);
    return folder;
  } catch {
    return undefined;
  }
}

/** Links all files below a folder.
 *  @param {string} from @param {string} to */
export function linkTree(from, to) {
  fs.mkdirSync(to, { recursive: true });
  for (const entry of fs.readdirSync(from, { withFileTypes: true })) {
    const place = path.join(from, entry.name);
    if (entry.isDirectory()) {
      if (entry.name !== "node_modules") linkTree(place, path.join(to, entry.name));
    } else if (!unread.test(entry.name)) linkFile(place, path.join(to, entry.name));
  }
}

/** A copy where the file system has no link, or does not allow one.
 *  @param {string} from @param {string} to */
function linkFile(from, to) {
  try {
    fs.linkSync(from, to);
  } catch {
    fs.copyFileSync(from, to);
  }
}

/** The libraries of a package and theirs, each where the package that needs it finds it.
 *  @param {string} top @param {string} folder */
function linkLibraries(top, folder) {
  /** @type {Map<string, string>} */
  const placed = new Map();
  const waiting = [
    { source: fs.realpathSync(top), target: folder, names: dependenciesOf(top, ["dependencies"]) },
  ];
  for (const { source, target, names } of waiting)
    for (const name of names) {
      const library = findLibrary(source, name);
      const seen = nearest(placed, target, name);
      if (library === undefined || seen === library) continue;
      const place = path.join(seen === undefined ? folder : target, "node_modules", name);
      placed.set(place, library);
      linkTree(library, place);
      const kinds = ["dependencies", "optionalDependencies", "peerDependencies"];
      waiting.push({ source: library, target: place, names: dependenciesOf(library, kinds) });
    }
}

/** @param {string} folder @param {readonly string[]} kinds */
function dependenciesOf(folder, kinds) {
  const manifest = JSON.parse(fs.readFileSync(path.join(folder, "package.json"), "utf8"));
  return kinds.flatMap((kind) => Object.keys(manifest[kind] ?? {}));
}

/** @param {string} from @param {string} name */
function findLibrary(from, name) {
  for (let folder = from; ; folder = path.dirname(folder)) {
    const place = path.join(folder, "node_modules", name);
    if (fs.existsSync(path.join(place, "package.json"))) return fs.realpathSync(place);
    if (folder === path.dirname(folder)) return undefined;
  }
}

/** What a package in this place would find under the name.
 *  @param {ReadonlyMap<string, string>} placed @param {string} target @param {string} name */
function nearest(placed, target, name) {
  for (let folder = target; ; folder = path.dirname(folder)) {
    const found = placed.get(path.join(folder, "node_modules", name));
    if (found !== undefined || folder === path.dirname(folder)) return found;
  }
}

/** Several starts may make the same version at the same time; the first one stays.
 *  @param {string} making @param {string} folder */
function putInPlace(making, folder) {
  try {
    fs.renameSync(making, folder);
  } catch (error) {
    fs.rmSync(making, { recursive: true, force: true });
    if (!fs.existsSync(folder)) throw error;
  }
}

/** @param {string} home @param {string} current */
function deleteUnused(home, current) {
  const entries = fs.readdirSync(home).map((entry) => ours.exec(entry));
  const used = new Set([current]);
  for (const match of entries) {
    const [entry, name = "", pid] = match ?? [];
    if (entry === undefined || pid === undefined) continue;
    if (isAlive(Number(pid))) used.add(name);
    else fs.rmSync(path.join(home, entry), { recursive: true, force: true });
  }
  for (const match of entries) {
    const [entry, name = "", pid] = match ?? [];
    if (entry === undefined || pid !== undefined || used.has(name)) continue;
    // Away at once, so that no start finds a part of it. One that has found it whole meanwhile gets it back.
    const making = path.join(home, `${name}.${process.pid}.making`);
    fs.renameSync(path.join(home, name), making);
    if (fs.readdirSync(home).some((other) => other.startsWith(`${name}.`) && !other.endsWith(".making")))
      putInPlace(making, path.join(home, name));
    else fs.rmSync(making, { recursive: true, force: true });
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

/** A package that is installed below `node_modules` goes with it. @param {string} top */
function outsideOfLibraries(top) {
  const at = `${top}${path.sep}`.indexOf(`${path.sep}node_modules${path.sep}`);
  return at < 0 ? top : top.slice(0, at) || path.sep;
}

/** Over name, size and time of every file: their texts would take ten times as long to read.
 *  @param {string} top @param {readonly string[]} sources */
function fingerprint(top, sources) {
  // What npm has installed.
  const installed = path.join(outsideOfLibraries(top), "node_modules/.package-lock.json");
  let facts = "";
  for (const file of [...sources.map((source) => path.join(top, source)), installed])
    facts += factsOf(file, path.relative(top, file));
  return createHash("sha256").update(facts).digest("hex").slice(0, 32);
}

/** A line for the file, or for each below the folder; empty for what is not there.
 *  @param {string} place @param {string} name @returns {string} */
function factsOf(place, name) {
  const found = fs.statSync(place, { throwIfNoEntry: false });
  if (found === undefined) return "";
  if (!found.isDirectory()) return `${name}\0${found.size}\0${found.mtimeMs}\n`;
  let facts = "";
  for (const entry of fs.readdirSync(place).sort()) facts += factsOf(`${place}/${entry}`, `${name}/${entry}`);
  return facts;
}
