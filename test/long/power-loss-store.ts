/** Power loss under load: only what the last successful sync saw survives. `node test/long/power-loss-store.ts [loops]`; 30 by
 *  default. Then the counter-check (a disk whose syncs do nothing must be seen to lose mail), and a disk whose syncs fail:
 *  the process has to end, saying why, and nothing it had acknowledged may be gone. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { openStore } from "#/storage/store.ts";
import { beginPowerLoss, buildDiskShim } from "./disk-shim.ts";
import { findLosses, readJournal } from "./journal.ts";
import { prepareStore } from "./store-load.ts";
import { runUntilKilled } from "./victim.ts";

const loops = Number(process.argv[2] ?? 30);
const base = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-power-"));
const spare = path.join(base, "spare");
const journal = path.join(base, "journal");
const shim = buildDiskShim(base);
if ("reason" in shim) {
  console.log(`skipped: ${shim.reason}`);
  process.exit(0);
}
const { library } = shim;
const startedAt = Date.now();
let folder = "";
let faults = 0;
let acknowledged = 0;

async function freshStore(): Promise<void> {
  if (folder !== "") fs.rmSync(folder, { recursive: true });
  folder = fs.mkdtempSync(path.join(base, "store-"));
  fs.writeFileSync(journal, "");
  await using store = await openStore({ folder });
  await prepareStore(store, 8);
}

async function inspect(): Promise<string[]> {
  await using store = await openStore({ folder });
  return [...(await findLosses(store, readJournal(journal))), ...(await store.check())];
}

function report(name: string, findings: readonly string[]): void {
  for (const finding of findings) console.log(`  ${name}: ${finding}`);
  faults += findings.length;
}

for (let loop = 1; loop <= loops; loop++) {
  // A store grows for five losses; each sync copies its file, so it is kept small.
  if (loop % 5 === 1) await freshStore();
  const before = readJournal(journal).length;
  const { environment, restore } = beginPowerLoss(library, folder, spare);
  await runUntilKilled({ folder, journal, tag: `p${loop}`, environment });
  restore();
  report(`loss ${loop}`, await inspect());
  acknowledged += readJournal(journal)
    .slice(before)
    .filter(({ isDone }) => isDone).length;
  if (loop % 10 === 0 || loop === loops)
    console.log(`${loop} power losses, ${acknowledged} acknowledged, ${faults} faults`);
}

await freshStore();
const lying = beginPowerLoss(library, folder, spare);
await runUntilKilled({ folder, journal, tag: "lie", environment: { ...lying.environment, SHADOW_LIE: "1" } });
lying.restore();
const seen = (await inspect()).length;
console.log(`a disk that lies: ${seen} losses seen`);
if (seen === 0) report("a disk that lies", ["no loss was seen, so this suite would see none"]);

await freshStore();
const failing = beginPowerLoss(library, folder, spare);
const broken = path.join(base, "broken");
const load = new URL("store-load.ts", import.meta.url).pathname;
const child = spawn(process.execPath, [load, folder, journal, "sync"], {
  env: { ...process.env, ...failing.environment, SYNC_FAILS: broken },
  stdio: ["ignore", "inherit", "pipe"],
});
let said = "";
child.stderr.setEncoding("utf8").on("data", (text: string) => {
  said += text;
});
const ended = once(child, "exit");
while (fs.statSync(journal).size < 10_000 && child.exitCode === null)
  await new Promise((resolve) => setTimeout(resolve, 10));
fs.writeFileSync(broken, "");
const patience = setTimeout(() => child.kill("SIGKILL"), 20_000);
const [code] = await ended;
clearTimeout(patience);
failing.restore();
console.log(`a disk whose syncs fail: exit code ${code}, "${said.trim()}"`);
if (code !== 1 || !said.includes("can no longer be trusted"))
  report("a disk whose syncs fail", ["the process did not end with its reason"]);
report("a disk whose syncs fail", await inspect());

fs.rmSync(base, { recursive: true });
console.log(`${faults === 0 ? "passed" : "failed"} in ${Math.round((Date.now() - startedAt) / 1000)} s`);
process.exitCode = faults === 0 ? 0 : 1;
