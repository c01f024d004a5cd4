/** A disk becomes full under load, at random points, and then gets free space again. Every port refuses with a temporary error,
 *  nothing that was acknowledged is lost, and the daemon accepts mail again without a restart. `node test/long/disk-full.ts [loops]`;
 *  8 by default. Needs the right to mount a small file system. */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startChildDaemon } from "../support/daemon.ts";
import { checkStore, findLosses, kill, loadedDaemon, openLedger, startLoad } from "./daemon-load.ts";
import { didNotRun } from "./did-not-run.ts";

const loops = Number(process.argv[2] ?? 8);
const base = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-full-daemon-"));
const disk = path.join(base, "disk");
const ballast = path.join(disk, "ballast");
fs.mkdirSync(disk);
const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=192m", "tmpfs", disk], { encoding: "utf8" });
if (mounted.status !== 0) {
  fs.rmSync(base, { recursive: true });
  didNotRun(`a small file system cannot be mounted (${(mounted.stderr ?? "no mount").trim()})`);
}

/** Fills the disk up to a random number of pages. */
function fillDisk(): void {
  const file = fs.openSync(ballast, "w");
  const piece = Buffer.alloc(64 * 1024, 1);
  const left = Math.floor(Math.random() * 512) * 1024;
  for (;;) {
    const { bavail, bsize } = fs.statfsSync(disk);
    if (bavail * bsize <= left + piece.length) break;
    try {
      fs.writeSync(file, piece);
    } catch (error) {
      // The daemon has taken the last free space meanwhile.
      if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
      break;
    }
  }
  fs.closeSync(file);
}

/** Refusals that mean "try later" in their protocol. */
const temporary = /^(?:4\d\d 4\.|NO \[UNAVAILABLE\]|50[37])/;
const startedAt = Date.now();
let faults = 0;
try {
  for (let loop = 1; loop <= loops; loop++) {
    const data = path.join(disk, "data");
    fs.rmSync(data, { recursive: true, force: true });
    const ledger = openLedger();
    const findings: string[] = [];
    {
      await using daemon = await startChildDaemon({ ...loadedDaemon, data });
      const load = startLoad(daemon, ledger);
      await delay(Math.random() * 500);
      fillDisk();
      const isRefused = (): boolean => ledger.refusals.has("452 4.3.1");
      for (let waited = 0; !isRefused() && waited < 15_000; waited += 20) await delay(20);
      if (!isRefused()) findings.push("the disk was full and no sender was told (452 4.3.1)");
      await delay(300 + Math.random() * 300);
      fs.rmSync(ballast);
      const before = ledger.acknowledged;
      for (let waited = 0; ledger.acknowledged < before + 50 && waited < 10_000; waited += 20)
        await delay(20);
      if (ledger.acknowledged < before + 50) findings.push("there is room again and nothing is taken");
      if (loop % 2 === 0) await kill(daemon);
      await load.stop();
      if (daemon.process.exitCode !== null) findings.push(`the daemon ended: ${daemon.stderr()}`);
      const odd = [...ledger.refusals.keys()].filter((word) => !temporary.test(word));
      if (odd.length > 0) findings.push(`refused in other words: ${odd.join(", ")}`);
    }
    findings.push(...checkStore(data));
    {
      await using daemon = await startChildDaemon({ ...loadedDaemon, data });
      findings.push(...(await findLosses(daemon, ledger, true)));
    }
    for (const finding of findings.slice(0, 20)) console.log(`  loop ${loop}: ${finding}`);
    faults += findings.length;
    const heard = [...ledger.refusals].map(([word, count]) => `${count} × ${word}`).join(", ");
    console.log(`${loop}: ${ledger.acknowledged} acknowledged, refused ${heard}`);
  }
} finally {
  spawnSync("umount", [disk]);
  fs.rmSync(base, { recursive: true, force: true });
}
console.log(`${faults === 0 ? "passed" : "failed"} in ${Math.round((Date.now() - startedAt) / 1000)} s`);
process.exitCode = faults === 0 ? 0 : 1;
