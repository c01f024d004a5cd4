/** Three daemons on one PostgreSQL, each under load by SMTP, IMAP, CalDAV and JSON. One of them is killed again and again, and then the
 *  database server, whose `fsync` is on. Nothing that was acknowledged is lost. Clients move from daemon to daemon with what they know
 *  (cursors of events, QRESYNC, sync-tokens) and miss and repeat nothing.
 *  `node test/long/kill-shared-store.ts [kills of daemons] [kills of the server]`; 4 and 2 by default. Skipped without PostgreSQL. */
import { setTimeout as delay } from "node:timers/promises";
import type { ChildDaemon } from "../support/daemon.ts";
import { findLosses, kill, type Load, loadedDaemon, openLedger, startLoad } from "./daemon-load.ts";
import { didNotRun } from "./did-not-run.ts";
import { followEvents, followMailbox } from "./moving-clients.ts";
import { startSharedStore } from "./shared-store.ts";

const daemonKills = Number(process.argv[2] ?? 4);
const serverKills = Number(process.argv[3] ?? 2);
/** The number of kills between two checks of all messages since the last check. */
const killsBetweenLooks = 5;
const startedAt = Date.now();
const shared = await startSharedStore(loadedDaemon);
if (shared === undefined) didNotRun("there is no PostgreSQL");
const { server, daemons, alive, store, anyDaemon } = shared;
const ledger = openLedger();
const faults: string[] = [];
const state = { isStopped: false };
const moving = { daemon: anyDaemon, state, agent: 0 };
const events = await followEvents(moving);
const mailbox = followMailbox(moving);
const loads = new Map<ChildDaemon, Load>();
const kills = daemonKills + serverKills;
let last = "";
for (let count = 1; count <= kills; count++) {
  for (const daemon of daemons) if (!loads.has(daemon)) loads.set(daemon, load(daemon));
  await delay(1000 + Math.random() * 1500);
  if (count <= daemonKills) await killDaemon(daemons[Math.floor(Math.random() * daemons.length)]!);
  else await killServer();
  if (count % killsBetweenLooks !== 0 && count !== kills) continue;
  await stopLoads();
  const isWhole = count === kills;
  const findings = await findLosses(anyDaemon(), ledger, isWhole);
  faults.push(...findings.map((finding) => `kill ${count}: ${finding}`));
  last = `${count} kills, ${ledger.acknowledged} acknowledged, ${faults.length} faults`;
  console.log(last);
}
state.isStopped = true;
const told = await events.ended;
const held = await mailbox;
for (const [word, number] of ledger.refusals) console.log(`  refused ${number} times: ${word}`);
const { address } = daemons[0]!.agents[moving.agent]!;
faults.push(...(await events.compare(store, address)), ...(await held.compare(anyDaemon())));
console.log(`${told} events were told, and ${held.moves} times a client moved`);
faults.push(...(await shared.end()));
for (const fault of faults.slice(0, 20)) console.log(`  ${fault}`);
const isGood = faults.length === 0 && ledger.acknowledged > 0 && told > 0 && held.moves > 0;
console.log(`${isGood ? "passed" : "failed"} in ${Math.round((Date.now() - startedAt) / 1000)} s`);
process.exitCode = isGood ? 0 : 1;

/** After a 503 the write may be stored: the database may have ended after the commit and before the answer. */
function load(daemon: ChildDaemon): Load {
  return startLoad(daemon, ledger, { isDoubtful: (status) => status === 503 });
}

async function killDaemon(victim: ChildDaemon): Promise<void> {
  alive.delete(victim);
  await kill(victim);
  await loads.get(victim)?.stop();
  loads.delete(victim);
  await victim.restart("SIGKILL");
  alive.add(victim);
}

/** Kills the database server and starts it again. A client that was refused at its login has ended, so all clients begin again. */
async function killServer(): Promise<void> {
  await server.end("SIGKILL");
  for (let tries = 1; ; tries++)
    try {
      await server.start();
      break;
    } catch (error) {
      // The old processes of the server end when they see that the first of them has gone.
      if (tries === 60) throw error;
      await delay(500);
    }
  await delay(1000);
  await stopLoads();
}

async function stopLoads(): Promise<void> {
  for (const one of loads.values()) await one.stop();
  loads.clear();
}
