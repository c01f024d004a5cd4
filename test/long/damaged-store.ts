/** A database file with damage in random pages. The process never ends because of it, every start succeeds, other rows can be written,
 *  and `check` names what is damaged. `node test/long/damaged-store.ts [loops]`; 25 by default. */

import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import Database from "better-sqlite3";
import { nobody } from "#/src/model/author.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import { openStore } from "#/storage/open-store.ts";
import { listAgents } from "#/storage/queries/accounts/agents.ts";
import { readJournal } from "./journal.ts";
import { prepareStore, startLoad } from "./store-load.ts";

const loops = Number(process.argv[2] ?? 25);
const pageBytes = 8192;
const base = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-damage-"));
const sound = path.join(base, "sound");
const journal = path.join(base, "journal");
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const startedAt = Date.now();
let faults = 0;
let named = 0;

{
  const store = await openStore({ folder: sound });
  await prepareStore(store, 6);
  const load = await startLoad(store, fs.openSync(journal, "a"), "sound");
  while (readJournal(journal).length < 600) await pause(20);
  await load.stop();
  await store.close();
}
// Work for the sweep of the next start: deleted agents, and blobs without references.
const database = new Database(path.join(sound, "waypost.db"));
database.exec(`update agent set state = 'deleted' where agent_id <= 2;
  delete from address where agent_id <= 2;
  create temp table copy as select * from blob where reference_count > 0 limit 200;
  update copy set blob_id = blob_id + 1000000, reference_count = 0;
  insert into blob select * from copy;
  update account set next_blob_id = 2000000`);
/** Pages of tables that the sweep and the writes use. Pages of the schema are left out: without them there is no store. */
const pages = database
  .prepare(
    "select pageno from dbstat where name in ('blob', 'blob_chunk', 'entry', 'message', 'change', 'thread_key', 'blob_unreferenced')",
  )
  .pluck()
  .all() as number[];
database.close();

for (let loop = 1; loop <= loops; loop++) {
  const folder = path.join(base, "store");
  fs.rmSync(folder, { recursive: true, force: true });
  fs.cpSync(sound, folder, { recursive: true });
  const descriptor = fs.openSync(path.join(folder, "waypost.db"), "r+");
  for (let count = 0; count < 1 + (loop % 4); count++) {
    const page = pages[Math.floor(Math.random() * pages.length)]!;
    const spoilt = Buffer.alloc(64, Math.floor(Math.random() * 256));
    fs.writeSync(descriptor, spoilt, 0, 64, (page - 1) * pageBytes);
  }
  fs.closeSync(descriptor);
  const findings: string[] = [];
  for (const start of ["first", "second"]) {
    const ends: string[] = [];
    const told: string[] = [];
    const store = await openStore({
      folder,
      onFatal: (reason) => ends.push(reason),
      onTrouble: (what) => told.push(what),
    });
    // A write that changes one row only, whatever the sweep does meanwhile.
    let written = 0;
    for (const { agent } of await listAgents(store).catch(() => []))
      for (let count = 0; count < 40; count++)
        await store.write(nobody, "updateAgent", { agent, name: `n${count}` }).then(
          () => written++,
          (error: unknown) => {
            if (!isWaypostError(error)) throw error;
          },
        );
    await store.maintain({ changesMs: 0 }).catch(() => {});
    if (ends.length > 0) findings.push(`${start} start: the process would have ended: ${ends[0]}`);
    else if (written === 0) findings.push(`${start} start: nothing could be written`);
    const checked = ends.length > 0 ? [] : await store.check();
    if (checked.length === 0 && ends.length === 0) findings.push(`${start} start: check finds nothing`);
    named += told.length;
    await store.close();
  }
  for (const finding of findings) console.log(`  loop ${loop}: ${finding}`);
  faults += findings.length;
}
fs.rmSync(base, { recursive: true, force: true });
console.log(`${loops} damaged files, ${named} things set aside, ${faults} faults`);
console.log(`${faults === 0 ? "passed" : "failed"} in ${Math.round((Date.now() - startedAt) / 1000)} s`);
process.exitCode = faults === 0 ? 0 : 1;
