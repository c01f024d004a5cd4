/** Prepares messages outside the main thread.
 *
 *  Parsing, hashing and compressing cost more than everything else that the main thread does for a message, and the sender of a hostile
 *  message chooses its cost. Threads do this work, within limits of processor time and memory (`src/threads`). A message from another
 *  server that exceeds them is prepared again without evidence. If it exceeds them again, it is refused permanently. */

import type { Origin } from "#/src/evidence/examine.ts";
import { createFairness, type Fairness } from "#/src/fairness/fairness.ts";
import type { AskThread } from "#/src/mail/header-reading.ts";
import { loopTurn } from "#/src/model/background.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { addressOwner } from "#/src/model/owner.ts";
import { createClassPool } from "#/src/threads/classes.ts";
import { type SharedOctets, sharedMemory, sharedMemoryMin } from "#/src/threads/shared-memory.ts";
import type { JobSize } from "#/src/threads/task.ts";
import type { PoolLimits } from "#/src/threads/thread-pool.ts";
import type { MessageFacts } from "#/storage/rows.ts";
import type {
  HeaderAnswer,
  HeaderJob,
  PreparationJob,
  PreparationSettings,
  Prepared,
  Put,
} from "./messages.ts";

export interface Preparation {
  /** The facts of a message, and with an origin the evidence of who sent it. The bytes must not change until it resolves.
   *  Throws `invalid` for a message that takes too much work, and whatever `ThreadPool.run` throws. */
  prepare(bytes: Uint8Array, origin?: Origin): Promise<Prepared>;
  /** The same for a message that its owner puts into a mailbox. */
  preparePut(bytes: Uint8Array, put: Put): Promise<MessageFacts>;
  /** Reads what is asked for of a header. */
  readonly ask: AskThread;
  /** Makes sure that messages can be prepared: one has been within the last minute, or else one of its own is now. Throws what `prepare`
   *  throws. */
  prove(): Promise<void>;
  close(): Promise<void>;
}

/** A thread that is not used ends after half of it, so that asking keeps none. */
const provedMs = 60_000;
const probe = Buffer.from("Subject: Can it be read?\r\n\r\n");

/** Messages of this size or more may take long. Smaller ones do not wait for them. */
const slowBytesMin = 256 * 1024;
/** Octets that are copied in one turn of the event loop. */
const copiedBytes = 1024 * 1024;

export function createPreparation(
  settings: PreparationSettings,
  fairness: Fairness = createFairness(),
  limits: Partial<PoolLimits> = {},
): Preparation {
  const threads = createClassPool<PreparationSettings, PreparationJob | HeaderJob, Prepared | HeaderAnswer>(
    "arrival",
    fairness,
    {
      settings,
      limits,
    },
  );
  async function run(job: PreparationJob, size: JobSize): Promise<Prepared> {
    const prepared =
      (await threads.run(job, size)) ??
      (job.origin && (await threads.run({ ...job, isUnexamined: true }, { ...size, isSlow: true })));
    if (prepared === undefined)
      throw new WaypostError("invalid", "The message takes too much work to be understood.");
    return prepared as Prepared;
  }
  /** The buffers of running jobs. The thread releases its copy. Jobs that are posted together share one copy of a buffer that both name. */
  const underWay = new Set<ArrayBufferLike>();
  async function give(job: PreparationJob): Promise<Prepared> {
    const { bytes, origin } = job;
    const owner = origin && addressOwner(origin.remoteAddress);
    const size = { bytes: bytes.byteLength, isSlow: bytes.byteLength >= slowBytesMin, owner };
    if (bytes.buffer instanceof SharedArrayBuffer) return run(job, size);
    if (bytes.byteLength >= sharedMemoryMin) {
      const shared = await sharedCopy(bytes);
      const prepared = await run({ ...job, bytes: shared }, size);
      // After an error a thread may still read it.
      sharedMemory.giveBack(shared);
      return prepared;
    }
    // Posting an array to a thread copies the whole buffer of the array.
    const isOwn = bytes.buffer.byteLength < 2 * bytes.byteLength && !underWay.has(bytes.buffer);
    const given = isOwn ? bytes : new Uint8Array(bytes);
    underWay.add(given.buffer);
    try {
      return await run({ ...job, bytes: given }, size);
    } finally {
      underWay.delete(given.buffer);
    }
  }
  const preparation: Preparation = {
    prepare: (bytes, origin) => give({ bytes, origin }),
    preparePut: async (bytes, put) => (await give({ bytes, put })).facts,
    async ask(want, bytes) {
      // The octets may be part of a larger buffer: only their copy is sent.
      const isLarge = bytes.byteLength >= sharedMemoryMin;
      const given = isLarge ? await sharedCopy(bytes) : new Uint8Array(bytes);
      const answer = await threads.run(
        { want, bytes: given },
        { bytes: bytes.byteLength, isSlow: bytes.byteLength >= slowBytesMin },
      );
      if (isLarge) sharedMemory.giveBack(given as SharedOctets);
      return answer as HeaderAnswer | undefined;
    },
    async prove() {
      if (threads.silentForMs() > provedMs) await preparation.prepare(probe);
    },
    async close() {
      await threads[Symbol.asyncDispose]();
    },
  };
  return preparation;
}

async function sharedCopy(bytes: Uint8Array): Promise<SharedOctets> {
  const shared = sharedMemory.take(bytes.byteLength).subarray(0, bytes.byteLength);
  for (let at = 0; at < bytes.byteLength; at += copiedBytes) {
    shared.set(bytes.subarray(at, at + copiedBytes), at);
    if (at > 0) await loopTurn();
  }
  return shared;
}
