/** Turns of the loop for work that goes on for long on the main thread: pages of a mailbox, text that is decoded, answers that are
 *  written. Whoever has done a piece waits for the next turn, and those that wait take turns of their owners. Together they have a few
 *  milliseconds between two looks at the sockets, however many they are: so everybody else is answered as if there was one. */
import { assertCallerThere, callerOwner } from "#/src/model/caller.ts";
import type { Owner } from "#/src/model/owner.ts";
import { FairQueue } from "./fair-queue.ts";

/** Time that work may go on without the loop being given a turn. Tidying memory may come on top. */
const turnMs = 3;

interface Waiting {
  readonly owner: Owner;
  go(): void;
}

const waiting = new FairQueue<Waiting>();
let isScheduled = false;
/** When the loop last had its turn: what follows on each other without waiting is one stretch. */
let turnedAt = performance.now();

/** The next turn of who has more to do. Throws `CallerGone` when nobody waits for the work any more. */
export async function nextTurn(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  waiting.push({ owner: callerOwner(), go: resolve });
  if (!isScheduled) {
    isScheduled = true;
    setImmediate(begin);
  }
  await promise;
  assertCallerThere();
}

function begin(): void {
  turnedAt = performance.now();
  letGo();
}

/** One of them, and when it has done its piece the next, as long as there is time. */
function letGo(): void {
  waiting.shift()?.go();
  // Behind all microtasks, with which the piece is done.
  queueMicrotask(() => process.nextTick(goOn));
}

function goOn(): void {
  if (waiting.isEmpty) isScheduled = false;
  else if (performance.now() - turnedAt < turnMs) letGo();
  else setImmediate(begin);
}

/** Gives the loop its turn when work that never waits by itself has gone on for a while. */
export class LoopTurns {
  get isDue(): boolean {
    return performance.now() - turnedAt >= turnMs;
  }

  /** Throws `CallerGone` when nobody waits for the work any more. */
  async turn(): Promise<void> {
    if (this.isDue) await nextTurn();
  }
}
