/** `waypost move` from the file to PostgreSQL while the daemon accepts mail. The move is killed again and again, and the daemon is
 *  stopped when the move asks for it. Every acknowledged message must be in its mailbox on PostgreSQL. Prints how long no daemon ran,
 *  and how much the move slows down the senders.
 *  `node test/long/move-under-load.ts [messages before] [kills]`; 2000 and 4 by default. Skipped without PostgreSQL. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { runSmtpLoad } from "../bench/smtp-load.ts";
import { startPostgres } from "../postgres/postgres-server.ts";
import { connectRawImap } from "../support/clients/raw-imap.ts";
import { type ChildDaemon, manyRequests, startChildDaemon, startScript } from "../support/daemon.ts";
import { didNotRun } from "./did-not-run.ts";

const messages = Number(process.argv[2] ?? 2000);
const kills = Number(process.argv[3] ?? 4);
const server = await startPostgres({ isDurable: true });
if (server === undefined) didNotRun("there is no PostgreSQL");
const base = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-move-load-"));
const data = path.join(base, "data");
const set = [...manyRequests, "log.level=fatal"];
const daemon = await startChildDaemon({ agents: 10, people: 0, data, set });
const recipients = daemon.agents.map(({ address }) => address);
const bodyBytes = 4 * 1024;
let accepted = 0;
const state = { isStopped: false };

const before = await load({ connections: 16, count: messages });
const settings = path.join(base, "waypost.toml");
fs.writeFileSync(settings, `[storage]\nfolder = "${data}"\n`, { mode: 0o600 });
const alone = await load({ connections: 4, seconds: 3 });
const rates: number[] = [];
const sending = send();
const startedAt = performance.now();
for (let count = 1; count <= kills; count++) {
  const mover = startMove();
  await Promise.race([delay(1000 + Math.random() * 3000), mover.asked]);
  mover.child.kill("SIGKILL");
  await mover.ended;
}
const mover = startMove();
await Promise.race([mover.asked, mover.ended]);
const copiedMs = performance.now() - startedAt;
state.isStopped = true;
await sending;
const stoppedAt = performance.now();
await daemon.stop();
const { code, output } = await mover.ended;
if (code !== 0) throw new Error(`waypost move ended with ${code}: ${output}`);
const report = JSON.parse(output.slice(output.indexOf("{"))) as { rows: number; stoppedMs: number };
const there = await startChildDaemon({
  agents: 10,
  people: 0,
  data: path.join(base, "there"),
  set: [...set, `storage.url=${server.url}`],
});
const awayMs = performance.now() - stoppedAt;
const stored = await countStored(there);
await there.stop();
await server.stop();
fs.rmSync(base, { recursive: true });
const rate = rates.reduce((sum, one) => sum + one, 0) / rates.length;
console.log(
  `${report.rows} rows; ${before.toFixed(0)} deliveries/s at first; 4 connections: ${alone.toFixed(0)}/s alone, ${rate.toFixed(0)}/s while it was moved`,
);
console.log(
  `copied in ${(copiedMs / 1000).toFixed(1)} s with ${kills} kills; without a daemon's lock ${report.stoppedMs} ms, from one daemon to the other ${awayMs.toFixed(0)} ms`,
);
const isGood = stored === accepted;
console.log(`${isGood ? "passed" : "failed"}: ${accepted} accepted, ${stored} there`);
process.exitCode = isGood ? 0 : 1;

async function load(amount: { connections: number; count?: number; seconds?: number }): Promise<number> {
  const result = await runSmtpLoad({ port: daemon.smtp.port, bodyBytes, recipients, ...amount });
  accepted += result.accepted;
  return result.perSecond;
}

async function send(): Promise<void> {
  while (!state.isStopped) rates.push(await load({ connections: 4, seconds: 1 }));
}

interface Mover {
  readonly child: ChildProcess;
  /** Resolves when the move asks to stop the daemon. */
  readonly asked: Promise<void>;
  readonly ended: Promise<{ readonly code: number | null; readonly output: string }>;
}

function startMove(): Mover {
  const [program, ...first] = startScript;
  const child = spawn(program!, [...first, "move", "--config", settings, "--to", server!.url, "--json"], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  child.stdout.on("data", (chunk) => (output += String(chunk)));
  child.stderr.on("data", (chunk) => {
    output += String(chunk);
    if (output.includes("Stop the daemon now")) resolve();
  });
  return {
    child,
    asked,
    ended: once(child, "close").then(([code]) => ({ code: code as number | null, output })),
  };
}

async function countStored({ imap, agents }: ChildDaemon): Promise<number> {
  let count = 0;
  for (const { address, password } of agents) {
    await using client = await connectRawImap(imap);
    await client.command(`LOGIN ${address} ${password}`);
    const { untagged } = await client.command("STATUS INBOX (MESSAGES)");
    count += Number(/MESSAGES (\d+)/.exec(untagged.map(({ text }) => text).join("\n"))?.[1]);
  }
  return count;
}
