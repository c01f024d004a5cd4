// Plain JavaScript on purpose: to find the program at every start, and on any Node, costs no stripping of types.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const top = fileURLToPath(new URL("../..", import.meta.url));
/** What decides about the program. */
const sources = ["config", "protocols", "src", "storage", "package.json"];

/** The file to run: what was compiled of this source, at the first time compiled now by this Node. Undefined where that cannot be:
 *  without esbuild (an installation without development packages) or below a folder that must not be written.
 *  @param {string} node @returns {string | undefined} */
export function compiledProgram(node) {
  const folder = path.join(top, "node_modules/.cache/waypost", fingerprint());
  const program = path.join(folder, "main.js");
  if (!fs.existsSync(program)) {
    const script = fileURLToPath(new URL("compile.ts", import.meta.url));
    spawnSync(node, [script, folder], { stdio: "ignore" });
  }
  return fs.existsSync(program) ? program : undefined;
}

/** Over name, size and time of every source file: their texts would take ten times as long to read. */
function fingerprint() {
  const hash = createHash("sha256");
  for (const source of sources)
    for (const file of filesBelow(path.join(top, source))) {
      const { size, mtimeMs } = fs.statSync(file);
      hash.update(`${path.relative(top, file)}\0${size}\0${mtimeMs}\0`);
    }
  return hash.digest("hex").slice(0, 32);
}

function filesBelow(place) {
  if (!fs.existsSync(place)) return [];
  if (!fs.statSync(place).isDirectory()) return [place];
  return fs
    .readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
}
