/** A process that writes with 40 producers is killed (SIGKILL) again and again on one store. Nothing that was acknowledged is lost,
 *  readers of calendars continue from where they were, and the store is sound each time. `node test/long/kill-store.ts [loops]`; 60 by
 *  default. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { openStore } from "#/storage/open-store.ts";
import { findInvitationLosses } from "./invitation-load.ts";
import { findItemLosses, ItemReaders } from "./item-load.ts";
import { findLosses, readJournal } from "./journal.ts";
import { prepareStore } from "./store-load.ts";
import { runUntilKilled } from "./victim.ts";

const loops = Number(process.argv[2] ?? 60);
const base = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-kill-"));
const folder = path.join(base, "store");
const journal = path.join(base, "journal");
fs.writeFileSync(journal, "");
{
  await using store = await openStore({ folder });
  await prepareStore(store, 16);
}
const startedAt = Date.now();
const readers = new ItemReaders();
let faults = 0;
for (let loop = 1; loop <= loops; loop++) {
  await runUntilKilled({ folder, journal, tag: `k${loop}` });
  await using store = await openStore({ folder });
  const lines = readJournal(journal);
  const findings = [
    ...(await findLosses(store, lines)),
    ...(await findItemLosses(store, lines)),
    ...(await findInvitationLosses(store, lines)),
    ...(await readers.follow(store)),
    ...(await store.check()),
  ];
  for (const finding of findings) console.log(`  loop ${loop}: ${finding}`);
  faults += findings.length;
  if (loop % 10 === 0 || loop === loops)
    console.log(
      `${loop} kills, ${lines.filter(({ isDone }) => isDone).length} acknowledged, ${faults} faults`,
    );
}
fs.rmSync(base, { recursive: true });
console.log(`${faults === 0 ? "passed" : "failed"} in ${Math.round((Date.now() - startedAt) / 1000)} s`);
process.exitCode = faults === 0 ? 0 : 1;
