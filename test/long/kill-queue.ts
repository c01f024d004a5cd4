/** A daemon that sends mail is killed (SIGKILL) again and again. Each mail has a key, and its client asks until it has an answer. Every
 *  acknowledged mail must reach the other server, and the mailbox here and Sent exactly once. The other server may get it twice only
 *  if a kill came between its 250 and our commit; such mails are counted, with a limit.
 *  `node test/long/kill-queue.ts [kills]`; 30 by default. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { callDaemon, connectToDaemon } from "#/src/daemon/private-client.ts";
import { type ChildDaemon, manyRequests, startChildDaemon } from "../support/daemon.ts";
import { startSink } from "../support/servers/smtp-sink.ts";
import { compareSent, connectionsPerDomain, countBy } from "./compare-sent.ts";
import { checkStore, kill } from "./daemon-load.ts";
import { killMoment } from "./kill-moment.ts";

const kills = Number(process.argv[2] ?? 30);
const senders = 8;
const base = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-kill-queue-"));
const data = path.join(base, "data");
const startedAt = Date.now();
await using sink = await startSink();
const daemon = await startChildDaemon({
  agents: 2,
  data,
  set: [
    "log.level=fatal",
    "outbound.smarthost_host=127.0.0.1",
    `outbound.smarthost_port=${sink.port}`,
    "outbound.smarthost_tls=none",
    `outbound.connections_per_domain=${connectionsPerDomain}`,
    ...manyRequests,
    "limits.sends_per_hour=0",
    "limits.sends_per_day=0",
  ],
});
const [ada, bob] = daemon.agents as [ChildDaemon["agents"][0], ChildDaemon["agents"][0]];
await administer("agent.update", { owner: ada.address, holdPolicy: "open" });

/** The id in the answer, for each acknowledged mark. */
const acknowledged = new Map<string, string>();
const faults: string[] = [];
const unanswered: string[] = [];
let lastMark = 0;
for (let count = 1; count <= kills; count++) {
  const state = { isStopped: false };
  const clients = Array.from({ length: senders }, () => sendMail(state));
  await killMoment(() => acknowledged.size, 500);
  await kill(daemon);
  state.isStopped = true;
  await Promise.all(clients);
  faults.push(...checkStore(data));
  await daemon.restart();
  if (count % 10 === 0 || count === kills)
    console.log(
      `${count} kills, ${acknowledged.size} acknowledged, ${sink.mails.length} at the other server`,
    );
}
for (let left = unanswered.length * 3; unanswered.length > 0 && left > 0; left--)
  await sendMail({ isStopped: true });
await untilDrained();
faults.push(...compareSent(sink, acknowledged, kills));
await compareHere(ada, "sent");
await compareHere(bob, "inbox");
await daemon.stop();
faults.push(...checkStore(data));
fs.rmSync(base, { recursive: true });
for (const fault of faults.slice(0, 20)) console.log(`  ${fault}`);
const isGood = faults.length === 0 && acknowledged.size > 0;
console.log(`${isGood ? "passed" : "failed"} in ${Math.round((Date.now() - startedAt) / 1000)} s`);
process.exitCode = isGood ? 0 : 1;

/** Sends one mail after the other. Mails without an answer come first. */
async function sendMail(state: { isStopped: boolean }): Promise<void> {
  do {
    const mark = unanswered.shift() ?? `mark-${++lastMark}`;
    const body = { to: [`${mark}@far.example`, bob.address], subject: mark, text: "x".repeat(200) };
    const answer = await call(ada.token, "send", { body, idempotency_key: mark });
    if (answer === undefined || answer.status !== 200) {
      if (answer !== undefined && answer.status !== 429)
        faults.push(`${mark}: ${JSON.stringify(answer.body)}`);
      unanswered.push(mark);
      if (answer === undefined && !state.isStopped) return;
      continue;
    }
    const known = acknowledged.get(mark);
    if (known !== undefined && known !== answer.body.ref) faults.push(`${mark} has two answers`);
    acknowledged.set(mark, answer.body.ref);
  } while (!state.isStopped);
}

interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers differ
  readonly body: any;
}

async function call(token: string, operation: string, input: unknown): Promise<Answer | undefined> {
  try {
    const response = await fetch(`${daemon.http.url}/v1/${operation}`, {
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
  return callDaemon((await connectToDaemon(data))!, { operation, input });
}

async function untilDrained(): Promise<void> {
  for (let seconds = 0; seconds < 300; seconds++) {
    const { mails } = (await administer("queue.list", {})) as { mails: { id: string }[] };
    if (mails.length === 0) return;
    for (const { id } of mails) await administer("queue.retry", { id }).catch(() => {});
    await delay(1000);
  }
  faults.push("the queue was not empty after five minutes");
}

async function compareHere({ token, address }: typeof ada, folder: string): Promise<void> {
  const marks: string[] = [];
  for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
    const input = { folder, limit: 100, ...(cursor === undefined ? {} : { cursor }) };
    const { body } = (await call(token, "search", input))!;
    marks.push(...body.content.items.map(({ subject }: { subject: string }) => subject));
    cursor = body.cursor;
  }
  const here = countBy(marks);
  for (const mark of acknowledged.keys())
    if (here.get(mark) !== 1)
      faults.push(`${mark} is ${here.get(mark) ?? 0} times in ${folder} of ${address}`);
}
