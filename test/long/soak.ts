/** Mild load over every protocol at once, for the given minutes, while the daemon's memory is sampled: node test/long/soak.ts [minutes]
 *
 *  Prints every minute what uses memory. At the end prints the slope of resident memory over the second half, when all bounded caches
 *  are full. Fails when the daemon fails, or when it has more than `residentMax` in memory at any time. Only on Linux. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as delay, setInterval as every } from "node:timers/promises";
import { openIdle } from "../bench/idle-client.ts";
import { ImapConnection } from "../bench/imap-connection.ts";
import { createHeapReporter, memoryOf } from "../bench/process-memory.ts";
import { runSmtpLoad } from "../bench/smtp-load.ts";
import { openWatchStream } from "../bench/watch-stream.ts";
import { manyRequests, startChildDaemon } from "../support/daemon.ts";

const minutes = Number(process.argv[2] ?? 5);
const mailboxes = 6;
const sampleMs = 5000;
/** An hour of this load has needed 409 MB. */
const residentMax = 500e6;

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-soak-"));
const reporter = createHeapReporter(folder);
const daemon = await startChildDaemon({
  agents: mailboxes,
  set: [...manyRequests],
  env: reporter.env,
});
const { agents, imap, smtp, http } = daemon;
const end = performance.now() + minutes * 60_000;
const done = new Map<string, number>();
const samples: { readonly minute: number; readonly resident: number }[] = [];

try {
  const stops: (() => void)[] = [];
  for (const { id, address, password, token } of agents) {
    const idle = await openIdle({ ...imap, user: address, password });
    const stream = await openWatchStream(http.url, token, { mailbox: id });
    stops.push(idle.close, stream.close);
  }
  await Promise.all([
    sample(),
    loop("mail delivered", 50, (turn) => deliver(turn)),
    ...agents.map((agent) => mailClient(agent)),
    ...agents.map((agent) => apiClient(agent)),
    ...agents.map((agent) => calendarClient(agent)),
  ]);
  for (const stop of stops) stop();
} finally {
  await daemon.stop();
  fs.rmSync(folder, { recursive: true, force: true });
}
report();

type Agent = (typeof agents)[number];

async function loop(what: string, pauseMs: number, act: (turn: number) => Promise<void>): Promise<void> {
  for (let turn = 0; performance.now() < end; turn++) {
    await act(turn);
    done.set(what, (done.get(what) ?? 0) + 1);
    await delay(pauseMs);
  }
}

/** Delivers a mail. Most are small, one in fifty has the size of a picture. */
async function deliver(turn: number): Promise<void> {
  const recipients = [agents[turn % mailboxes]!.address];
  const bodyBytes = turn % 50 === 49 ? 1_000_000 : 4000;
  const { accepted } = await runSmtpLoad({
    port: smtp.port,
    connections: 1,
    bodyBytes,
    recipients,
    count: 1,
  });
  if (accepted !== 1) throw new Error("a mail was not accepted");
}

async function mailClient(agent: Agent): Promise<void> {
  await loop("IMAP sessions", 500, async (turn) => {
    const connection = await ImapConnection.open(imap, agent);
    await connection.command("SELECT INBOX");
    await connection.command("FETCH * (UID FLAGS ENVELOPE BODYSTRUCTURE BODY.PEEK[])");
    await connection.command("STORE * +FLAGS (\\Seen)");
    await connection.command(`SEARCH TEXT "message ${turn}"`);
    connection.close();
  });
}

async function apiClient({ token }: Agent): Promise<void> {
  await loop("requests of /v1", 60, async (turn) => {
    const found = await call(token, "search", {
      limit: 10,
      ...(turn % 2 === 0 && { q: `message ${turn}` }),
    });
    const [id] = /message_[0-9a-z]{26}/.exec(found) ?? [];
    if (id !== undefined) await call(token, "part.describe", { id });
  });
}

async function call(token: string, operation: string, body: object): Promise<string> {
  const response = await fetch(`${http.url}/v1/${operation}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  // A refusal below 500 may be right, because mail comes meanwhile. A fault is what the server could not do.
  if (response.status >= 500)
    throw new Error(`${operation} answers ${response.status}: ${text.slice(0, 200)}`);
  return text;
}

async function calendarClient({ address, password }: Agent): Promise<void> {
  const authorization = `Basic ${Buffer.from(`${address}:${password}`).toString("base64")}`;
  await loop("requests of DAV", 300, async () => {
    const response = await fetch(`${http.url}/dav/`, {
      method: "PROPFIND",
      headers: { authorization, depth: "1", "content-type": "application/xml" },
      body: `<propfind xmlns="DAV:"><prop><current-user-principal/><resourcetype/></prop></propfind>`,
    });
    await response.text();
    if (response.status !== 207) throw new Error(`PROPFIND answers ${response.status}`);
  });
}

async function sample(): Promise<void> {
  const start = performance.now();
  for await (const _ of every(sampleMs)) {
    const now = performance.now();
    if (now >= end) return;
    const { resident } = memoryOf(daemon.process.pid!);
    samples.push({ minute: (now - start) / 60_000, resident });
    if (samples.length % 12 === 0) await tellMinute((now - start) / 60_000);
  }
}

/** Prints for each heap the size and the used part. Anonymous memory that is neither heap nor array buffer is native. */
async function tellMinute(minute: number): Promise<void> {
  const { resident, anonymous } = memoryOf(daemon.process.pid!);
  const { committed, arrayBuffers, threads } = await reporter.take(daemon.process.pid!);
  const heaps = threads.map((heap) => `${heap.name} ${megabytes(heap.committed)}/${megabytes(heap.used)}`);
  console.log(
    `${minute.toFixed(0)} min: ${megabytes(resident)} MB resident, ${megabytes(anonymous)} anonymous; ` +
      `heaps ${heaps.join(", ")}; arrays ${megabytes(arrayBuffers)}; ` +
      `native ${megabytes(anonymous - committed - arrayBuffers)}`,
  );
}

/** The slope by least squares, in bytes a minute. */
function slopeOf(of: typeof samples): number {
  const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const minute = mean(of.map((one) => one.minute));
  const resident = mean(of.map((one) => one.resident));
  let above = 0;
  let below = 0;
  for (const one of of) {
    above += (one.minute - minute) * (one.resident - resident);
    below += (one.minute - minute) ** 2;
  }
  return above / below;
}

function report(): void {
  const slope = slopeOf(samples.slice(samples.length >> 1));
  const most = Math.max(...samples.map(({ resident }) => resident));
  for (const [what, count] of done) console.log(`${count} ${what}`);
  console.log(
    `at most ${megabytes(most)} MB resident; ${(slope / 1e6).toFixed(1)} MB a minute in the second half`,
  );
  if (most > residentMax) {
    console.log(`That is more than ${megabytes(residentMax)} MB.`);
    process.exitCode = 1;
  }
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(0);
}
