/** Recurrence rules and busy time for questions over many objects. Most rules cost less than a millisecond and are expanded at once; one that
 *  needs more than some steps, which a stranger can have made so, is given to a thread with a limit, and its answer kept for a while. */

import { createFairness, type Fairness, jobsOf } from "#/src/fairness/fairness.ts";
import { type ExpandRule, expandRule } from "#/src/formats/icalendar/expand-rule.ts";
import type { RuleStarts, StartedRule } from "#/src/formats/icalendar/recurrence-rule.ts";
import { ruleStepsMax } from "#/src/model/limits.ts";
import { houseThreads } from "#/src/threads/house-threads.ts";
import { createThreadPool } from "#/src/threads/thread-pool.ts";
import type { BusyItem, ItemBusy } from "../busy-item.ts";
import type { WorkMeter } from "../work-meter.ts";

export interface RuleJob {
  readonly started: StartedRule;
  readonly fromMs: number;
  readonly toMs: number;
}

export interface RuleAnswer {
  /** undefined: beyond the limits. */
  readonly starts: RuleStarts | undefined;
}

interface BusyAnswer {
  /** undefined: beyond the limits. */
  readonly found: ItemBusy | undefined;
  readonly spentMs: number;
}

export type ThreadJob = RuleJob | BusyItem;
export type ThreadAnswer = RuleAnswer | BusyAnswer;

export interface RuleExpansion extends AsyncDisposable {
  /** The result of work that expands rules. It is done again when a thread has expanded what took long, so it must change
   *  nothing. What is beyond the limits of a rule or of the meter is undefined to it. */
  evaluate<T>(meter: WorkMeter, work: (expandRule: ExpandRule) => T): Promise<T>;
  /** On the thread. Undefined: it takes more than one object may. */
  busyOf(meter: WorkMeter, item: BusyItem): Promise<ItemBusy | undefined>;
}

const timeLimitMs = 5000;
const overLimit: RuleAnswer & BusyAnswer = { starts: undefined, found: undefined, spentMs: timeLimitMs };
/** Times that work may find further rules behind those that it asked for before. */
const roundsMax = 3;
/** Rules of one object that are given to the thread. */
const jobsOfWorkMax = 10;
/** Answers that are kept; one has 10,000 starts at most. */
const keptMax = 200;

export function createRuleExpansion(fairness: Fairness = createFairness()): RuleExpansion {
  const pool = createThreadPool<ThreadJob, ThreadAnswer>({
    thread: houseThreads.rules,
    gate: fairness.gate("rules", jobsOf(1)),
    timeLimitMs,
    overLimit,
  });
  const kept = new Map<string, RuleAnswer>();

  function keep(key: string, answer: RuleAnswer): void {
    kept.set(key, answer);
    if (kept.size > keptMax) kept.delete(kept.keys().next().value!);
  }

  return {
    async evaluate(meter, work) {
      for (let round = 1; ; round++) {
        const missing = new Map<string, RuleJob>();
        const result = meter.measure(() =>
          work((started, fromMs, toMs) => {
            const quick = expandRule(started, fromMs, toMs, ruleStepsMax);
            if (quick !== undefined) return quick;
            const key = JSON.stringify([started, fromMs, toMs]);
            const answer = kept.get(key);
            if (answer === undefined) missing.set(key, { started, fromMs, toMs });
            return answer?.starts;
          }),
        );
        if (missing.size === 0 || round > roundsMax || meter.isBeyond) return result;
        for (const [key, job] of [...missing].slice(0, jobsOfWorkMax)) {
          meter.countRule();
          // An answer that the question was not allowed to ask for is not kept.
          if (meter.isBeyond) return result;
          keep(key, (await pool.run(job)) as RuleAnswer);
        }
      }
    },
    async busyOf(meter, item) {
      // What is read is part of a page of the store.
      const answer = await pool.run({ ...item, bytes: new Uint8Array(item.bytes) });
      const { found, spentMs } = answer as BusyAnswer;
      meter.count(spentMs);
      return found;
    },
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  };
}
