/** `npm run bench:stores [seconds] -- [--daemons 3] [--only deliveries,reading,daemons]`: the same daemon on SQLite and on PostgreSQL, one
 *  after the other in each row. The PostgreSQL server runs on the same machine with `fsync` on. Then several daemons on one database,
 *  each time followed by one on SQLite. Prints tables in Markdown. CPU is the processor time for one message, of the daemons and of the
 *  database server.
 *
 *  Each message is counted by its 250, and all messages are counted again in their mailboxes at the end. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { startPostgres } from "../postgres/postgres-server.ts";
import { connectRawImap } from "../support/clients/raw-imap.ts";
import { type ChildDaemon, manyRequests, startChildDaemon } from "../support/daemon.ts";
import { percentile, rate } from "./measuring.ts";
import { costOf } from "./process-cost.ts";
import { runSmtpLoad } from "./smtp-load.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { daemons: { type: "string", default: "3" }, only: { type: "string" } },
});
const seconds = Number(positionals[0] ?? 3);
const daemonsMax = Number(values.daemons);
const isWanted = (part: string): boolean => values.only?.split(",").includes(part) ?? true;
const envelopes = 10_000;
const agents = 18;
/** Mailboxes in the rows with many. Of the other two agents, one is read and the last gets the mail of the rows with one mailbox. */
const spread = 16;
const kibibyte = 1024;
const set = [...manyRequests, "log.level=fatal"];

const server = await startPostgres({ isDurable: true });
if (server === undefined) throw new Error("there is no PostgreSQL");
const base = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-bench-stores-"));
const file = await startChildDaemon({ agents, data: path.join(base, "file"), set });
const shared: ChildDaemon[] = [];
/** The number of accepted messages on each store. */
const accepted = { file: 0, shared: 0 };
try {
  await startShared();
  console.log(`# SQLite and PostgreSQL\n\n${os.cpus().length} × ${os.cpus()[0]?.model.trim()}`);
  if (isWanted("deliveries")) await measureDeliveries();
  if (isWanted("reading")) await measureReading();
  if (isWanted("daemons")) await measureDaemons();
  await assertStored();
} finally {
  for (const daemon of [file, ...shared]) await daemon.stop();
  await server.stop();
  fs.rmSync(base, { recursive: true, force: true });
}

async function startShared(): Promise<void> {
  const data = path.join(base, `shared-${shared.length}`);
  shared.push(await startChildDaemon({ agents, data, set: [...set, `storage.url=${server!.url}`] }));
}

interface Taken {
  readonly perSecond: number;
  readonly p99: string;
  readonly daemonMs: number;
  readonly serverMs: number;
}

/** Delivers mail over connections that are spread over the daemons. */
async function deliver(daemons: readonly ChildDaemon[], connections: number, to: number): Promise<Taken> {
  const addresses = daemons[0]!.agents.map(({ address }) => address);
  const recipients = to === 1 ? addresses.slice(-1) : addresses.slice(0, to);
  const costs = (): number[] => [
    daemons.reduce((sum, daemon) => sum + costOf(daemon.process.pid!).cpuMs, 0),
    costOf(server!.process.pid!).cpuMs,
  ];
  const before = costs();
  const results = await Promise.all(
    daemons.map((daemon) =>
      runSmtpLoad({
        port: daemon.smtp.port,
        connections: Math.max(1, Math.floor(connections / daemons.length)),
        bodyBytes: 4 * kibibyte,
        recipients,
        seconds,
      }),
    ),
  );
  const after = costs();
  const taken = results.reduce((sum, result) => sum + result.accepted, 0);
  accepted[daemons[0] === file ? "file" : "shared"] += taken;
  const latencies = Float64Array.from(results.flatMap((result) => [...result.latencies])).sort();
  return {
    perSecond: results.reduce((sum, result) => sum + result.perSecond, 0),
    p99: percentile(latencies, 99),
    daemonMs: (after[0]! - before[0]!) / taken,
    serverMs: (after[1]! - before[1]!) / taken,
  };
}

async function measureDeliveries(): Promise<void> {
  console.log("\n## Durable deliveries of 4 KiB, one daemon\n");
  console.log(
    "| mailboxes | connections | SQLite /s | PostgreSQL /s | of SQLite | SQLite p99 ms | PostgreSQL p99 ms | CPU ms on SQLite | daemon's CPU ms on PostgreSQL | server's CPU ms |",
  );
  console.log(`|--:${"|--:".repeat(9)}|`);
  for (const to of [1, spread])
    for (const connections of [1, 10, 50]) {
      const one = await deliver([file], connections, to);
      const other = await deliver(shared.slice(0, 1), connections, to);
      const cells = [
        to,
        connections,
        rate(one.perSecond),
        rate(other.perSecond),
        (other.perSecond / one.perSecond).toFixed(2),
        one.p99,
        other.p99,
        one.daemonMs.toFixed(2),
        other.daemonMs.toFixed(2),
        other.serverMs.toFixed(2),
      ];
      console.log(`| ${cells.join(" | ")} |`);
    }
}

async function assertStored(): Promise<void> {
  for (const [store, daemon] of [
    ["file", file],
    ["shared", shared[0]!],
  ] as const) {
    const stored = await countStored(daemon);
    if (stored !== accepted[store])
      throw new Error(`${accepted[store]} were accepted and ${stored} are there`);
  }
  console.log(`\nAll ${accepted.file + accepted.shared} messages are in their mailboxes.`);
}

async function countStored({ imap, agents: credentials }: ChildDaemon): Promise<number> {
  let stored = 0;
  for (const { address, password } of credentials) {
    await using client = await connectRawImap(imap);
    await client.command(`LOGIN ${address} ${password}`);
    const { untagged } = await client.command("STATUS INBOX (MESSAGES)");
    stored += Number(/MESSAGES (\d+)/.exec(untagged.map(({ text }) => text).join("\n"))?.[1]);
  }
  return stored;
}

async function measureReading(): Promise<void> {
  console.log(`\n## IMAP on a mailbox of ${envelopes}\n`);
  console.log("| command, median of 5 | SQLite ms | PostgreSQL ms | times |\n|---|--:|--:|--:|");
  const commands = [
    "SELECT INBOX",
    "FETCH 1:* (UID FLAGS)",
    "FETCH 1:* (UID FLAGS INTERNALDATE RFC822.SIZE ENVELOPE)",
    "STORE 1:* +FLAGS.SILENT (\\Flagged)",
    "STORE 1:* -FLAGS.SILENT (\\Flagged)",
  ];
  const clients = [await fillAndLogIn(file, "file"), await fillAndLogIn(shared[0]!, "shared")];
  const taken = clients.map(() => commands.map((): number[] => []));
  for (let round = 0; round < 5; round++)
    for (const [at, command] of commands.entries())
      for (const [store, client] of clients.entries()) {
        const start = performance.now();
        const { untagged } = await client.command(command);
        taken[store]![at]!.push(performance.now() - start);
        const fetched = untagged.filter(({ text }) => / FETCH /.test(text)).length;
        if (command.startsWith("FETCH") && fetched !== envelopes) throw new Error(`${command}: ${fetched}`);
      }
  for (const client of clients) await client[Symbol.asyncDispose]();
  const times = taken.map((each) => each.map((all) => Number(percentile(Float64Array.from(all).sort(), 50))));
  for (const [at, command] of commands.entries()) {
    const [one, other] = [times[0]![at]!, times[1]![at]!];
    console.log(`| ${command} | ${one} | ${other} | ${(other / one).toFixed(1)} |`);
  }
}

async function fillAndLogIn({ smtp, imap, agents: credentials }: ChildDaemon, store: "file" | "shared") {
  const { address, password } = credentials.at(-2)!;
  const load = { port: smtp.port, connections: 50, bodyBytes: 2 * kibibyte, recipients: [address] };
  accepted[store] += (await runSmtpLoad({ ...load, count: envelopes })).accepted;
  const client = await connectRawImap(imap);
  await client.command(`LOGIN ${address} ${password}`);
  return client;
}

async function measureDaemons(): Promise<void> {
  console.log("\n## Durable deliveries of 4 KiB, several daemons on one database, 50 connections\n");
  console.log(
    "| daemons | mailboxes | /s | SQLite /s | of SQLite | p99 ms | daemons' CPU ms | server's CPU ms | CPU ms on SQLite |",
  );
  console.log(`|--:${"|--:".repeat(8)}|`);
  for (let count = 1; count <= daemonsMax; count++) {
    if (shared.length < count) await startShared();
    for (const to of [1, spread]) {
      const taken = await deliver(shared.slice(0, count), 50, to);
      const one = await deliver([file], 50, to);
      const cells = [
        count,
        to,
        rate(taken.perSecond),
        rate(one.perSecond),
        (taken.perSecond / one.perSecond).toFixed(2),
        taken.p99,
        taken.daemonMs.toFixed(2),
        taken.serverMs.toFixed(2),
        one.daemonMs.toFixed(2),
      ];
      console.log(`| ${cells.join(" | ")} |`);
    }
  }
}
