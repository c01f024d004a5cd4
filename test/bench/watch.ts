/** `npm run bench:watch [streams]`: many open `watch` streams (5,000 by default) on a daemon, started as users start it. Measures the
 *  memory of each stream, and the time from a message's last octet until the last stream has its event. Prints a table in Markdown.
 *
 *  One mailbox: all streams watch the mailbox that gets the mail, with one credential, or with 50 through grants. 50 mailboxes: each
 *  gets a mail. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { callDaemon, connectToDaemon } from "#/src/daemon/private-client.ts";
import { type ChildDaemon, manyRequests, startChildDaemon } from "../support/daemon.ts";
import { runSmtpLoad } from "./smtp-load.ts";
import { openWatchStream, type WatchStream } from "./watch-stream.ts";

const streamCount = Number(process.argv[2] ?? 5000);
const mailboxCount = 50;
const probes = 20;
const kibibyte = 1024;

const data = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-bench-"));
const memoryFile = path.join(data, "memory.json");
const preload = new URL("memory-report.ts", import.meta.url).pathname;
let reports = 0;
const daemon = await startChildDaemon({
  agents: mailboxCount,
  data,
  set: [
    ...manyRequests,
    `limits.streams_per_token=${streamCount}`,
    `http.max_connections=${streamCount + 100}`,
    `http.max_connections_per_login=${streamCount + 100}`,
    "limits.connections_share_of_account=1",
  ],
  env: { ...process.env, NODE_OPTIONS: `--import=${preload}`, MEMORY_REPORT_FILE: memoryFile },
});

try {
  const processor = `${os.cpus().length} × ${os.cpus()[0]?.model.trim()}`;
  console.log(`# ${streamCount} watch streams\n\n${processor}, Node ${process.version}\n`);
  console.log("| streams on | KiB each | of it heap | p50 ms to the last | max ms | opened in ms |");
  console.log("|---|--:|--:|--:|--:|--:|");
  // Warms up first: code that runs for the first time and memory that the process keeps are not the cost of a stream.
  const earlier = await openStreams(daemon, Math.min(500, streamCount), {
    tokens: 1,
    mailboxes: 1,
    mailbox: ({ id }) => id,
  });
  for (const stream of earlier) stream.close();
  await delay(500);
  const [shared, ...others] = daemon.agents;
  for (const { address: holder } of others)
    await operate(daemon, "grant.create", { holder, target: shared!.address, scopes: ["mail:read"] });
  await measure(daemon, "one mailbox, one credential", {
    tokens: 1,
    mailboxes: 1,
    mailbox: () => shared!.id,
  });
  await measure(daemon, "one mailbox, 50 credentials", {
    tokens: 50,
    mailboxes: 1,
    mailbox: () => shared!.id,
  });
  await measure(daemon, "50 mailboxes, 50 credentials", {
    tokens: 50,
    mailboxes: 50,
    mailbox: ({ id }) => id,
  });
} finally {
  await daemon.stop();
  fs.rmSync(data, { recursive: true, force: true });
}

interface Load {
  /** The number of credentials that the streams use. */
  readonly tokens: number;
  /** The number of mailboxes that get a mail each. */
  readonly mailboxes: number;
  /** The mailbox that the stream of an agent watches. */
  mailbox(agent: ChildDaemon["agents"][number]): string;
}

async function measure(of: ChildDaemon, name: string, load: Load): Promise<void> {
  await delay(500);
  const { mailboxes } = load;
  const before = await takeMemory(of);
  const opening = performance.now();
  const streams = await openStreams(of, streamCount, load);
  const openedMs = performance.now() - opening;
  const after = await takeMemory(of);
  const each = (key: "rss" | "heapUsed"): string =>
    ((after[key] - before[key]) / streamCount / kibibyte).toFixed(1);
  const times: number[] = [];
  const recipients = of.agents.slice(0, mailboxes).map(({ address }) => address);
  for (let probe = 0; probe < probes; probe++) {
    const told = Promise.all(streams.map((stream) => stream.nextEvent()));
    const { lastSentAt } = await runSmtpLoad({
      port: of.smtp.port,
      connections: 1,
      bodyBytes: 2 * kibibyte,
      recipients,
      count: mailboxes,
    });
    times.push(Math.max(...(await told)) - lastSentAt);
    await delay(20);
  }
  const sorted = times.toSorted((a, b) => a - b);
  console.log(
    `| ${name} | ${each("rss")} | ${each("heapUsed")} | ${sorted[probes >> 1]!.toFixed(0)} | ${sorted.at(-1)!.toFixed(0)} | ${openedMs.toFixed(0)} |`,
  );
  for (const stream of streams) stream.close();
}

async function operate(of: ChildDaemon, operation: string, input: Record<string, unknown>): Promise<void> {
  const socket = await connectToDaemon(of.data);
  await callDaemon(socket!, { operation, input });
}

interface Memory {
  readonly count: number;
  readonly rss: number;
  readonly heapUsed: number;
}

/** The daemon's memory after a garbage collection. */
async function takeMemory({ process: child }: ChildDaemon): Promise<Memory> {
  const before = reports;
  child.kill("SIGUSR2");
  for (;;) {
    await delay(50);
    if (!fs.existsSync(memoryFile)) continue;
    const report = JSON.parse(fs.readFileSync(memoryFile, "utf8")) as Memory;
    reports = report.count;
    if (reports > before) return report;
  }
}

async function openStreams(
  of: ChildDaemon,
  count: number,
  { tokens, mailbox }: Load,
): Promise<WatchStream[]> {
  const streams: WatchStream[] = [];
  while (streams.length < count) {
    const some = Math.min(100, count - streams.length);
    const opening = Array.from({ length: some }, (_, index) => {
      const agent = of.agents[(streams.length + index) % tokens]!;
      return openWatchStream(of.http.url, agent.token, { mailbox: mailbox(agent) });
    });
    streams.push(...(await Promise.all(opening)));
  }
  return streams;
}
