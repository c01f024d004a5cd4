/** Expands recurrence rules and computes busy time for queries over many objects. Most rules cost less than a millisecond and are
 *  expanded at once. A rule that needs more steps (it may be hostile) is given to a thread with a limit, and its result is cached. */

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
  /** The result of work that expands rules. The work runs again after a thread has expanded a long rule, so it must not change any
   *  state. A rule beyond the limits, or beyond the meter, is undefined for it. */
  evaluate<T>(meter: WorkMeter, work: (expandRule: ExpandRule) => T): Promise<T>;
  /** Runs on the thread. undefined: it needs more work than one object may cost. */
  busyOf(meter: WorkMeter, item: BusyItem): Promise<ItemBusy | undefined>;
}

const timeLimitMs = 5000;
const overLimit: RuleAnswer & BusyAnswer = { starts: undefined, found: undefined, spentMs: timeLimitMs };
/** How many times work may run again because it needs further rules. */
const roundsMax = 3;
/** Bound on the rules of one object that are given to the thread. */
const jobsOfWorkMax = 10;
/** Bound on the cached results; one has at most 10,000 starts. */
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
          // The query has used up its work: the result is not complete and not cached.
          if (meter.isBeyond) return result;
          keep(key, (await pool.run(job)) as RuleAnswer);
        }
      }
    },
    async busyOf(meter, item) {
      // The bytes are part of a larger page of the store: only their copy is sent.
      const answer = await pool.run({ ...item, bytes: new Uint8Array(item.bytes) });
      const { found, spentMs } = answer as BusyAnswer;
      meter.count(spentMs);
      return found;
    },
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  };
}
