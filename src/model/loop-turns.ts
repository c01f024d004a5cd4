import { assertCallerThere } from "./caller.ts";

/** Time that work on the main thread may go on without the loop being given a turn. Tidying memory may come on top. */
const turnMs = 3;

/** When work last gave the loop a turn, whichever it was: what follows on each other without waiting is one stretch. */
let turnedAt = performance.now();

/** Gives the loop its turn when work that never waits by itself has gone on for a while. */
export class LoopTurns {
  get isDue(): boolean {
    return performance.now() - turnedAt >= turnMs;
  }

  /** Throws `CallerGone` when nobody waits for the work any more. */
  async turn(): Promise<void> {
    if (!this.isDue) return;
    await new Promise((resolve) => setImmediate(resolve));
    turnedAt = performance.now();
    assertCallerThere();
  }
}
