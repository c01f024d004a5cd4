/** Large items are read on a thread: an object of 4 MiB can have hundreds of thousands of lines, and a card with a photo is converted
 *  whole. Other items are read on the main thread, which costs less than a message to a thread. */
import type { WorkMeter } from "#/src/collections/work-meter.ts";
import { createFairness, type Fairness, jobsOf } from "#/src/fairness/fairness.ts";
import { mainBytesMax } from "#/src/model/limits.ts";
import { houseThreads } from "#/src/threads/house-threads.ts";
import { createThreadPool } from "#/src/threads/thread-pool.ts";
import type { DataQuestion, MatchQuestion, QuestionAnswer, QuestionJob } from "./item-questions.ts";

export interface LargeItems extends AsyncDisposable {
  /** An item that takes longer than the time limit counts as a match, so that no client misses it. */
  isMatch(meter: WorkMeter, bytes: Uint8Array, question: MatchQuestion): Promise<boolean>;
  /** undefined beyond the limits. */
  select(meter: WorkMeter, bytes: Uint8Array, question: DataQuestion): Promise<Uint8Array | undefined>;
}

const timeLimitMs = 5000;
const overLimit: QuestionAnswer = { result: undefined, spentMs: timeLimitMs };

export function isLarge(bytes: Uint8Array): boolean {
  return bytes.length > mainBytesMax;
}

export function createLargeItems(fairness: Fairness = createFairness()): LargeItems {
  const pool = createThreadPool<QuestionJob, QuestionAnswer>({
    thread: houseThreads.questions,
    gate: fairness.gate("questions", jobsOf(1)),
    timeLimitMs,
    overLimit,
  });

  async function ask(meter: WorkMeter, bytes: Uint8Array, question: QuestionJob["question"]) {
    const { result, spentMs } = await pool.run({ bytes: new Uint8Array(bytes), question });
    meter.count(spentMs);
    return result;
  }

  return {
    async isMatch(meter, bytes, question) {
      return (await ask(meter, bytes, question)) !== false;
    },
    async select(meter, bytes, question) {
      const result = await ask(meter, bytes, question);
      return result instanceof Uint8Array ? result : undefined;
    },
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  };
}
