/** One attack on a daemon with a quiet user beside it: what the user waits before, meanwhile and afterwards, and what becomes of the
 *  daemon's memory. The process fails when the user was refused anything or waited too long, or the memory stays. */
import fs from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { type ChildDaemon, type DaemonOptions, startChildDaemon } from "../../support/daemon.ts";
import { type Deeds, type Measured, measureVictim, type VictimAgent } from "./victim.ts";

export interface Attack {
  readonly title: string;
  /** The last agent of the daemon is the quiet user. */
  readonly daemon: DaemonOptions & { readonly agents: number };
  readonly seconds?: number;
  /** Answers what else the quiet user does. */
  prepare?(
    daemon: ChildDaemon,
    attackers: readonly VictimAgent[],
    victim: VictimAgent,
  ): Promise<Deeds | undefined>;
  /** Until the signal aborts. */
  run(daemon: ChildDaemon, attackers: readonly VictimAgent[], until: AbortSignal): Promise<void>;
}

const quietMs = 8000;
/** What a wait may come to under attack: so many times the one without, and in any case less than this. */
const timesMax = 10;
const waitMaxMs = 1000;
/** A wait that says nothing: a machine with other work reaches it by itself. */
const shortMs = 25;
/** A machine on which the user waits so long without an attack is too busy for a bound in milliseconds. */
const busyMs = 100;
/** Octets of a process move a little by themselves. */
const memoryMiB = 150;
const memoryBackMs = 60_000;

export async function attack({ title, daemon: options, seconds = 30, prepare, run }: Attack): Promise<void> {
  console.log(title);
  const faults: string[] = [];
  const daemon = await startChildDaemon(options);
  const attackers = daemon.agents.slice(0, -1);
  const victim = daemon.agents.at(-1)!;
  try {
    const deeds = (await prepare?.(daemon, attackers, victim)) ?? {};
    const quiet = await measureVictim(daemon, victim, deeds, AbortSignal.timeout(quietMs));
    tell("quiet", quiet);
    const before = residentMiB(daemon);
    let most = before;
    const watch = setInterval(() => {
      most = Math.max(most, residentMiB(daemon));
    }, 200);
    const until = AbortSignal.timeout(seconds * 1000);
    const [attacked] = await Promise.all([
      measureVictim(daemon, victim, deeds, until),
      run(daemon, attackers, until),
    ]);
    clearInterval(watch);
    tell("attacked", attacked);
    faults.push(...quiet.failures, ...attacked.failures, ...judge(quiet, attacked));
    const after = await memoryBack(daemon, before);
    console.log(
      `  memory: ${before.toFixed(0)} MiB before, ${most.toFixed(0)} at most, ${after.toFixed(0)} afterwards`,
    );
    if (after > before + memoryMiB) faults.push("The memory did not come back.");
  } finally {
    await daemon.stop();
  }
  const written = daemon.stderr().trim();
  if (written !== "") faults.push(`The daemon wrote: ${written.slice(0, 2000)}`);
  for (const fault of faults.slice(0, 10)) console.log(`  failed: ${fault}`);
  if (faults.length > 10) console.log(`  and ${faults.length - 10} more`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}

function tell(name: string, { times, failures }: Measured): void {
  const all = [...times].map(([what, list]) => {
    const [median, p99, longest] = [percentile(list, 50), percentile(list, 99), list.at(-1)!];
    return `${what} ${median.toFixed(0)}/${p99.toFixed(0)}/${longest.toFixed(0)} ms (${list.length})`;
  });
  console.log(`  ${name}: ${all.join(", ")}; ${failures.length} failures`);
}

function judge(quiet: Measured, attacked: Measured): string[] {
  const faults: string[] = [];
  for (const [what, list] of quiet.times) {
    const times = attacked.times.get(what) ?? [];
    const p99 = times.length === 0 ? Infinity : percentile(times, 99);
    const before = percentile(list, 99);
    const limit = Math.min(before > busyMs ? Infinity : waitMaxMs, timesMax * Math.max(shortMs, before));
    if (p99 > limit) faults.push(`${what}: p99 ${p99.toFixed(0)} ms, more than ${limit.toFixed(0)}`);
  }
  if (quiet.times.values().some((list) => percentile(list, 99) > busyMs))
    console.log("  The machine is busy with other things: the waits are compared with each other alone.");
  return faults;
}

function percentile(ascending: readonly number[], percent: number): number {
  return ascending[Math.min(ascending.length - 1, Math.floor((ascending.length * percent) / 100))] ?? 0;
}

export function residentMiB(daemon: ChildDaemon): number {
  const status = fs.readFileSync(`/proc/${daemon.process.pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)![1]) / 1024;
}

async function memoryBack(daemon: ChildDaemon, before: number): Promise<number> {
  const until = performance.now() + memoryBackMs;
  while (residentMiB(daemon) > before + memoryMiB && performance.now() < until) await delay(500);
  return residentMiB(daemon);
}
