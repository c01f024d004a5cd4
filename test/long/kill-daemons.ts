/** Three daemons on one PostgreSQL. One of them is killed again and again while clients send mail and follow events at any of them. Each
 *  mail has a key, and its client asks at any daemon until it has an answer. The mail must reach the other server, and the mailbox here
 *  once. The other server may get it twice only if a kill came between its 250 and our commit; such mails are counted, with a limit.
 *  Clients that follow events move from daemon to daemon; they miss and repeat none. Another daemon takes over the shared work of a
 *  killed daemon within 15 s. Then the database server is killed, and the object store that has the long bodies.
 *  `node test/long/kill-daemons.ts [kills of daemons] [kills of the servers]`; 6 and 3 by default. Skipped without PostgreSQL. */

import { randomBytes } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { callDaemon, connectToDaemon } from "#/src/daemon/private-client.ts";
import { type ChildDaemon, manyRequests } from "../support/daemon.ts";
import { startSink } from "../support/servers/smtp-sink.ts";
import { compareSent, connectionsPerDomain, countBy } from "./compare-sent.ts";
import { kill } from "./daemon-load.ts";
import { didNotRun } from "./did-not-run.ts";
import { startS3 } from "./s3-process.ts";
import { startSharedStore } from "./shared-store.ts";

const kills = Number(process.argv[2] ?? 6);
const serverKills = Number(process.argv[3] ?? 3);
/** Every third mail has this body. It does not compress well, so it goes into the object store. */
const longText = randomBytes(200 * 1024).toString("base64");
const objectsFolder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-kill-objects-"));
const objects = await startS3(objectsFolder);
const senders = 6;
const takeOverMsMax = 15_000;
const startedAt = Date.now();
await using sink = await startSink();
const shared = await startSharedStore(
  {
    agents: 2,
    set: [
      "log.level=fatal",
      "outbound.smarthost_host=127.0.0.1",
      `outbound.smarthost_port=${sink.port}`,
      "outbound.smarthost_tls=none",
      `outbound.connections_per_domain=${connectionsPerDomain}`,
      ...manyRequests,
      ...objects.set,
      "limits.sends_per_hour=0",
      "limits.sends_per_day=0",
    ],
  },
  objects.place,
);
if (shared === undefined) {
  await objects.kill();
  didNotRun("there is no PostgreSQL");
}
const { server, daemons, alive, store, anyDaemon } = shared;
const [ada, bob] = daemons[0]!.agents as [ChildDaemon["agents"][0], ChildDaemon["agents"][0]];
await administer("agent.update", { owner: ada.address, holdPolicy: "open" });

const acknowledged = new Map<string, string>();
const faults: string[] = [];
const state = { isStopped: false };
let lastMark = 0;
const seen: string[] = [];
const following = follow();
const clients = Array.from({ length: senders }, () => sendMail());
let slowestMs = 0;
for (let count = 1; count <= kills; count++) {
  await delay(1500 + Math.random() * 1000);
  // Every second kill is of the daemon that has the lease for the shared work.
  const isHolder = count % 2 === 0;
  const victim = isHolder ? await findHolder() : daemons[count % daemons.length]!;
  if (victim === undefined) {
    faults.push(`kill ${count}: no daemon had the lease`);
    break;
  }
  alive.delete(victim);
  await kill(victim);
  const killedAt = performance.now();
  if (isHolder) {
    if ((await findHolder()) === undefined) faults.push(`kill ${count}: nobody took over`);
    slowestMs = Math.max(slowestMs, performance.now() - killedAt);
  }
  await victim.restart("SIGKILL");
  alive.add(victim);
  console.log(`${count} kills, ${acknowledged.size} acknowledged, ${sink.mails.length} at the other server`);
}
for (let count = 1; count <= serverKills; count++) {
  await delay(1500 + Math.random() * 1000);
  await server.end("SIGKILL");
  await startAgain();
  await delay(1000 + Math.random() * 1000);
  await objects.kill();
  await delay(500);
  await objects.start();
  console.log(`${count} kills of both servers, ${acknowledged.size} acknowledged`);
}
state.isStopped = true;
await Promise.all(clients);
await untilDrained();
// A kill of the database can hit all daemons just before they report a delivery.
faults.push(...compareSent(sink, acknowledged, kills + serverKills * daemons.length));
const inObjects = await store.get<{ count: number }>(
  "select count(*) as count from blob where object is not null",
);
if (inObjects!.count === 0) faults.push("no body is in the object store");
await compareHere();
await following;
await compareEvents();
console.log(`taken over within ${Math.round(slowestMs)} ms`);
if (slowestMs > takeOverMsMax) faults.push("it was taken over too late");
faults.push(...(await shared.end()));
await objects.kill();
fs.rmSync(objectsFolder, { recursive: true });
for (const fault of faults.slice(0, 20)) console.log(`  ${fault}`);
const isGood = faults.length === 0 && acknowledged.size > 0;
console.log(`${isGood ? "passed" : "failed"} in ${Math.round((Date.now() - startedAt) / 1000)} s`);
process.exitCode = isGood ? 0 : 1;

/** Sends one mail after the other, each until it has an answer, and sometimes once more at another daemon. */
async function sendMail(): Promise<void> {
  while (!state.isStopped) {
    const mark = `mark-${++lastMark}`;
    const body = {
      to: [`${mark}@far.example`, bob.address],
      subject: mark,
      text: lastMark % 3 === 0 ? longText : "x",
    };
    for (let answers = 0; answers < 1 + (lastMark % 2); ) {
      const answer = await call("send", ada.token, { body, idempotency_key: `kill-daemons-${mark}` });
      if (answer?.status === 200) {
        answers++;
        const known = acknowledged.get(mark);
        if (known !== undefined && known !== answer.body.ref) faults.push(`${mark} has two answers`);
        acknowledged.set(mark, answer.body.ref);
      } else {
        if (answer !== undefined && answer.status !== 429 && answer.status !== 503)
          faults.push(`${mark}: ${JSON.stringify(answer.body)}`);
        await delay(100);
      }
    }
  }
}

/** Starts the database server again. Its old processes end only when they see that the first of them has gone. */
async function startAgain(): Promise<void> {
  for (let tries = 1; ; tries++)
    try {
      await server.start();
      return;
    } catch (error) {
      if (tries === 60) throw error;
      await delay(500);
    }
}

/** Follows the events of the mailbox that gets the mail: each `wait` at any daemon, with the cursor of the last one. */
async function follow(): Promise<void> {
  let cursor: string | undefined;
  for (let quiet = 0; quiet < 3; ) {
    const input = { timeout_s: 1, types: ["mail.received"], ...(cursor === undefined ? {} : { cursor }) };
    const answer = await call("wait", bob.token, input);
    if (answer?.status !== 200) {
      await delay(100);
      continue;
    }
    for (const event of answer.body.events) seen.push(event.cursor);
    // Counts as quiet only when the load has stopped and the queue is empty.
    quiet = state.isStopped && answer.body.events.length === 0 && (await isDrained()) ? quiet + 1 : 0;
    cursor = answer.body.cursor;
  }
}

interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers differ
  readonly body: any;
}

async function call(operation: string, token: string, input: object): Promise<Answer | undefined> {
  try {
    const response = await fetch(`${anyDaemon().http.url}/v1/${operation}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: JSON.stringify(input),
    });
    return { status: response.status, body: await response.json() };
  } catch (error) {
    if (error instanceof TypeError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

async function administer(operation: string, input: Record<string, unknown>): Promise<unknown> {
  return callDaemon((await connectToDaemon(daemons[0]!.data))!, { operation, input });
}

/** Waits for a daemon that is alive and has the lease. A lease names the process that has it. */
async function findHolder(): Promise<ChildDaemon | undefined> {
  for (const begunAt = performance.now(); performance.now() - begunAt < 3 * takeOverMsMax; await delay(100)) {
    const row = await store.get<{ daemon: string }>("select daemon from lease where name = 'holds'");
    for (const daemon of alive) if (row !== undefined && (await nameOf(daemon)) === row.daemon) return daemon;
  }
  return undefined;
}

async function nameOf(daemon: ChildDaemon): Promise<string | undefined> {
  const status = await callDaemon((await connectToDaemon(daemon.data))!, {
    operation: "server.status",
    input: {},
  });
  return (status as { daemon?: string }).daemon;
}

async function isDrained(): Promise<boolean> {
  const row = await store.get<{ count: number }>(
    "select count(*) as count from submission_recipient where state = 'queued'",
  );
  return row!.count === 0;
}

async function untilDrained(): Promise<void> {
  for (let seconds = 0; seconds < 150; seconds++) {
    if (await isDrained()) return;
    await delay(1000);
  }
  faults.push("the queue was not empty after some minutes");
}

async function compareHere(): Promise<void> {
  const subjects = await store.column<string>(
    `select message.subject
    from entry
    join message on message.agent_id = entry.agent_id and message.message_id = entry.message_id
    join mailbox on mailbox.agent_id = entry.agent_id and mailbox.mailbox_id = entry.mailbox_id
    where mailbox.role in ('inbox', 'sent') and message.subject like 'mark-%'
    order by message.subject`,
  );
  const here = countBy(subjects);
  for (const mark of acknowledged.keys())
    if (here.get(mark) !== 2) faults.push(`${mark} is ${here.get(mark) ?? 0} times in INBOX and Sent`);
}

async function compareEvents(): Promise<void> {
  if (new Set(seen).size !== seen.length) faults.push("an event was told twice");
  if (seen.length !== acknowledged.size)
    faults.push(`${seen.length} events were told of ${acknowledged.size} mails`);
}
