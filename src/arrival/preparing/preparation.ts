/** Understanding messages away from the main thread.
 *
 *  Parsing, hashing and compressing cost more than everything else that the main thread does for a message, and a hostile one
 *  costs as much as its sender likes. Threads do it, within limits of processor time and memory (`src/threads`). A message from
 *  outside that goes beyond them is prepared again without evidence, and if it still does, it is refused for good. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Origin } from "#/src/evidence/examine.ts";
import { createFairness, type Fairness } from "#/src/fairness/fairness.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { addressOwner } from "#/src/model/owner.ts";
import { houseThreads } from "#/src/threads/house-threads.ts";
import { createJobThreads, type JobLimits } from "#/src/threads/job-threads.ts";
import type { PreparationJob, PreparationSettings, Prepared } from "./messages.ts";

export interface Preparation {
  /** The facts of a message, and with an origin the evidence of who sent it. The bytes are not changed until it resolves.
   *  Throws `invalid` for a message that is too much work to be understood, and what `JobThreads.run` does. */
  prepare(bytes: Uint8Array, origin?: Origin): Promise<Prepared>;
  close(): Promise<void>;
}

/** From this size on a message may take long, and those below it do not wait for it. */
const slowBytesMin = 256 * 1024;
/** What one turn of the loop copies. */
const copiedBytes = 1024 * 1024;
/** Up to this a message is copied when it goes over, and both copies can be given back at once. Shared memory stays until both threads
 *  have collected garbage, and its amount makes them do so more often. */
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
  /** The thread gives its copy back; jobs that go over together have one copy of a buffer that both name. */
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

/** Arrays are copied when they go over, with all of the memory that they lie in; very large ones go over as memory that both threads
 *  have. */
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
