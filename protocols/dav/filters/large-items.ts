/** Items that are large, that repeat, or whose calendar has a time zone of its own are read on a thread: an object of 4 MiB can have
 *  hundreds of thousands of lines, a rule of many steps takes seconds, and a card with a photo is converted whole. Other items are read
 *  on the main thread, which costs less than a message to a thread. */
import type { WorkMeter } from "#/src/collections/work-meter.ts";
import { needsRules } from "#/src/formats/icalendar/needs-rules.ts";
import { mainBytesMax } from "#/src/model/limits.ts";
import type { Reading } from "#/src/threads/reading.ts";
import type { DataQuestion, MatchQuestion, QuestionAnswer, QuestionJob } from "./item-questions.ts";

export interface LargeItems {
  /** An item that takes longer than the time limit counts as a match, so that no client misses it. */
  isMatch(meter: WorkMeter, bytes: Uint8Array, question: MatchQuestion): Promise<boolean>;
  /** undefined beyond the limits. */
  select(meter: WorkMeter, bytes: Uint8Array, question: DataQuestion): Promise<Uint8Array | undefined>;
}

const timeLimitMs = 5000;

export function isLarge(bytes: Uint8Array): boolean {
  return bytes.length > mainBytesMax;
}

/** Of a calendar object. */
export function takesLong(bytes: Uint8Array): boolean {
  return isLarge(bytes) || needsRules(bytes);
}

export function createLargeItems(reading: Reading): LargeItems {
  async function ask(meter: WorkMeter, bytes: Uint8Array, question: QuestionJob["question"]) {
    // The bytes are part of a larger page of the store: only their copy is sent.
    const job: QuestionJob = { bytes: new Uint8Array(bytes), question };
    const size = { bytes: bytes.length, limitMs: timeLimitMs };
    const answer = await reading.read<QuestionAnswer>("questions", job, size);
    meter.count(answer?.spentMs ?? timeLimitMs);
    return answer?.result;
  }

  return {
    async isMatch(meter, bytes, question) {
      return (await ask(meter, bytes, question)) !== false;
    },
    async select(meter, bytes, question) {
      const result = await ask(meter, bytes, question);
      return result instanceof Uint8Array ? result : undefined;
    },
  };
}
