/** `npm run build:client [folder]`: the client as JavaScript and types, into `dist/client` unless a folder is named. Node strips no
 *  types below `node_modules`, so a package needs JavaScript. */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const here = import.meta.dirname;
const folder = path.resolve(process.argv[2] ?? path.join(here, "../../dist/client"));
const compiler = path.join(
  path.dirname(createRequire(import.meta.url).resolve("typescript/package.json")),
  "bin/tsc",
);
execFileSync(
  process.execPath,
  [compiler, "-p", path.join(here, "tsconfig.client.json"), "--outDir", folder],
  { stdio: "inherit" },
);

// The compiler rewrites the imports of the code, and leaves those of the types.
for (const name of fs.readdirSync(folder).filter((one) => one.endsWith(".d.ts"))) {
  const file = path.join(folder, name);
  fs.writeFileSync(file, fs.readFileSync(file, "utf8").replaceAll(/(from "\.\/[a-z-]+)\.ts"/g, '$1.js"'));
}
