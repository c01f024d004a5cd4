/** The memory of a process, as the Linux kernel counts it and as its own threads report it. */
import fs from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { transformSync } from "esbuild";
import { familyOf } from "../support/threads/process-family.ts";
import type { HeapReport, ThreadHeap } from "./heap-report.ts";

/** All in bytes. */
export interface Memory {
  readonly resident: number;
  /** The part of it that belongs to no file: heaps, stacks, allocations of native code. */
  readonly anonymous: number;
}

/** The memory of the process and the processes that it has started. Only Linux has it in `/proc`. */
export function memoryOf(pid: number): Memory {
  const each = familyOf(pid).map(memoryOfOne);
  return {
    resident: each.reduce((sum, { resident }) => sum + resident, 0),
    anonymous: each.reduce((sum, { anonymous }) => sum + anonymous, 0),
  };
}

function memoryOfOne(pid: number): Memory {
  const text = fs.readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  const field = (name: string): number => {
    const value = new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(text)?.[1];
    if (value === undefined) throw new Error(`smaps_rollup has no ${name}`);
    return Number(value) * 1024;
  };
  return { resident: field("Rss"), anonymous: field("Anonymous") };
}

export interface Heaps extends HeapReport {
  /** The sum over all threads. */
  readonly used: number;
  readonly committed: number;
}

export interface HeapReporter {
  /** The environment to start the daemon with. */
  readonly env: NodeJS.ProcessEnv;
  /** Asks the process for a report. */
  take(pid: number): Promise<Heaps>;
}

/** The report is loaded as JavaScript, because stripping types would take memory in the daemon. */
export function createHeapReporter(folder: string): HeapReporter {
  const source = fs.readFileSync(new URL("heap-report.ts", import.meta.url), "utf8");
  const program = path.join(folder, "heap-report.mjs");
  const file = path.join(folder, "heaps.json");
  fs.writeFileSync(program, transformSync(source, { loader: "ts", format: "esm" }).code);
  let last = 0;
  return {
    env: { ...process.env, NODE_OPTIONS: `--import=${program}`, HEAP_REPORT_FILE: file },
    async take(pid) {
      process.kill(pid, "SIGUSR2");
      for (;;) {
        await delay(20);
        if (!fs.existsSync(file)) continue;
        const report = JSON.parse(fs.readFileSync(file, "utf8")) as HeapReport;
        if (report.count === last) continue;
        last = report.count;
        const sum = (key: "used" | "committed"): number =>
          report.threads.reduce((total: number, thread: ThreadHeap) => total + thread[key], 0);
        return { ...report, used: sum("used"), committed: sum("committed") };
      }
    },
  };
}
