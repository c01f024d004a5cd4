/** Power losses of the whole daemon under load by SMTP, IMAP, CalDAV and JSON: only what the last successful sync wrote survives.
 *  Nothing that was acknowledged is lost, and `waypost check` is clean each time. `node test/long/power-loss.ts [loops]`; 30 by
 *  default. Then a check of this suite: with a disk whose syncs do nothing, losses must be seen. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { startChildDaemon } from "../support/daemon.ts";
import { checkStore, findLosses, kill, loadedDaemon, openLedger, startLoad } from "./daemon-load.ts";
import { didNotRun } from "./did-not-run.ts";
import { beginPowerLoss, buildDiskShim } from "./disk-shim.ts";
import { killMoment } from "./kill-moment.ts";

const loops = Number(process.argv[2] ?? 30);
const base = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-power-daemon-"));
const spare = path.join(base, "spare");
const shim = buildDiskShim(base);
if ("reason" in shim) didNotRun(shim.reason);
const { library } = shim;
const startedAt = Date.now();
let data = "";
let ledger = openLedger();
let acknowledged = 0;
let faults = 0;

/** Makes a new store. Each sync copies what it makes durable, so a store must stay small. */
async function freshStore(): Promise<void> {
  if (data !== "") fs.rmSync(data, { recursive: true });
  data = fs.mkdtempSync(path.join(base, "data-"));
  ledger = openLedger();
  const daemon = await startChildDaemon({ ...loadedDaemon, data });
  await daemon.stop();
}

/** One run that ends with a power loss. Returns what was lost. */
async function losePower(environment: Readonly<Record<string, string>> = {}): Promise<string[]> {
  const power = beginPowerLoss(library, data, spare);
  const env = { ...process.env, ...power.environment, ...environment };
  const before = ledger.acknowledged;
  {
    const daemon = await startChildDaemon({ ...loadedDaemon, data, env });
    const load = startLoad(daemon, ledger);
    await killMoment(() => ledger.acknowledged, 700);
    await kill(daemon);
    await load.stop();
  }
  acknowledged += ledger.acknowledged - before;
  power.restore();
  const findings = checkStore(data);
  await using daemon = await startChildDaemon({ ...loadedDaemon, data });
  return [...findings, ...(await findLosses(daemon, ledger, true))];
}

for (let loop = 1; loop <= loops; loop++) {
  if (loop % 5 === 1) await freshStore();
  const findings = await losePower();
  for (const finding of findings.slice(0, 20)) console.log(`  loss ${loop}: ${finding}`);
  faults += findings.length;
  if (loop % 10 === 0 || loop === loops)
    console.log(`${loop} power losses, ${acknowledged} acknowledged, ${faults} faults`);
}

await freshStore();
const seen = await losePower({ SHADOW_LIE: "1" }).catch((error: unknown) => [String(error)]);
console.log(`a disk that lies: ${seen.length} losses seen`);
if (seen.length === 0) {
  console.log("  no loss was seen, so this suite would see none");
  faults++;
}
fs.rmSync(base, { recursive: true });
const isGood = faults === 0 && acknowledged > 0;
console.log(`${isGood ? "passed" : "failed"} in ${Math.round((Date.now() - startedAt) / 1000)} s`);
process.exitCode = isGood ? 0 : 1;
