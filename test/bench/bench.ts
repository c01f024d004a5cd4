/** `npm run bench [seconds] -- [--only latency,deliveries,imap,json] [--mailboxes 50] [--rounds 1]`: measures a daemon, started as users start it,
 *  and its peers on the same machine with the same client: the bare `smtp-server` package, Dovecot's LMTP where it is installed, and
 *  the bare `node:http`. Prints tables in Markdown. Each rate is measured for the given number of seconds (3 by default), those of deliveries
 *  `--rounds` times in turns with the peers, of which the median counts.
 *
 *  Every rate counts only verified results: a message by its 250 and again in its mailbox at the end, an envelope by its FETCH line,
 *  a description by its text. CPU is the processor time of the process and its children. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { openWatch } from "../support/clients/events.ts";
import { connectRawImap } from "../support/clients/raw-imap.ts";
import { type ChildDaemon, manyRequests, startChildDaemon } from "../support/daemon.ts";
import { startDnsServer } from "../support/servers/dns-server.ts";
import { measureDeliveries } from "./deliveries.ts";
import { openIdle } from "./idle-client.ts";
import { measureJson } from "./json-reading.ts";
import { percentile } from "./measuring.ts";
import { benchZone } from "./signed-mail.ts";
import { runSmtpLoad } from "./smtp-load.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: "string" },
    mailboxes: { type: "string", default: "50" },
    rounds: { type: "string", default: "1" },
  },
});
const seconds = Number(positionals[0] ?? 3);
const only = values.only?.split(",");
const isWanted = (part: string): boolean => only?.includes(part) ?? true;
const kibibyte = 1024;
const mailboxes = Number(values.mailboxes);
const envelopeCount = 10_000;
const probes = 200;

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-bench-"));
const delayFile = path.join(folder, "loop-delay.json");
await using dns = await startDnsServer(benchZone);
const preload = new URL("loop-delay.ts", import.meta.url).pathname;
const daemon = await startChildDaemon({
  agents: mailboxes + 2,
  data: path.join(folder, "data"),
  set: [
    ...manyRequests,
    "limits.streams_per_token=100",
    `dns.servers=${dns.address}`,
    // The log line of each message is part of its cost.
    "log.level=info",
    `log.file=${path.join(folder, "log")}`,
  ],
  env: { ...process.env, NODE_OPTIONS: `--import=${preload}`, LOOP_DELAY_FILE: delayFile },
});
const recipients = daemon.agents.slice(0, mailboxes).map(({ address }) => address);
let accepted = 0;
let lastReport = 0;

try {
  say(
    `# Benchmark\n\n${os.cpus().length} × ${os.cpus()[0]?.model.trim()}, Node ${process.version}, started in ${daemon.startMs.toFixed(0)} ms\n`,
  );
  if (isWanted("latency")) await measureLatency(daemon);
  if (isWanted("deliveries"))
    accepted += await measureDeliveries({
      ...{ daemon, recipients, seconds, takeLoopDelay, say },
      rounds: Number(values.rounds),
    });
  if (isWanted("imap")) await measureImap(daemon);
  if (isWanted("json")) {
    const mailbox = daemon.agents[mailboxes]!;
    await measureJson({ daemon, mailbox, seconds, takeLoopDelay, say });
  }
  await verifyAccepted(daemon);
} finally {
  await daemon.stop();
  fs.rmSync(folder, { recursive: true, force: true });
}

async function measureImap({ smtp, imap, agents }: ChildDaemon): Promise<void> {
  const { address, password } = agents[mailboxes]!;
  const load = { port: smtp.port, connections: 50, bodyBytes: 2 * kibibyte, recipients: [address] };
  const filled = await runSmtpLoad({ ...load, count: envelopeCount });
  if (filled.accepted !== envelopeCount) throw new Error(`only ${filled.accepted} messages were accepted`);
  await using client = await connectRawImap(imap);
  await client.command(`LOGIN ${address} ${password}`);
  await client.command("SELECT INBOX");
  const times: number[] = [];
  await takeLoopDelay();
  for (let round = 0; round < 5; round++) {
    const start = performance.now();
    const { untagged } = await client.command("FETCH 1:* (UID FLAGS INTERNALDATE RFC822.SIZE ENVELOPE)");
    times.push(performance.now() - start);
    const fetched = untagged.filter(({ text }) => / FETCH .*ENVELOPE \(/.test(text)).length;
    if (fetched !== envelopeCount) throw new Error(`FETCH gave ${fetched} of ${envelopeCount} envelopes`);
  }
  const loop = await takeLoopDelay();
  const sorted = Float64Array.from(times).sort();
  say("\n## Reading\n");
  say("| what | result | loop delay p99 ms |");
  say("|---|--:|--:|");
  say(
    `| IMAP FETCH of ${envelopeCount} envelopes, median of 5 | ${percentile(sorted, 50)} ms | ${loop.p99.toFixed(1)} |`,
  );
}

/** Measures the time from the last octet of a message to its event and its EXISTS, one message at a time. */
async function measureLatency({ smtp, imap, http: { url }, agents }: ChildDaemon): Promise<void> {
  const { address, password, token } = agents[mailboxes + 1]!;
  const watch = await openWatch(url, token, {});
  const idle = await openIdle({ ...imap, user: address, password });
  const events: number[] = [];
  const pushes: number[] = [];
  for (let probe = 0; probe < probes; probe++) {
    const sent = runSmtpLoad({
      port: smtp.port,
      connections: 1,
      bodyBytes: 2 * kibibyte,
      recipients: [address],
      count: 1,
    });
    const eventAt = watch.take(1).then(() => performance.now());
    const pushAt = idle.nextExists().then(() => performance.now());
    const { lastSentAt: start } = await sent;
    events.push(Math.max(0, (await eventAt) - start));
    pushes.push(Math.max(0, (await pushAt) - start));
    accepted++;
    await delay(5);
  }
  await watch.close();
  idle.close();
  say("## Latency, unloaded\n");
  say("| from the last octet of a message to | p50 ms | p99 ms |");
  say("|---|--:|--:|");
  for (const [name, samples] of [
    ["its event in watch", events],
    ["EXISTS in IDLE", pushes],
  ] as const) {
    const sorted = Float64Array.from(samples).sort();
    say(`| ${name} | ${percentile(sorted, 50)} | ${percentile(sorted, 99)} |`);
  }
}

async function verifyAccepted({ imap, agents }: ChildDaemon): Promise<void> {
  let stored = 0;
  for (const [index, { address, password }] of agents.entries()) {
    if (index === mailboxes) continue;
    await using client = await connectRawImap(imap);
    await client.command(`LOGIN ${address} ${password}`);
    const { untagged } = await client.command("STATUS INBOX (MESSAGES)");
    stored += Number(/MESSAGES (\d+)/.exec(untagged.map(({ text }) => text).join("\n"))?.[1]);
  }
  if (stored !== accepted) throw new Error(`${accepted} messages were accepted and ${stored} are there`);
  say(`\n${accepted} messages were accepted, and all of them are in their mailboxes.`);
}

interface LoopDelay {
  readonly count: number;
  readonly p99: number;
  readonly max: number;
}

/** The daemon's loop delay since the last call. */
async function takeLoopDelay(): Promise<LoopDelay> {
  daemon.process.kill("SIGUSR2");
  for (;;) {
    await delay(20);
    if (!fs.existsSync(delayFile)) continue;
    const report = JSON.parse(fs.readFileSync(delayFile, "utf8")) as LoopDelay;
    if (report.count === lastReport) continue;
    lastReport = report.count;
    return report;
  }
}

function say(line: string): void {
  console.log(line);
}
