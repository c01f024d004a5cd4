/** Turns of the event loop for long work on the main thread: reading pages of a mailbox, decoding text, writing responses. After each
 *  piece the work waits for its next turn, in turns of the owners. All such work together gets a few milliseconds between two polls of
 *  the sockets, whatever number of jobs there is, so other requests are answered in time. */
import { AsyncLocalStorage } from "node:async_hooks";
import { performance as loop } from "node:perf_hooks";
import { noteFailure, soon } from "#/src/model/background.ts";
import { assertCallerThere, callerOwner } from "#/src/model/caller.ts";
import type { Owner } from "#/src/model/owner.ts";
import { FairQueue } from "./fair-queue.ts";

/** Time that work may run before the event loop continues. Garbage collection may add to it. */
const turnMs = 3;

interface Waiting {
  readonly owner: Owner;
  go(): void;
}

const waiting = new FairQueue<Waiting>();
let isScheduled = false;
/** When work last got its turn, and how long the event loop had waited for something to do until then. */
let turnedAt = performance.now();
let idleAt = 0;

function idleMs(): number {
  return loop.eventLoopUtilization().idle;
}

/** Milliseconds that this thread has worked since then, in any number of turns of the loop. */
function ranMs(): number {
  const elapsed = performance.now() - turnedAt;
  return elapsed < turnMs ? elapsed : elapsed - (idleMs() - idleAt);
}

/** Waits for the next turn. Throws `CallerGone` if the caller of the work has gone. */
export async function nextTurn(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const within = AsyncLocalStorage.snapshot();
  // In a callback of its own, by which a thread with many jobs knows whose time it is (`src/threads`, decision 2).
  waiting.push({ owner: callerOwner(), go: () => within(process.nextTick, resolve) });
  if (!isScheduled) {
    isScheduled = true;
    soon(begin);
  }
  await promise;
  assertCallerThere();
}

function begin(): void {
  turnedAt = performance.now();
  idleAt = idleMs();
  letGo();
}

/** Resumes one job, and after its piece the next one, while there is time. */
function letGo(): void {
  waiting.shift()?.go();
  // Runs after all microtasks: then the piece is finished. `queueMicrotask` would be a callback of another job before the piece.
  Promise.resolve().then(() => process.nextTick(goOn), noteFailure);
}

function goOn(): void {
  if (waiting.isEmpty) isScheduled = false;
  else if (performance.now() - turnedAt < turnMs) letGo();
  else soon(begin);
}

/** Lets the event loop continue when work without own waits has run for a while. */
export class LoopTurns {
  get isDue(): boolean {
    return ranMs() >= turnMs;
  }

  /** Throws `CallerGone` if the caller of the work has gone. */
  async turn(): Promise<void> {
    if (this.isDue) await nextTurn();
  }
}

/** What work returns that yields after each of its pieces; the loop goes on between them. */
export async function inTurns<Result>(pieces: Iterator<undefined, Result>): Promise<Result> {
  const turns = new LoopTurns();
  for (;;) {
    const { done, value } = pieces.next();
    if (done === true) return value;
    await turns.turn();
  }
}
