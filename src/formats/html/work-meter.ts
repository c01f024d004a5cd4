/** The budget of one rendering. Steps are counted, so that the same document ends at the same place everywhere; the time of
 *  the thread is the last resort where a step was costlier than thought. */

/** Thrown where the budget is spent; `renderHtml` makes an answer of it. */
export class OverBudget extends Error {}

export interface WorkMeter {
  /** The share of the steps that is left. */
  readonly left: number;
  /** So many comparisons, tokens or the like were done. */
  spend(steps: number): void;
  /** Looks at the clock, and whether the caller is still there. */
  check(): void;
}

/** About 50 to 100 ms of matching selectors; a large newsletter needs a quarter. */
const stepsMax = 2_000_000;
/** Processor time of this thread, where a step is far dearer than it was measured to be. The dearest document (as many elements as
 *  are read) takes 250 ms of it, 400 in a thread that has just begun, and more beside other work. What counts is the work. */
const timeMaxMicros = 1_000_000;
const stepsBetweenChecks = 20_000;

export function createWorkMeter(): WorkMeter {
  const begun = micros();
  let steps = 0;
  let checkAt = stepsBetweenChecks;
  const check = (): void => {
    if (micros() - begun > timeMaxMicros) throw new OverBudget("time");
  };
  return {
    get left() {
      return 1 - steps / stepsMax;
    },
    spend(count) {
      steps += count;
      if (steps < checkAt) return;
      if (steps > stepsMax) throw new OverBudget("steps");
      checkAt = steps + stepsBetweenChecks;
      check();
    },
    check,
  };
}

function micros(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}
