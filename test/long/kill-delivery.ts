/** The daemon is killed (SIGKILL) while it delivers mail to another server, again and again. Every acknowledged mail arrives. Only mails
 *  that the other server had just accepted may arrive twice. `node test/long/kill-delivery.ts [loops]`; 15 by default. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import nodemailer from "nodemailer";
import { callDaemon, connectToDaemon } from "#/src/daemon/private-client.ts";
import { startChildDaemon } from "../support/daemon.ts";
import { startDnsServer } from "../support/servers/dns-server.ts";
import { startSink } from "../support/servers/smtp-sink.ts";
import { checkStore, kill } from "./daemon-load.ts";
import { killMoment } from "./kill-moment.ts";

const loops = Number(process.argv[2] ?? 15);
const connections = 5;
const base = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-kill-delivery-"));
const data = path.join(base, "data");
const startedAt = Date.now();

const sink = await startSink({
  // One in ten recipients is refused for now, and some replies are late.
  onRecipient: () => (Math.random() < 0.1 ? { code: 450, text: "4.2.1 later" } : undefined),
  onSlowMessage: (answer) => void setTimeout(answer, Math.random() < 0.3 ? 20 : 0),
});
const dns = await startDnsServer({ "theirs.dev": [["A", "127.0.0.1"]] });
const daemon = await startChildDaemon({
  data,
  agents: 0,
  people: 1,
  set: [
    "server.domain=ours.dev",
    `dns.servers=${dns.address}`,
    `outbound.mx_port=${sink.port}`,
    `outbound.connections_per_domain=${connections}`,
    "outbound.allow_private_addresses=true",
    "limits.sends_per_hour=1000000",
    "limits.sends_per_day=1000000",
  ],
});
const { address, password } = daemon.people[0]!;
const acknowledged = new Set<string>();
let count = 0;

/** Sends mail until it is stopped or the daemon has ended. */
function startSending(): { stop(): Promise<void> } {
  let isStopped = false;
  const senders = Array.from({ length: 4 }, async () => {
    const transport = nodemailer.createTransport({
      host: daemon.submissions.host,
      port: daemon.submissions.port,
      secure: true,
      pool: true,
      maxConnections: 1,
      tls: { rejectUnauthorized: false },
      auth: { user: address, pass: password },
    });
    while (!isStopped) {
      const subject = `mail-${++count}-`;
      try {
        await transport.sendMail({ from: address, to: `${subject}@theirs.dev`, subject, text: "Hello.\n" });
        acknowledged.add(subject);
      } catch {
        break;
      }
    }
    transport.close();
  });
  return {
    async stop() {
      isStopped = true;
      await Promise.all(senders);
    },
  };
}

function arrivals(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { to } of sink.mails) {
    const subject = to[0]!.split("@")[0]!;
    counts.set(subject, (counts.get(subject) ?? 0) + 1);
  }
  return counts;
}

async function ask(operation: string, input: Readonly<Record<string, unknown>>): Promise<unknown> {
  return callDaemon((await connectToDaemon(data))!, { operation, input });
}

async function retryAll(): Promise<number> {
  const { mails } = (await ask("queue.list", {})) as { mails: { id: string }[] };
  // A mail that has just left is refused. That is no fault.
  for (const { id } of mails) await ask("queue.retry", { id }).catch(() => {});
  return mails.length;
}

const findings: string[] = [];
for (let loop = 1; loop <= loops; loop++) {
  const sending = startSending();
  await killMoment(() => acknowledged.size, 500);
  await kill(daemon);
  await sending.stop();
  findings.push(...checkStore(data));
  await daemon.restart();
}
for (let tries = 0; tries < 120 && (await retryAll()) > 0; tries++) await delay(500);

const counts = arrivals();
const lost = [...acknowledged].filter((subject) => !counts.has(subject));
const twice = [...counts.values()].filter((times) => times > 1).length;
if (lost.length > 0) findings.push(`${lost.length} mails were lost, as ${lost[0]}`);
if (twice > loops * connections) findings.push(`${twice} mails came twice`);
for (const finding of findings) console.log(`  ${finding}`);
console.log(
  `${loops} kills, ${acknowledged.size} acknowledged, ${counts.size} arrived, ${twice} of them twice`,
);
await daemon.stop();
await sink[Symbol.asyncDispose]();
await dns[Symbol.asyncDispose]();
fs.rmSync(base, { recursive: true });
const isGood = findings.length === 0 && acknowledged.size > 0;
console.log(`${isGood ? "passed" : "failed"} in ${Math.round((Date.now() - startedAt) / 1000)} s`);
process.exitCode = isGood ? 0 : 1;
