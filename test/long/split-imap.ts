/** The chunks in which a client's octets arrive never change the answers. Runs every IMAP script of `test/imap` with its client side
 *  cut into random pieces. `node test/long/split-imap.ts [--runs N] [--seed S] [folder of test/imap…]` */
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  options: { runs: { type: "string", default: "5" }, seed: { type: "string" } },
  allowPositionals: true,
});
const firstSeed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const places = positionals.length === 0 ? ["test/imap"] : positionals.map((name) => `test/imap/${name}`);
const failed: number[] = [];
for (let seed = firstSeed; seed < firstSeed + Number(values.runs); seed++) {
  const { status, stdout } = spawnSync(
    "npx",
    ["vitest", "run", "--config", "test/vitest.config.ts", "--reporter", "dot", ...places],
    { env: { ...process.env, WAYPOST_SPLIT: String(seed) }, encoding: "utf8" },
  );
  if (status !== 0) failed.push(seed);
  if (status !== 0) console.log(stdout);
  console.log(`seed ${seed}: ${status === 0 ? "the same answers" : "other answers"}`);
}
process.exitCode = failed.length === 0 ? 0 : 1;
