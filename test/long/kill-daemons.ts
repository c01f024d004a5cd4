/** Three daemons on one PostgreSQL, of which one is killed again and again, while clients send, and follow events, at any of them. Each mail
 *  has a key and is asked for, here or there, until there is an answer: it reaches the other server and the mailbox here once. The other
 *  server may see one twice only if a kill fell between its 250 and our commit; those are counted, and bounded. Who follows events moves
 *  from daemon to daemon, and misses and repeats none. What a killed daemon did for all of them another one does within 15 s.
 *  `node test/long/kill-daemons.ts [kills]`; 6 by default. Passes over where no PostgreSQL is. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { callDaemon, connectToDaemon } from "#/src/daemon/private-client.ts";
import type { LeaseName } from "#/storage/leases.ts";
import { openStore } from "#/storage/open-store.ts";
import { startPostgres } from "../postgres/postgres-server.ts";
import { type ChildDaemon, manyRequests, startChildDaemon } from "../support/daemon.ts";
import { startSink } from "../support/smtp-sink.ts";
import { compareSent, connectionsPerDomain, countBy } from "./compare-sent.ts";
import { kill } from "./daemon-load.ts";

const kills = Number(process.argv[2] ?? 6);
const senders = 6;
const takeOverMsMax = 15_000;
const startedAt = Date.now();
const server = await startPostgres({ isDurable: true });
if (server === undefined) {
  console.log("passed over: there is no PostgreSQL");
  process.exit(0);
}
const base = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-kill-daemons-"));
await using sink = await startSink();
const daemons: ChildDaemon[] = [];
for (const name of ["one", "two", "three"])
  daemons.push(
    await startChildDaemon({
      agents: 2,
      data: path.join(base, name),
      set: [
        `storage.url=${server.url}`,
        "log.level=fatal",
        "outbound.smarthost_host=127.0.0.1",
        `outbound.smarthost_port=${sink.port}`,
        "outbound.smarthost_tls=none",
        `outbound.connections_per_domain=${connectionsPerDomain}`,
        ...manyRequests,
        "limits.sends_per_hour=0",
        "limits.sends_per_day=0",
      ],
    }),
  );
const store = await openStore({
  folder: path.join(base, "onlooker"),
  database: { url: server.url },
  isOnlooker: true,
});
const [ada, bob] = daemons[0]!.agents as [ChildDaemon["agents"][0], ChildDaemon["agents"][0]];
await administer("agent.update", { owner: ada.address, holdPolicy: "open" });

/** Of daemons that are not killed now. */
const alive = new Set(daemons);
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
  // Each second time the one that does for all what one of them does.
  const holder = await findHolder("holds");
  const victim = count % 2 === 0 ? await daemonOf(holder) : daemons[count % daemons.length]!;
  alive.delete(victim);
  await kill(victim);
  const killedAt = performance.now();
  const dead = await untilTakenOver(holder, count % 2 === 0);
  if (count % 2 === 0) slowestMs = Math.max(slowestMs, performance.now() - killedAt);
  if (!dead) faults.push(`kill ${count}: nobody took over`);
  await victim.restart("SIGKILL");
  alive.add(victim);
  console.log(`${count} kills, ${acknowledged.size} acknowledged, ${sink.mails.length} at the other server`);
}
state.isStopped = true;
await Promise.all(clients);
await untilDrained();
faults.push(...compareSent(sink, acknowledged, kills));
await compareHere();
await following;
await compareEvents();
console.log(`taken over within ${Math.round(slowestMs)} ms`);
if (slowestMs > takeOverMsMax) faults.push("it was taken over too late");
for (const daemon of daemons) await daemon.stop();
faults.push(...(await store.check()));
await store.close();
await server.stop();
fs.rmSync(base, { recursive: true });
for (const fault of faults.slice(0, 20)) console.log(`  ${fault}`);
const isGood = faults.length === 0 && acknowledged.size > 0;
console.log(`${isGood ? "passed" : "failed"} in ${Math.round((Date.now() - startedAt) / 1000)} s`);
process.exitCode = isGood ? 0 : 1;

function anyDaemon(): ChildDaemon {
  return [...alive][Math.floor(Math.random() * alive.size)]!;
}

/** One mail after the other, each until it has an answer, and sometimes once more at another daemon. */
async function sendMail(): Promise<void> {
  while (!state.isStopped) {
    const mark = `mark-${++lastMark}`;
    const body = { to: [`${mark}@far.example`, bob.address], subject: mark, text: "x".repeat(200) };
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

/** Events of the one that the mail goes to, each wait at any daemon with the cursor of the last one. */
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
    // Quiet, and all that was sent has arrived.
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
  return callDaemon((await connectToDaemon(path.join(base, "one")))!, { operation, input });
}

async function findHolder(name: LeaseName): Promise<string | undefined> {
  const row = await store.get<{ daemon: string }>("select daemon from lease where name = ?", name);
  return row?.daemon;
}

/** The process whose connections carry its name. */
async function daemonOf(holder: string | undefined): Promise<ChildDaemon> {
  const names = await Promise.all(
    daemons.map(async (_, at) => {
      const file = path.join(base, ["one", "two", "three"][at]!);
      const status = (await callDaemon((await connectToDaemon(file))!, {
        operation: "status",
        input: {},
      })) as {
        daemon?: string;
      };
      return status.daemon;
    }),
  );
  const at = names.indexOf(holder);
  if (at < 0) faults.push("no daemon says that it holds the lease");
  return daemons[Math.max(0, at)]!;
}

/** Until another daemon has the lease, where its holder was killed. */
async function untilTakenOver(holder: string | undefined, isOfHolder: boolean): Promise<boolean> {
  if (!isOfHolder) return true;
  for (const begunAt = performance.now(); performance.now() - begunAt < 3 * takeOverMsMax; ) {
    const present = await findHolder("holds");
    if (present !== undefined && present !== holder) return true;
    await delay(100);
  }
  return false;
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
