/** Everything that outlives the call that begins it: timers, later turns of the event loop, and work that nobody awaits. It leaves the
 *  caller, so it goes on when the caller has gone, and it keeps the owner whose share it uses. What it throws is told to `onFailure`,
 *  because no call is left that could. Nothing else of the program sets a timer (`.biome.json`). */
import { setTimeout as delay, setImmediate as turn } from "node:timers/promises";
import { forEverybody } from "./caller.ts";

let failures = 0;
let tell: (error: unknown) => void = throwLater;
let idleFactor = 1;

/** Runs work that nobody awaits. */
export function inBackground(work: () => unknown): void {
  forEverybody(() => attempt(work, undefined));
}

/** `subject` is for callers with thousands of timers: they need no function for each. */
export function after(ms: number, work: () => unknown): NodeJS.Timeout;
export function after<T>(ms: number, work: (subject: T) => unknown, subject: T): NodeJS.Timeout;
export function after<T>(ms: number, work: (subject: T) => unknown, subject?: T): NodeJS.Timeout {
  return forEverybody(() => setTimeout(attempt<T>, ms, work, subject as T));
}

export function every(ms: number, work: () => unknown): NodeJS.Timeout {
  return forEverybody(() => setInterval(attempt, ms, work, undefined));
}

/** In the next turn of the event loop. */
export function soon(work: () => unknown): void;
export function soon<T>(work: (subject: T) => unknown, subject: T): void;
export function soon<T>(work: (subject: T) => unknown, subject?: T): void {
  forEverybody(() => setImmediate(attempt<T>, work, subject as T));
}

/** Within a call, which goes on afterwards. Rejects when the signal aborts. Without `ref` it does not keep the process alive. */
export async function pause(
  ms: number,
  options: { readonly signal?: AbortSignal; readonly ref?: boolean } = {},
): Promise<void> {
  await delay(ms, undefined, options);
}

/** Within a call, which goes on in the next turn of the event loop. */
export async function loopTurn(): Promise<void> {
  await turn();
}

/** How long something stays that nobody uses. */
export function idleTime(ms: number): number {
  return ms * idleFactor;
}

/** For tests, which do not wait half a minute until a thread ends. */
export function scaleIdleTimes(factor: number): void {
  idleFactor = factor;
}

/** Counts a failure that no caller hears of, and tells it. */
export function noteFailure(error: unknown): void {
  failures++;
  tell(error);
}

export function failureCount(): number {
  return failures;
}

/** Tells failures to the listener from now on. Without one a failure ends the thread or the process. Returns the former listener. */
export function onFailure(listener: (error: unknown) => void): (error: unknown) => void {
  const former = tell;
  tell = listener;
  return former;
}

function attempt<T>(work: (subject: T) => unknown, subject: T): void {
  try {
    const done = work(subject);
    if (done instanceof Promise) done.catch(noteFailure);
  } catch (error) {
    noteFailure(error);
  }
}

function throwLater(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
