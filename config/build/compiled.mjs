// Plain JavaScript on purpose: to find the program at every start, and on any Node, costs no stripping of types.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { linkTree, ownFolder } from "../../src/own-files.mjs";

const top = fileURLToPath(new URL("../..", import.meta.url));
const rooms = ["config", "protocols", "src", "storage"];

/** The file to run: what was compiled of this source, at the first time compiled now by this Node, or the source itself without esbuild
 *  (an installation without development packages). Undefined below a folder that must not be written.
 *  @param {string} node @returns {string | undefined} */
export function compiledProgram(node) {
  const folder = ownFolder(top, [...rooms, "package.json"], (making) => {
    const script = fileURLToPath(new URL("compile.ts", import.meta.url));
    spawnSync(node, [script, making], { stdio: "ignore" });
    if (!fs.existsSync(path.join(making, "main.js")))
      for (const room of rooms) linkTree(path.join(top, room), path.join(making, room));
  });
  return (
    folder &&
    ["main.js", "src/main.ts"].map((file) => path.join(folder, file)).find((file) => fs.existsSync(file))
  );
}
