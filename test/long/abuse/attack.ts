/** One attack on a daemon that has a quiet user: measures the user's waits before and during the attack, and the daemon's memory
 *  before, during and afterwards. The process ends with 1 when a request of the user fails, the memory does not come back, or the daemon writes
 *  an error, and with `slowCode` when only a wait or a turn of the daemon's main thread is too long, which the machine may cause too.
 *
 *  Daemon, user and attackers are processes of their own. The attackers have a lower priority than the daemon and the user, because
 *  they would be on other machines. */
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { type ChildDaemon, type DaemonOptions, startChildDaemon } from "../../support/daemon.ts";
import { familyResidentMiB, familyTicks } from "../../support/threads/process-family.ts";
import { startBeside } from "./beside.ts";
import { enterNetworks } from "./networks.ts";
import type { Action, Measured, VictimAgent } from "./victim.ts";
import { startVictim, type VictimProcess } from "./victim-process.ts";

export interface Attack {
  readonly title: string;
  /** The number of agents for the attackers. The quiet user has one more. */
  readonly attackers: number;
  readonly daemon?: DaemonOptions;
  readonly seconds?: number;
  /** True when everybody works at once on the whole machine. Then only the bound of a second counts for waits. */
  readonly isWholeMachine?: boolean;
  /** Fills the data folder before the daemon starts. May return the agents, with the quiet user as the last. */
  fill?(data: string, attackers: number): Promise<readonly VictimAgent[] | undefined>;
  /** Prepares the attack. Returns further operations for the quiet user. */
  prepare?(
    daemon: ChildDaemon,
    attackers: readonly VictimAgent[],
    victim: VictimAgent,
  ): Promise<readonly Action[] | undefined>;
  /** Attacks until the signal aborts. */
  run(
    daemon: ChildDaemon,
    attackers: readonly VictimAgent[],
    until: AbortSignal,
    victim: VictimAgent,
  ): Promise<void>;
}

const isQuick = process.env.ABUSE_QUICK === "1";
const warmUpMs = isQuick ? 1500 : 3000;
const quietMs = isQuick ? 2500 : 8000;
/** Bounds of a wait under attack: this many times the quiet value, and never more than this time. */
const timesMax = 10;
const waitMaxMs = 1000;
/** With --quick a wait may also be this many times the wait of the user of a second daemon at the same time. */
const besideTimesMax = 3;
/** A quiet value below this counts as this: it is one turn of the scheduler. */
const shortMs = 25;
/** The memory of a process varies by this much without an attack. */
const memoryMiB = 150;
const memoryBackMs = 60_000;
const attackersNice = 4;
/** The processor time that a turn of the daemon's main thread may take. Answering one request takes several turns. An attack on every
 *  port at once fills the heap with the work of all of them, and a turn is then as long as its garbage collection. */
const turnMaxMs = isQuick ? 90 : 60;
const turnMaxMsOfMachine = 100;
const loopWatch = new URL("loop-watch.ts", import.meta.url).href;
/** What a process ends with that has measured too long a time, and nothing worse. */
export const slowCode = 3;

/** Runs the attack when the file is the program that was started. */
export async function attack(file: ImportMeta, what: Attack): Promise<void> {
  if (!file.main) return;
  enterNetworks(file.url);
  process.exitCode = await withstand(what);
}

/** Runs the attack. 0 when the daemon has withstood it. */
async function withstand({
  title,
  attackers: count,
  daemon: options,
  seconds = isQuick ? 5 : 20,
  isWholeMachine = false,
  fill,
  prepare,
  run,
}: Attack): Promise<number> {
  console.log(title);
  const faults: string[] = [];
  const slow: string[] = [];
  const data = fs.mkdtempSync(`${os.tmpdir()}/waypost-abuse-`);
  const filled = await fill?.(data, count);
  const loopFile = `${data}/loop-turns.txt`;
  const daemon = await startChildDaemon({
    ...options,
    data,
    env: { ...process.env, ABUSE_LOOP_FILE: loopFile, NODE_OPTIONS: `--import=${loopWatch}` },
    agents: filled ? 0 : count + 1,
    set: ["log.level=error", "dns.servers=none", ...(options?.set ?? [])],
  });
  const agents = filled ?? daemon.agents;
  const attackers = agents.slice(0, count);
  const agent = agents[count]!;
  // Only with --quick: without other work on the machine, a second daemon would only take processor time.
  await using beside = isQuick ? await startBeside() : undefined;
  let victim: VictimProcess | undefined;
  let watch: NodeJS.Timeout | undefined;
  let most = 0;
  try {
    const actions = (await prepare?.(daemon, attackers, agent)) ?? [];
    victim = startVictim({ daemon: placesOf(daemon), agent, actions });
    // Warms up: the first requests start threads.
    await Promise.all([victim.measure(warmUpMs), beside?.measure(warmUpMs)]);
    const [quiet] = await Promise.all([victim.measure(quietMs), beside?.measure(quietMs)]);
    tell("quiet", quiet);
    const before = residentMiB(daemon);
    most = before;
    watch = setInterval(() => {
      most = Math.max(most, residentMiB(daemon));
    }, 200);
    os.setPriority(Math.min(19, os.getPriority() + attackersNice));
    // Daemon and user are children of this process, so its own time includes theirs.
    const others = watchOthers([process.pid]);
    const turnsBefore = loopTurns(loopFile).length;
    const until = AbortSignal.timeout(seconds * 1000);
    const [attacked, elsewhere] = await Promise.race([
      Promise.all([
        victim.measure(seconds * 1000),
        beside?.measure(seconds * 1000),
        run(daemon, attackers, until, agent),
      ]),
      ended(daemon),
    ]);
    const share = others();
    tell("attacked", attacked);
    if (elsewhere !== undefined) tell("beside", elsewhere);
    faults.push(...quiet.failures, ...attacked.failures);
    slow.push(
      ...judge(quiet, attacked, { share, elsewhere, isWholeMachine }),
      ...judgeTurns(loopTurns(loopFile).slice(turnsBefore), isWholeMachine ? turnMaxMsOfMachine : turnMaxMs),
    );
    const after = await memoryBack(daemon, before);
    console.log(
      `  memory: ${before.toFixed(0)} MiB before, ${most.toFixed(0)} at most, ${after.toFixed(0)} afterwards`,
    );
    if (after > before + memoryMiB) faults.push("The memory did not come back.");
  } finally {
    clearInterval(watch);
    victim?.end();
    await daemon.stop();
    fs.rmSync(data, { recursive: true, force: true });
  }
  const written = daemon.stderr().trim();
  if (written !== "") faults.push(`The daemon wrote: ${written.slice(0, 2000)}`);
  const all = [...faults, ...slow];
  for (const fault of all.slice(0, 10)) console.log(`  failed: ${fault}`);
  if (all.length > 10) console.log(`  and ${all.length - 10} more`);
  if (faults.length > 0) return 1;
  return slow.length > 0 ? slowCode : 0;
}

function placesOf({ smtp, submission, imap, imaps, http }: ChildDaemon) {
  return { smtp, submission, imap, imaps, http };
}

function tell(name: string, { times, failures }: Measured): void {
  const all = Object.entries(times).map(([what, list]) => {
    const [median, judged, longest] = [percentile(list, 50), high(list), list.at(-1)!];
    return `${what} ${median.toFixed(0)}/${judged.toFixed(0)}/${longest.toFixed(0)} ms (${list.length})`;
  });
  console.log(`  ${name}: ${all.join(", ")}; ${failures.length} failures`);
}

interface Conditions {
  readonly share: number;
  readonly elsewhere: Measured | undefined;
  readonly isWholeMachine: boolean;
}

/** `share` is the part of the processors that other programs used: with half of them gone, everything may take twice as long.
 *  `elsewhere` has the waits of the other daemon's user at the same time. When the machine stops for a moment, it delays any request,
 *  so the longest of those waits counts for all kinds. Mail is an exception: it waits for more than the machine, so a long wait for
 *  mail there counts for mail only. */
function judge(
  quiet: Measured,
  attacked: Measured,
  { share, elsewhere, isWholeMachine }: Conditions,
): string[] {
  const factor = share < 0.1 ? 1 : 1 / (1 - Math.min(share, 0.95));
  if (factor > 1)
    console.log(
      `  Other work had ${(share * 100).toFixed(0)} % of the processors: the bounds are ${factor.toFixed(1)} times as high.`,
    );
  const { mail = [], ...others } = elsewhere?.times ?? {};
  const besideMs = Math.max(0, ...Object.values(others).map((list) => high(list)));
  return Object.entries(quiet.times).flatMap(([what, list]) => {
    const otherMs = what === "mail" ? Math.max(besideMs, high(mail)) : besideMs;
    const usualMs = Math.max(shortMs, high(list), otherMs);
    const mostMs = Math.max(waitMaxMs, besideTimesMax * otherMs);
    const limit = factor * (isWholeMachine ? mostMs : Math.min(mostMs, timesMax * usualMs));
    const waits = attacked.times[what] ?? [];
    const wait = waits.length === 0 ? Infinity : high(waits);
    return wait > limit
      ? [`${what}: ${isQuick ? "p90" : "p99"} ${wait.toFixed(0)} ms, more than ${limit.toFixed(0)}`]
      : [];
  });
}

/** The longest turn of each quarter of a second, in milliseconds. */
function loopTurns(file: string): number[] {
  return fs.existsSync(file) ? fs.readFileSync(file, "utf8").trim().split("\n").map(Number) : [];
}

function judgeTurns(turns: readonly number[], maxMs: number): string[] {
  const ascending = turns.toSorted((one, other) => one - other);
  const [median, most, longest] = [
    percentile(ascending, 50),
    percentile(ascending, 90),
    ascending.at(-1) ?? 0,
  ];
  console.log(
    `  turns of the main thread: in a usual quarter of a second ${median.toFixed(0)} ms of a processor at most, in a tenth of them ${most.toFixed(0)}, the longest ${longest.toFixed(0)}`,
  );
  return most > maxMs
    ? [`Turns of the main thread take ${most.toFixed(0)} ms of a processor, more than ${maxMs}`]
    : [];
}

function percentile(ascending: readonly number[], percent: number): number {
  return ascending[Math.min(ascending.length - 1, Math.floor((ascending.length * percent) / 100))] ?? 0;
}

/** The value by which waits are judged: p99. A quick run has few waits: it takes p90, and leaves out the longest wait. */
function high(ascending: readonly number[]): number {
  if (!isQuick || ascending.length < 2) return percentile(ascending, 99);
  return Math.min(percentile(ascending, 90), ascending.at(-2)!);
}

/** Begins to measure. The returned function gives the part of all processors that other processes have used since then. */
function watchOthers(own: readonly number[]): () => number {
  const begun = processorTicks(own);
  return () => {
    const ended = processorTicks(own);
    const total = ended.total - begun.total;
    return total === 0 ? 0 : Math.max(0, ended.busy - begun.busy - (ended.own - begun.own)) / total;
  };
}

/** Processor time since the machine started, in hundredths of a second (proc(5)). */
function processorTicks(own: readonly number[]) {
  const [user, nice, system, idle, wait, irq, softIrq, steal] = fs
    .readFileSync("/proc/stat", "utf8")
    .split("\n", 1)[0]!
    .trim()
    .split(/\s+/)
    .slice(1)
    .map(Number) as [number, number, number, number, number, number, number, number];
  const busy = user + nice + system + irq + softIrq + steal;
  return { busy, total: busy + idle + wait, own: own.reduce((sum, pid) => sum + familyTicks(pid), 0) };
}

async function ended({ process: child, stderr }: ChildDaemon): Promise<never> {
  const [code, signal] = await once(child, "close");
  throw new Error(`The daemon ended (${code ?? signal}): ${stderr().slice(-4000)}`);
}

/** Resident memory of the daemon and its processes for documents. */
function residentMiB(daemon: ChildDaemon): number {
  return familyResidentMiB(daemon.process.pid!);
}

async function memoryBack(daemon: ChildDaemon, before: number): Promise<number> {
  const until = performance.now() + memoryBackMs;
  while (residentMiB(daemon) > before + memoryMiB && performance.now() < until) await delay(500);
  return residentMiB(daemon);
}
