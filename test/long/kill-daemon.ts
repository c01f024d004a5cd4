/** The whole daemon is killed (SIGKILL) under load by SMTP, IMAP, CalDAV and JSON, again and again on one store. Nothing that was
 *  acknowledged is lost, and `waypost check` is clean each time. `node test/long/kill-daemon.ts [loops]`; 50 by default. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { startChildDaemon } from "../support/daemon.ts";
import { checkStore, findLosses, kill, loadedDaemon, openLedger, startLoad } from "./daemon-load.ts";
import { killMoment } from "./kill-moment.ts";

const loops = Number(process.argv[2] ?? 50);
const base = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-kill-daemon-"));
const data = path.join(base, "data");
const ledger = openLedger();
const startedAt = Date.now();
let faults = 0;
const daemon = await startChildDaemon({ ...loadedDaemon, data });
for (let loop = 1; loop <= loops; loop++) {
  const load = startLoad(daemon, ledger);
  await killMoment(() => ledger.acknowledged, 600);
  await kill(daemon);
  await load.stop();
  const findings = checkStore(data);
  await daemon.restart();
  findings.push(...(await findLosses(daemon, ledger, loop % 10 === 0 || loop === loops)));
  for (const finding of findings.slice(0, 20)) console.log(`  loop ${loop}: ${finding}`);
  faults += findings.length;
  if (loop % 10 === 0 || loop === loops)
    console.log(`${loop} kills, ${ledger.acknowledged} acknowledged, ${faults} faults`);
}
for (const [word, count] of ledger.refusals) console.log(`  refused ${count} times: ${word}`);
await daemon.stop();
fs.rmSync(base, { recursive: true });
const isGood = faults === 0 && ledger.acknowledged > 0;
console.log(`${isGood ? "passed" : "failed"} in ${Math.round((Date.now() - startedAt) / 1000)} s`);
process.exitCode = isGood ? 0 : 1;
