/** Power losses under load: only what the last successful sync wrote survives. `node test/long/power-loss-store.ts [loops]`; 30 by
 *  default. Then a check of this suite: with a disk whose syncs do nothing, losses must be seen. Then a disk whose syncs fail for a
 *  time: the process must end and say why. The next process starts on the repaired disk and loses its power. Nothing that either of
 *  them acknowledged may be lost. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { openStore } from "#/storage/open-store.ts";
import { didNotRun } from "./did-not-run.ts";
import { beginPowerLoss, buildDiskShim } from "./disk-shim.ts";
import { findInvitationLosses } from "./invitation-load.ts";
import { findItemLosses, ItemReaders } from "./item-load.ts";
import { findLosses, readJournal } from "./journal.ts";
import { prepareStore } from "./store-load.ts";
import { runUntilKilled } from "./victim.ts";

const loops = Number(process.argv[2] ?? 30);
const base = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-power-"));
const spare = path.join(base, "spare");
const journal = path.join(base, "journal");
const shim = buildDiskShim(base);
if ("reason" in shim) didNotRun(shim.reason);
const { library } = shim;
const startedAt = Date.now();
let folder = "";
let readers = new ItemReaders();
let faults = 0;
let acknowledged = 0;

async function freshStore(): Promise<void> {
  if (folder !== "") fs.rmSync(folder, { recursive: true });
  folder = fs.mkdtempSync(path.join(base, "store-"));
  fs.writeFileSync(journal, "");
  readers = new ItemReaders();
  await using store = await openStore({ folder });
  await prepareStore(store, 8);
}

async function inspect(): Promise<string[]> {
  await using store = await openStore({ folder });
  const lines = readJournal(journal);
  return [
    ...(await findLosses(store, lines)),
    ...(await findItemLosses(store, lines)),
    ...(await findInvitationLosses(store, lines)),
    ...(await readers.follow(store)),
    ...(await store.check()),
  ];
}

function report(name: string, findings: readonly string[]): void {
  for (const finding of findings) console.log(`  ${name}: ${finding}`);
  faults += findings.length;
}

for (let loop = 1; loop <= loops; loop++) {
  // A new store every five losses: each sync copies its file, so it must stay small.
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

let seen = 0;
for (let attempt = 1; attempt <= 3 && seen === 0; attempt++) {
  await freshStore();
  const { environment, restore } = beginPowerLoss(library, folder, spare);
  await runUntilKilled({ folder, journal, tag: "lie", environment: { ...environment, SHADOW_LIE: "1" } });
  restore();
  seen = (await inspect()).length;
  const told = readJournal(journal).filter(({ isDone }) => isDone).length;
  console.log(`a disk that lies: ${told} acknowledged, ${seen} losses seen`);
}
if (seen === 0) report("a disk that lies", ["no loss was seen, so this suite would see none"]);

/** Ends of the names of files whose syncs fail. A sync of "waypost.db" happens only in a checkpoint. */
const failures = ["", "-wal", "waypost.db", "-wal", "waypost.db", "-wal"];
for (const [number, ending] of failures.entries()) {
  await freshStore();
  const power = beginPowerLoss(library, folder, spare);
  const broken = path.join(base, "broken");
  const environment = { ...power.environment, SYNC_FAILS: broken };
  const name = `syncs of *${ending} fail`;
  const first = await runUntilItEnds(`s${number}`, environment, () => fs.writeFileSync(broken, ending));
  if (first.code !== 1 || !first.said.includes("can no longer be trusted"))
    report(name, [`the process did not end with its reason: exit code ${first.code}, "${first.said}"`]);
  // Starts on the disk that is still broken: it must accept no write, and keep everything for the next start.
  if (number % 2 === 0) {
    const before = readJournal(journal).length;
    const again = await runUntilItEnds(`a${number}`, environment, () => {});
    if (again.code === 0 || readJournal(journal).length > before)
      report(name, [`a start on the broken disk took writes, or did not fail: "${again.said}"`]);
  }
  fs.rmSync(broken);
  await runUntilKilled({ folder, journal, tag: `n${number}`, environment });
  power.restore();
  const findings = await inspect();
  report(name, findings);
  console.log(`${name}, a restart, a power loss: "${first.said}"; ${findings.length} faults`);
}

fs.rmSync(base, { recursive: true });
console.log(`${faults === 0 ? "passed" : "failed"} in ${Math.round((Date.now() - startedAt) / 1000)} s`);
process.exitCode = faults === 0 ? 0 : 1;

/** Calls `breakDisk` when some writes are acknowledged, and waits until the process ends. */
async function runUntilItEnds(
  tag: string,
  environment: Readonly<Record<string, string>>,
  breakDisk: () => void,
): Promise<{ code: number | null; said: string }> {
  const load = new URL("store-load.ts", import.meta.url).pathname;
  const child = spawn(process.execPath, [load, folder, journal, tag], {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "inherit", "pipe"],
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  const ended = once(child, "exit");
  const enough = fs.statSync(journal).size + 10_000;
  while (fs.statSync(journal).size < enough && child.exitCode === null)
    await new Promise((resolve) => setTimeout(resolve, 10));
  breakDisk();
  const patience = setTimeout(() => child.kill("SIGKILL"), 60_000);
  const [code] = (await ended) as [number | null];
  clearTimeout(patience);
  const reason = said.split("\n").find((line) => /can no longer be trusted|Error: /.test(line));
  return { code, said: (reason ?? said).trim().slice(0, 300) };
}
