/** Processor time and memory of a process and its children, as the Linux kernel counts them. */
import fs from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { familyOf } from "../support/threads/process-family.ts";

export interface ProcessCost {
  /** Processor time since the process began, including that of children that have ended. */
  readonly cpuMs: number;
  /** Memory that the processes share is counted once. */
  readonly residentBytes: number;
}

/** Ticks of `/proc/PID/stat`: 100 on every Linux. */
const ticksPerSecond = 100;

/** Both are 0 where there is no `/proc`. */
export function costOf(root: number): ProcessCost {
  let cpuMs = 0;
  let residentBytes = 0;
  for (const pid of processTree(root)) {
    cpuMs += cpuMsOf(pid);
    residentBytes +=
      Number(/^Pss:\s+(\d+)/m.exec(readOrNothing(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) * 1024;
  }
  return { cpuMs, residentBytes };
}

/** Processor time of all running threads, to the microsecond; `costOf` has hundredths of a second. It leaves out processes and threads
 *  that have ended, so compare two values only when nothing ended between them. */
export function processorMsOf(root: number): number {
  let nanoseconds = 0;
  for (const pid of familyOf(root))
    for (const thread of threadsOf(pid))
      nanoseconds += Number(readOrNothing(`/proc/${pid}/task/${thread}/schedstat`).split(" ")[0]);
  return nanoseconds / 1e6;
}

/** Waits until the processes have taken less of a processor than this within each of so many seconds, at most five minutes. */
export async function settled(root: number, idleMsMax = 10, idleSeconds = 1): Promise<void> {
  let idle = 0;
  for (let second = 0; second < 300 && idle < idleSeconds; second++) {
    const before = processorMsOf(root);
    await delay(1000);
    idle = Math.abs(processorMsOf(root) - before) < idleMsMax ? idle + 1 : 0;
  }
}

function threadsOf(pid: number): string[] {
  try {
    return fs.readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

function cpuMsOf(pid: number): number {
  // The name of the program may have spaces and parentheses.
  const rest = readOrNothing(`/proc/${pid}/stat`).split(") ")[1];
  if (rest === undefined) return 0;
  const fields = rest.split(" ").map(Number);
  const [user, system, childUser, childSystem] = fields.slice(11, 15);
  return ((user! + system! + childUser! + childSystem!) * 1000) / ticksPerSecond;
}

export function processTree(root: number): number[] {
  if (!fs.existsSync("/proc")) return [];
  const parents = new Map<number, number>();
  for (const name of fs.readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const parent = /^\d+ \(.*\) \S (\d+)/s.exec(readOrNothing(`/proc/${name}/stat`))?.[1];
    if (parent !== undefined) parents.set(Number(name), Number(parent));
  }
  return [...parents.keys()].filter((pid) => {
    let ancestor: number | undefined = pid;
    while (ancestor !== undefined && ancestor !== root) ancestor = parents.get(ancestor);
    return ancestor === root;
  });
}

/** The text of a file; empty when the process has ended meanwhile. */
function readOrNothing(file: string): string {
  try {
    return fs.readFileSync(file, "latin1");
  } catch {
    return "";
  }
}
