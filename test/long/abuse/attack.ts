/** One attack on a daemon with a quiet user beside it: what the user waits before, meanwhile and afterwards, and what becomes of the
 *  daemon's memory. The process fails when the user was refused anything or waited too long, or the memory stays.
 *
 *  Daemon, user and attackers are processes of their own. The attackers have less of the processors than the daemon and the user, as
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
  /** Of the daemon, beside the quiet user. */
  readonly attackers: number;
  readonly daemon?: DaemonOptions;
  readonly seconds?: number;
  /** A wait is judged by its bound of a second alone, as everybody works at once on what the machine has. */
  readonly isWholeMachine?: boolean;
  /** Before the daemon starts. May answer who the agents are, with the quiet user as the last. */
  fill?(data: string, attackers: number): Promise<readonly VictimAgent[] | undefined>;
  /** Answers what else the quiet user does. */
  prepare?(
    daemon: ChildDaemon,
    attackers: readonly VictimAgent[],
    victim: VictimAgent,
  ): Promise<readonly Action[] | undefined>;
  /** Until the signal aborts. */
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
/** What a wait may come to under attack: so many times the one without, and in any case less than this. */
const timesMax = 10;
const waitMaxMs = 1000;
/** The same in terms of what a user of another daemon on this machine waits meanwhile. */
const besideTimesMax = 3;
/** A wait that says nothing: it is that of one turn of the scheduler. */
const shortMs = 25;
/** Octets of a process move a little by themselves. */
const memoryMiB = 150;
const memoryBackMs = 60_000;
const attackersNice = 4;
/** What a turn of the daemon's main thread may take of a processor: an answer takes several of them. An attack on every door at once fills the
 *  heap with the work of all of them, and a turn is then as long as its garbage collection. */
const turnMaxMs = isQuick ? 90 : 60;
const turnMaxMsOfMachine = 100;
const loopWatch = new URL("loop-watch.ts", import.meta.url).href;

/** Runs the attack if the file was started by itself. */
export async function attack(file: ImportMeta, what: Attack): Promise<void> {
  if (!file.main) return;
  enterNetworks(file.url);
  process.exitCode = (await withstand(what)) ? 0 : 1;
}

/** Whether it was withstood. */
export async function withstand({
  title,
  attackers: count,
  daemon: options,
  seconds = isQuick ? 5 : 20,
  isWholeMachine = false,
  fill,
  prepare,
  run,
}: Attack): Promise<boolean> {
  console.log(title);
  const faults: string[] = [];
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
  // Where nothing else is at work, it would only take processors away.
  await using beside = isQuick ? await startBeside() : undefined;
  let victim: VictimProcess | undefined;
  let watch: NodeJS.Timeout | undefined;
  let most = 0;
  try {
    const actions = (await prepare?.(daemon, attackers, agent)) ?? [];
    victim = startVictim({ daemon: placesOf(daemon), agent, actions });
    // Who comes first starts threads.
    await Promise.all([victim.measure(warmUpMs), beside?.measure(warmUpMs)]);
    const [quiet] = await Promise.all([victim.measure(quietMs), beside?.measure(quietMs)]);
    tell("quiet", quiet);
    const before = residentMiB(daemon);
    most = before;
    watch = setInterval(() => {
      most = Math.max(most, residentMiB(daemon));
    }, 200);
    os.setPriority(Math.min(19, os.getPriority() + attackersNice));
    // The daemon and the user are children of this process.
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
    faults.push(
      ...quiet.failures,
      ...attacked.failures,
      ...judge(quiet, attacked, { share, elsewhere, isWholeMachine }),
    );
    faults.push(
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
  for (const fault of faults.slice(0, 10)) console.log(`  failed: ${fault}`);
  if (faults.length > 10) console.log(`  and ${faults.length - 10} more`);
  return faults.length === 0;
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

/** `share`: what other work of this machine had of the processors: with half of them gone everything takes twice as long. `elsewhere`: what the
 *  user of the other daemon waited at the same time. A machine that stops for a moment does so for whatever is asked then, so the
 *  longest of its waits counts for all kinds; mail waits for more than the machine. */
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

/** The longest turn of each quarter of a second. */
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

/** What waits are judged by. Of the few waits of a quick run it leaves out the longest one. */
function high(ascending: readonly number[]): number {
  if (!isQuick || ascending.length < 2) return percentile(ascending, 99);
  return Math.min(percentile(ascending, 90), ascending.at(-2)!);
}

/** From now until it is asked: the part of all processors that was used by other processes. */
function watchOthers(own: readonly number[]): () => number {
  const begun = processorTicks(own);
  return () => {
    const ended = processorTicks(own);
    const total = ended.total - begun.total;
    return total === 0 ? 0 : Math.max(0, ended.busy - begun.busy - (ended.own - begun.own)) / total;
  };
}

/** Hundredths of a second since the machine started (proc(5)). */
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

/** Of the daemon, with the processes that it has for documents. */
function residentMiB(daemon: ChildDaemon): number {
  return familyResidentMiB(daemon.process.pid!);
}

async function memoryBack(daemon: ChildDaemon, before: number): Promise<number> {
  const until = performance.now() + memoryBackMs;
  while (residentMiB(daemon) > before + memoryMiB && performance.now() < until) await delay(500);
  return residentMiB(daemon);
}
