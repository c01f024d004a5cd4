/** Attacks of this folder, one after the other, each in a process and a daemon of its own: `npm run test:abuse [name…]`. Fails if
 *  one does. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const attacks = [
  "store-flags",
  "documents",
  "smtp-trickle",
  "append-held",
  "blob-create",
  "bad-tokens",
  "idle-smtp",
];

const wanted = process.argv.slice(2);
const failed: string[] = [];
for (const name of wanted.length === 0 ? attacks : wanted) {
  console.log(`\n-- ${name}`);
  const file = fileURLToPath(new URL(`${name}.ts`, import.meta.url));
  if (spawnSync(process.execPath, [file], { stdio: "inherit" }).status !== 0) failed.push(name);
}
console.log(failed.length === 0 ? "\nEvery attack was withstood" : `\nfailed: ${failed.join(", ")}`);
process.exitCode = failed.length === 0 ? 0 : 1;
