/** Searches in a mailbox of long texts, as many at once as one token may make, while another agent reads and receives mail. That agent
 *  does not wait too long, no result is missing, callers that leave have no lasting effect, and memory comes back.
 *  `node test/long/search-load.ts [texts]`; 200 by default. */
import fs from "node:fs";
import os from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { connectRawImap, type RawImap } from "../support/clients/raw-imap.ts";
import { connectRawSmtp, stuff } from "../support/clients/raw-smtp.ts";
import { type ChildDaemon, startChildDaemon } from "../support/daemon.ts";
import { familyProcessorMs } from "../support/threads/process-family.ts";
import { loadedDaemon } from "./daemon-load.ts";

const texts = Number(process.argv[2] ?? 200);
const searches = 20;
const imapSearches = 6;
/** The 99th percentile of the other agent's waits may be three times that of a quiet daemon, plus a second of the whole machine. A wait is the
 *  processor time of the daemon meanwhile, so that other work on the machine does not count. */
const victimMs = 1000 * os.availableParallelism();
const idleMs: Record<string, number> = {};
/** Of eleven runs by day the memory had grown by 151 to 277 MiB, by 208 in the middle with a deviation of 31. */
const memoryMiB = 400;
const startedAt = Date.now();
const faults: string[] = [];

const smallest = 300 * 1024;
const largest = 5 * 1024 * 1024;

function textOf(number: number): string {
  const size = smallest * (largest / smallest) ** (number / Math.max(1, texts - 1));
  const line = `The quick brown fox takes text number ${number} over the lazy dog.\r\n`;
  return `Subject: text ${number}\r\nFrom: load@outside.example\r\n\r\n${line.repeat(size / line.length)}the xylophone ${number % 2 === 0 ? "even" : "odd"} plays\r\n`;
}

const daemon = await startChildDaemon({ ...loadedDaemon, agents: 2 });
const [owner, victim] = daemon.agents as [ChildDaemon["agents"][number], ChildDaemon["agents"][number]];

function call(token: string, operation: string, body: object, signal?: AbortSignal): Promise<Response> {
  return fetch(`${daemon.http.url}/v1/${operation}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  });
}

async function login(): Promise<RawImap> {
  const imap = await connectRawImap(daemon.imap);
  await imap.command(`LOGIN ${owner.address} ${owner.password}`);
  await imap.command("SELECT INBOX");
  return imap;
}

/** Searches with every cursor to the end, as an agent that wants all results. */
async function searchAll(q: string): Promise<Set<string>> {
  const found = new Set<string>();
  let cursor: string | undefined;
  do {
    const response = await call(owner.token, "search", { q, limit: 100, ...(cursor && { cursor }) });
    const answer = (await response.json()) as { content: { items: { id: string }[] }; cursor?: string };
    if (response.status !== 200) throw new Error(`search: ${JSON.stringify(answer)}`);
    for (const { id } of answer.content.items) {
      if (found.has(id)) faults.push(`${id} was found twice`);
      found.add(id);
    }
    cursor = answer.cursor;
  } while (cursor !== undefined);
  return found;
}

async function deliver(): Promise<void> {
  await using smtp = await connectRawSmtp(daemon.smtp);
  await smtp.command("EHLO load.example");
  await smtp.send(`MAIL FROM:<a@outside.example>\r\nRCPT TO:<${victim.address}>\r\nDATA\r\n`, 3);
  const [reply] = await smtp.send(stuff("From: a@outside.example\r\nSubject: small\r\n\r\nsmall\r\n"));
  if (!reply!.startsWith("250")) faults.push(`a delivery was answered ${reply}`);
}

/** Measures the other agent's waits until the work ends. */
async function watchVictim(name: string, work: Promise<unknown>): Promise<void> {
  const state = { isOver: false };
  const waits: Record<string, number[]> = { "part.describe": [], delivery: [] };
  const loop = async (what: string, act: () => Promise<unknown>): Promise<void> => {
    while (!state.isOver) {
      const begunAt = daemonMs();
      await act();
      waits[what]!.push(daemonMs() - begunAt);
      await delay(10);
    }
  };
  const loops = [
    loop("part.describe", async () => (await call(victim.token, "part.describe", { id: victim.id })).text()),
    loop("delivery", deliver),
  ];
  const begunAt = performance.now();
  await work.finally(() => {
    state.isOver = true;
  });
  await Promise.all(loops);
  console.log(`${name}: ${Math.round(performance.now() - begunAt)} ms`);
  for (const [what, all] of Object.entries(waits)) {
    all.sort((a, b) => a - b);
    const p99 = all[Math.floor(all.length * 0.99)] ?? 0;
    const times = [all[all.length >> 1] ?? 0, p99, all.at(-1) ?? 0].map(Math.round);
    console.log(`  ${what}: ${all.length} times, median ${times[0]}, p99 ${times[1]}, most ${times[2]} ms`);
    idleMs[what] ??= p99;
    if (p99 > victimMs + 3 * idleMs[what]!) faults.push(`${name}: ${what} took ${Math.round(p99)} ms`);
  }
}

async function load(): Promise<void> {
  const even = Math.ceil(texts / 2);
  const leaving = Array.from({ length: searches }, async (_, at) => {
    const signal = AbortSignal.timeout(50 + at * 20);
    await call(owner.token, "search", { q: "e x" }, signal).then(
      (response) => response.text(),
      () => {},
    );
  });
  const staying = Array.from({ length: searches }, async (_, at) => {
    const [q, count] = at % 2 === 0 ? ["e x", texts] : ["xylophone even", even];
    const { size } = await searchAll(q as string);
    if (size !== count) faults.push(`${q} was found ${size} times instead of ${count}`);
  });
  const commands = Array.from({ length: imapSearches }, async () => {
    await using imap = await login();
    const { untagged, status } = await imap.command('UID SEARCH BODY "xylophone even"');
    const found = untagged.find(({ text }) => text.startsWith("* SEARCH"))!.text.split(" ").length - 2;
    if (!status.startsWith("OK") || found !== even) faults.push(`IMAP found ${found} instead of ${even}`);
  });
  await Promise.all([...leaving, ...staying, ...commands]);
}

function daemonMs(): number {
  return familyProcessorMs(daemon.process.pid!);
}

const residentMiB = (): number =>
  Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${daemon.process.pid}/status`, "utf8"))![1]) / 1024;

await deliver();
await watchVictim("nothing else", delay(3000));
const before = residentMiB();
{
  await using imap = await login();
  for (let number = 0; number < texts; number++) {
    const { status } = await imap.command("APPEND INBOX", Buffer.from(textOf(number)));
    if (!status.startsWith("OK")) throw new Error(`APPEND: ${status}`);
  }
}
await watchVictim("searches while the index is behind", load());
let settled = false;
for (let tries = 0; tries < 300 && !settled; tries++) {
  const begunAt = daemonMs();
  await searchAll(`number ${texts - 1} over`);
  settled = daemonMs() - begunAt < 200;
  await delay(1000);
}
await watchVictim("searches of what is indexed", load());
await delay(10_000);
const after = residentMiB();
console.log(`memory: ${Math.round(before)} MiB before, ${Math.round(after)} MiB after`);
if (after > before + memoryMiB) faults.push(`memory grew from ${before} to ${after} MiB`);
await daemon.stop();
for (const fault of faults.slice(0, 20)) console.log(`  ${fault}`);
const isGood = faults.length === 0;
console.log(`${isGood ? "passed" : "failed"} in ${Math.round((Date.now() - startedAt) / 1000)} s`);
process.exitCode = isGood ? 0 : 1;
