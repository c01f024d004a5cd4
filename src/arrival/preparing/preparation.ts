/** Prepares messages outside the main thread.
 *
 *  Parsing, hashing and compressing cost more than everything else that the main thread does for a message, and the sender of a hostile
 *  message chooses its cost. Threads do this work, within limits of processor time and memory (`src/threads`). A message from another
 *  server that exceeds them is prepared again without evidence. If it exceeds them again, it is refused permanently. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Origin } from "#/src/evidence/examine.ts";
import { createFairness, type Fairness } from "#/src/fairness/fairness.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { addressOwner } from "#/src/model/owner.ts";
import { houseThreads } from "#/src/threads/house-threads.ts";
import { createJobThreads, type JobLimits } from "#/src/threads/job-threads.ts";
import type { PreparationJob, PreparationSettings, Prepared } from "./messages.ts";

export interface Preparation {
  /** The facts of a message, and with an origin the evidence of who sent it. The bytes must not change until it resolves.
   *  Throws `invalid` for a message that takes too much work, and whatever `JobThreads.run` throws. */
  prepare(bytes: Uint8Array, origin?: Origin): Promise<Prepared>;
  close(): Promise<void>;
}

/** Messages of this size or more may take long. Smaller ones do not wait for them. */
const slowBytesMin = 256 * 1024;
/** Octets that are copied in one turn of the event loop. */
const copiedBytes = 1024 * 1024;
/** Messages up to this size are copied for the thread, and both copies can be released at once. Shared memory is released only when both
 *  threads have collected garbage, and much of it makes garbage collections more frequent. */
const givenBytesMax = 4 * 1024 * 1024;

export function createPreparation(
  settings: PreparationSettings,
  fairness: Fairness = createFairness(),
  limits: Partial<JobLimits> = {},
): Preparation {
  const threads = createJobThreads<PreparationSettings, PreparationJob, Prepared>({
    thread: houseThreads.preparer,
    settings,
    gate: fairness.gate("preparers"),
    limits,
    cheaper: ({ bytes, origin, isUnexamined }) =>
      origin === undefined || isUnexamined === true ? undefined : { bytes, origin, isUnexamined: true },
    refusal: () => new WaypostError("invalid", "The message takes too much work to be understood."),
  });
  /** The buffers of running jobs. The thread releases its copy. Jobs that are posted together share one copy of a buffer that both name. */
  const underWay = new Set<ArrayBufferLike>();
  return {
    async prepare(bytes, origin) {
      const owner = origin && addressOwner(origin.remoteAddress);
      const size = { bytes: bytes.byteLength, isSlow: bytes.byteLength >= slowBytesMin, owner };
      const shared = await sharedBytes(bytes);
      const given = underWay.has(shared.buffer) ? new Uint8Array(shared) : shared;
      underWay.add(given.buffer);
      try {
        return await threads.run({ bytes: given, origin }, size);
      } finally {
        underWay.delete(given.buffer);
      }
    },
    close: threads.close,
  };
}

/** Posting an array to a thread copies the whole buffer of the array. Very large arrays are put into shared memory instead. */
async function sharedBytes(bytes: Uint8Array): Promise<Uint8Array> {
  if (bytes.buffer instanceof SharedArrayBuffer) return bytes;
  if (bytes.byteLength < givenBytesMax)
    return bytes.buffer.byteLength < 2 * bytes.byteLength ? bytes : new Uint8Array(bytes);
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.byteLength));
  for (let at = 0; at < bytes.byteLength; at += copiedBytes) {
    shared.set(bytes.subarray(at, at + copiedBytes), at);
    await nextTurn();
  }
  return shared;
}
