/** `npm run bench [seconds]`: one run that measures a daemon, as everybody starts it, against the bare `smtp-server` package on the
 *  same machine with the same client, and prints tables in Markdown. Each rate is measured for so many seconds (3 by default).
 *
 *  Every rate counts what was verified: a message by its 250, and all of them again in the mailboxes at the end; an envelope by
 *  its FETCH line; a description by its text. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { type ChildDaemon, manyRequests, startChildDaemon } from "../support/daemon.ts";
import { openWatch, postJson } from "../support/events.ts";
import { connectRawImap } from "../support/raw-imap.ts";
import { openIdle } from "./idle-client.ts";
import { runSmtpLoad, type SmtpResult } from "./smtp-load.ts";

const seconds = Number(process.argv[2] ?? 3);
const kibibyte = 1024;
const sizes = [
  ["4 KiB", 4 * kibibyte],
  ["50 KiB", 50 * kibibyte],
  ["1 MiB", 1024 * kibibyte],
] as const;
const connectionCounts = [1, 10, 50];
const mailboxes = 50;
const envelopeCount = 10_000;
const probes = 200;

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-bench-"));
const delayFile = path.join(folder, "loop-delay.json");
const preload = new URL("loop-delay.ts", import.meta.url).pathname;
const sink = await startNullSink();
const daemon = await startChildDaemon({
  agents: mailboxes + 2,
  data: path.join(folder, "data"),
  set: [
    ...manyRequests,
    "limits.streams_per_token=100",
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
  await measureLatency(daemon);
  await measureSmtp(daemon, sink.port);
  await measureImap(daemon);
  await measureDescriptions(daemon);
  await verifyAccepted(daemon);
} finally {
  sink.close();
  await daemon.stop();
  fs.rmSync(folder, { recursive: true, force: true });
}

async function measureSmtp({ smtp }: ChildDaemon, sinkPort: number): Promise<void> {
  say("\n## Durable SMTP deliveries\n");
  say(
    "| message | connections | null sink /s | Waypost /s | ratio | p50 ms | p99 ms | loop delay p99 ms | max ms |",
  );
  say("|---|--:|--:|--:|--:|--:|--:|--:|--:|");
  for (const [name, bodyBytes] of sizes)
    for (const connections of connectionCounts) {
      const load = { connections, bodyBytes, recipients, seconds };
      const bare = await runSmtpLoad({ ...load, port: sinkPort });
      await takeLoopDelay();
      const ours = await runSmtpLoad({ ...load, port: smtp.port });
      const loop = await takeLoopDelay();
      accepted += ours.accepted;
      const ratio = ours.perSecond / bare.perSecond;
      say(
        `| ${name} | ${connections} | ${rate(bare)} | ${rate(ours)} | ${ratio.toFixed(2)} | ${percentile(ours.latencies, 50)} | ${percentile(ours.latencies, 99)} | ${loop.p99.toFixed(1)} | ${loop.max.toFixed(1)} |`,
      );
    }
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

async function measureDescriptions({ http: { url }, agents }: ChildDaemon): Promise<void> {
  const token = agents[mailboxes]!.token;
  const listing = JSON.stringify(await postJson(url, "search", token, { limit: 50 }));
  const ids = [...new Set(listing.match(/message_[0-9a-z]{26}/g) ?? [])];
  if (ids.length === 0) throw new Error(`search lists no message: ${listing.slice(0, 200)}`);
  const agent = new http.Agent({ keepAlive: true, maxSockets: 16 });
  const end = performance.now() + seconds * 1000;
  let count = 0;
  await takeLoopDelay();
  await Promise.all(
    Array.from({ length: 16 }, async (_, worker) => {
      for (let number = worker; performance.now() < end; number++) {
        const answer = await post(agent, `${url}/v1/part.describe`, token, { id: ids[number % ids.length] });
        if (!answer.includes("lazy dog")) throw new Error(`part.describe answers ${answer.slice(0, 300)}`);
        count++;
      }
    }),
  );
  const loop = await takeLoopDelay();
  agent.destroy();
  say(
    `| part.describe over HTTP, 16 connections | ${Math.round(count / seconds)} /s | ${loop.p99.toFixed(1)} |`,
  );
}

function post(agent: http.Agent, url: string, token: string, body: object): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const request = http.request(url, { method: "POST", agent, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => resolve(text));
      response.on("error", reject);
    });
    request.on("error", reject);
    request.end(JSON.stringify(body));
  });
}

/** From the last octet of a message to the news of it, one message at a time. */
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

/** What the daemon measured since the last time. */
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

async function startNullSink(): Promise<{ readonly port: number; close(): void }> {
  const script = new URL("null-sink.ts", import.meta.url).pathname;
  const child = spawn(process.execPath, [script], { stdio: ["pipe", "pipe", "inherit"] });
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  return { port: (JSON.parse(line) as { port: number }).port, close: () => child.kill() };
}

function rate({ perSecond }: SmtpResult): string {
  return perSecond < 100 ? perSecond.toFixed(1) : String(Math.round(perSecond));
}

function percentile(sorted: Float64Array, percent: number): string {
  const index = Math.min(sorted.length - 1, Math.ceil((percent / 100) * sorted.length) - 1);
  return (sorted[Math.max(0, index)] ?? Number.NaN).toFixed(1);
}

function say(line: string): void {
  console.log(line);
}
