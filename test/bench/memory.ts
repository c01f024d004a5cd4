/** `npm run bench:memory [pause] [share]`: the memory of a daemon, started as users start it: at rest, under load, and a pause after
 *  each load (60 seconds by default). A share below 1 makes each load smaller by that factor. Prints tables in Markdown, in MB of a
 *  million bytes.
 *
 *  All rows are measured in one process, so each row begins with the memory that the row before has left. Only on Linux. */
import fs from "node:fs";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { postJson } from "../support/clients/events.ts";
import { manyRequests, startChildDaemon } from "../support/daemon.ts";
import { type IdleClient, openIdle } from "./idle-client.ts";
import { ImapConnection } from "./imap-connection.ts";
import { createHeapReporter, type Heaps, memoryOf } from "./process-memory.ts";
import { runSmtpLoad } from "./smtp-load.ts";
import { openWatchStream, type WatchStream } from "./watch-stream.ts";

const pauseMs = Number(process.argv[2] ?? 60) * 1000;
const share = Number(process.argv[3] ?? 1);
const mailboxes = 10;
const deliveries = 10_000 * share;
const largeDeliveries = 500 * share;
const reads = 10_000 * share;
const listeners = 1000;
const kibibyte = 1024;

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-bench-"));
const reporter = createHeapReporter(folder);
const daemon = await startChildDaemon({
  agents: mailboxes,
  data: path.join(folder, "data"),
  set: [
    ...manyRequests,
    `limits.streams_per_token=${listeners}`,
    `http.max_connections=${listeners + 100}`,
    `http.max_connections_per_login=${listeners + 100}`,
    `imap.max_connections=${listeners + 100}`,
    `imap.max_connections_per_login=${listeners + 100}`,
    "limits.connections_share_of_account=1",
  ],
  env: reporter.env,
});
// Restarts, because the first start makes a certificate, the accounts and the store.
await daemon.restart();
const pid = daemon.process.pid!;
const { smtp, imap, agents } = daemon;
const threads: [row: string, heaps: Heaps][] = [];

try {
  say(`# Memory\n\n${os.cpus().length} × ${os.cpus()[0]?.model.trim()}, Node ${process.version}\n`);
  say("| | resident | anonymous | heaps | of that used | array buffers | native rest | files |");
  say("|---|--:|--:|--:|--:|--:|--:|--:|");
  await delay(pauseMs);
  await row("at rest");
  await deliver(deliveries, 4 * kibibyte);
  await row(`after ${deliveries} deliveries of 4 KiB`);
  await later();
  await describe();
  await row(`after ${reads} part.describe`);
  await fetchBodies();
  await row(`after FETCH of ${reads} bodies`);
  await later();
  const idle = await openAll(openIdleSession);
  await row(`with ${listeners} connections in IDLE`);
  for (const client of idle) client.close();
  await later();
  const streams = await openAll(openStream);
  await row(`with ${listeners} streams of watch`);
  for (const stream of streams) stream.close();
  await later();
  await deliver(largeDeliveries, kibibyte * kibibyte);
  await row(`after ${largeDeliveries} deliveries of 1 MiB`);
  await later();
  sayThreads();
} finally {
  await daemon.stop();
  fs.rmSync(folder, { recursive: true, force: true });
}

async function row(name: string): Promise<void> {
  const { resident, anonymous } = memoryOf(pid);
  const heaps = await reporter.take(pid);
  threads.push([name, heaps]);
  const { committed, used, arrayBuffers } = heaps;
  const cells = [
    resident,
    anonymous,
    committed,
    used,
    arrayBuffers,
    anonymous - committed - arrayBuffers,
    resident - anonymous,
  ];
  say(`| ${name} | ${cells.map(megabytes).join(" | ")} |`);
}

async function later(): Promise<void> {
  await delay(pauseMs);
  await row(`${pauseMs / 1000} s later`);
}

function sayThreads(): void {
  const names = [...new Set(threads.flatMap(([, heaps]) => heaps.threads.map(({ name }) => name)))];
  say("\n## Heaps by thread\n\nReserved of the system, several threads of one name together.\n");
  say(`| | ${names.join(" | ")} |`);
  say(`|---|${"--:|".repeat(names.length)}`);
  for (const [name, heaps] of threads) {
    const cells = names.map((thread) => {
      const those = heaps.threads.filter((heap) => heap.name === thread);
      return those.length === 0 ? "" : megabytes(those.reduce((sum, { committed }) => sum + committed, 0));
    });
    say(`| ${name} | ${cells.join(" | ")} |`);
  }
}

async function deliver(count: number, bodyBytes: number): Promise<void> {
  const recipients = agents.map(({ address }) => address);
  const { accepted } = await runSmtpLoad({ port: smtp.port, connections: 10, bodyBytes, recipients, count });
  if (accepted !== count) throw new Error(`only ${accepted} of ${count} messages were accepted`);
}

async function describe(): Promise<void> {
  const { url } = daemon.http;
  const token = agents[0]!.token;
  const listing = JSON.stringify(await postJson(url, "search", token, { limit: 50 }));
  const ids = [...new Set(listing.match(/message_[0-9a-z]{26}/g) ?? [])];
  const agent = new http.Agent({ keepAlive: true, maxSockets: 16 });
  await Promise.all(
    Array.from({ length: 16 }, async (_, worker) => {
      for (let number = worker; number < reads; number += 16) {
        const body = JSON.stringify({ id: ids[number % ids.length] });
        const status = await post(agent, `${url}/v1/part.describe`, token, body);
        if (status !== 200) throw new Error(`part.describe answers ${status}`);
      }
    }),
  );
  agent.destroy();
}

function post(agent: http.Agent, url: string, token: string, body: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const request = http.request(url, { method: "POST", agent, headers }, (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode));
    });
    request.on("error", reject);
    request.end(body);
  });
}

async function fetchBodies(): Promise<void> {
  let fetched = 0;
  for (const agent of agents) {
    const connection = await ImapConnection.open(imap, agent);
    await connection.command("SELECT INBOX");
    const { frames } = await connection.command("FETCH 1:* (UID BODY.PEEK[])");
    fetched += frames.length;
    connection.close();
  }
  if (fetched < reads) throw new Error(`FETCH gave ${fetched} of ${reads} bodies`);
}

async function openAll<Listener>(open: (number: number) => Promise<Listener>): Promise<Listener[]> {
  const opened: Listener[] = [];
  while (opened.length < listeners)
    opened.push(
      ...(await Promise.all(Array.from({ length: 50 }, (_, index) => open(opened.length + index)))),
    );
  return opened;
}

function openIdleSession(number: number): Promise<IdleClient> {
  const { address, password } = agents[number % mailboxes]!;
  return openIdle({ ...imap, user: address, password });
}

function openStream(number: number): Promise<WatchStream> {
  const { id, token } = agents[number % mailboxes]!;
  return openWatchStream(daemon.http.url, token, { mailbox: id });
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(0);
}

function say(line: string): void {
  console.log(line);
}
