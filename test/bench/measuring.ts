/** What the parts of the benchmark share: the daemon, and the function that prints their rows. */
import type { ChildDaemon } from "../support/daemon.ts";

export interface Measuring {
  readonly daemon: ChildDaemon;
  /** How long each rate is measured. */
  readonly seconds: number;
  /** The delay of the daemon's main event loop since the last call, in milliseconds. */
  takeLoopDelay(): Promise<{ readonly p99: number; readonly max: number }>;
  say(line: string): void;
}

export function rate(perSecond: number): string {
  return perSecond < 100 ? perSecond.toFixed(1) : String(Math.round(perSecond));
}

export function percentile(sorted: Float64Array, percent: number): string {
  const index = Math.min(sorted.length - 1, Math.ceil((percent / 100) * sorted.length) - 1);
  return (sorted[Math.max(0, index)] ?? Number.NaN).toFixed(1);
}

export function megabytes(bytes: number): string {
  return String(Math.round(bytes / 1e6));
}
