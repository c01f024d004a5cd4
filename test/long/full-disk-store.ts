/** A disk becomes full under load, at random points, and then gets free space again. The store refuses with temporary errors that say
 *  so, nothing that was acknowledged is lost, and it accepts mail again without a restart.
 *  `node test/long/full-disk-store.ts [loops]`; 10 by default. Needs the right to mount a small file system. */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { openStore } from "#/storage/open-store.ts";
import type { Store } from "#/storage/store.ts";
import { didNotRun } from "./did-not-run.ts";
import { findInvitationLosses } from "./invitation-load.ts";
import { findItemLosses, ItemReaders } from "./item-load.ts";
import { findLosses, readJournal } from "./journal.ts";
import { prepareStore, startLoad } from "./store-load.ts";

const loops = Number(process.argv[2] ?? 10);
const base = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-full-"));
const disk = path.join(base, "disk");
const journal = path.join(base, "journal");
fs.mkdirSync(disk);
const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=160m", "tmpfs", disk], { encoding: "utf8" });
if (mounted.status !== 0)
  didNotRun(`a small file system cannot be mounted (${(mounted.stderr ?? "no mount").trim()})`);
let faults = 0;
const startedAt = Date.now();
const ballast = path.join(disk, "ballast");
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

try {
  for (let loop = 1; loop <= loops; loop++) {
    const folder = path.join(disk, "store");
    fs.rmSync(folder, { recursive: true, force: true });
    fs.writeFileSync(journal, "");
    const descriptor = fs.openSync(journal, "a");
    const refusals = new Map<string, number>();
    const findings: string[] = [];
    const readers = new ItemReaders();
    const inspect = async (store: Store): Promise<string[]> => {
      const lines = readJournal(journal);
      return [
        ...(await findLosses(store, lines)),
        ...(await findItemLosses(store, lines)),
        ...(await findInvitationLosses(store, lines)),
        ...(await readers.follow(store)),
        ...(await store.check()),
      ];
    };
    {
      await using store = await openStore({ folder });
      await prepareStore(store, 8);
      const load = await startLoad(store, descriptor, `f${loop}`, (reason) =>
        refusals.set(reason, (refusals.get(reason) ?? 0) + 1),
      );
      await pause(Math.random() * 300);
      fillDisk();
      for (let waited = 0; !refusals.has("store_full") && waited < 10_000; waited += 10) await pause(10);
      if (!refusals.has("store_full")) findings.push("the disk was full and nobody was told");
      await pause(Math.random() * 200);
      const before = readJournal(journal).length;
      fs.rmSync(ballast);
      const isTaking = (): boolean => readJournal(journal).length > before;
      for (let waited = 0; !isTaking() && waited < 10_000; waited += 20) await pause(20);
      if (!isTaking()) findings.push("there is room again and nothing is taken");
      await pause(300);
      await load.stop();
      findings.push(...(await inspect(store)));
    }
    {
      await using again = await openStore({ folder });
      findings.push(...(await inspect(again)));
    }
    fs.closeSync(descriptor);
    for (const finding of findings) console.log(`  loop ${loop}: ${finding}`);
    faults += findings.length;
    const told = [...refusals].map(([reason, count]) => `${reason} ${count}`).join(", ");
    const done = readJournal(journal).filter(({ isDone }) => isDone).length;
    console.log(`loop ${loop}: ${done} acknowledged, refused: ${told}; ${findings.length} faults`);
  }
} finally {
  spawnSync("umount", [disk]);
  fs.rmSync(base, { recursive: true, force: true });
}
console.log(`${faults === 0 ? "passed" : "failed"} in ${Math.round((Date.now() - startedAt) / 1000)} s`);
process.exitCode = faults === 0 ? 0 : 1;

function fillDisk(): void {
  const descriptor = fs.openSync(ballast, "w");
  for (const size of [1 << 20, 1 << 12])
    try {
      const block = Buffer.alloc(size, 1);
      for (;;) fs.writeSync(descriptor, block);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
    }
  fs.closeSync(descriptor);
}
