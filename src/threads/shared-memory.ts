/** Memory that threads share, so that octets go from one thread to another without a copy.
 *
 *  V8 does not count shared memory: no collection of garbage begins because of it, as it would for arrays (one for each 30 MiB of
 *  arrays). So memory that is given back is kept for the next use, up to a bound. Beyond the bound, this file starts the collections. */
import { sharedMemoryKeptMax } from "#/src/model/limits.ts";
import { collectGarbage } from "./collect-garbage.ts";

/** A smaller amount is cheaper to copy. */
export const sharedMemoryMin = 256 * 1024;

const mebibyte = 1024 * 1024;
/** There are few sizes, so that memory which was given back fits the next message. Larger sizes are multiples of the last one. Pages
 *  that are not written to take no memory of the system. */
const sizes = [0.5 * mebibyte, 2 * mebibyte, 8 * mebibyte] as const;

export type SharedOctets = Buffer<SharedArrayBuffer>;

/** The size of the memory that is taken for a number of octets. */
export function sharedMemorySize(octets: number): number {
  const largest = sizes[2];
  return sizes.find((size) => octets <= size) ?? Math.ceil(octets / largest) * largest;
}

export class SharedMemory {
  readonly #kept = new Map<number, SharedArrayBuffer[]>();
  /** Memory in use. If memory were given back twice, two messages would have the same memory. */
  readonly #taken = new WeakSet<SharedArrayBuffer>();
  readonly #keptMax: number;
  readonly #collect: () => void;
  #keptBytes = 0;
  /** The lowest value of kept octets since the last look: nobody has used these. */
  #unusedBytes = 0;
  /** Octets that the next collection of garbage releases. */
  #droppedBytes = 0;

  constructor(keptMax = sharedMemoryKeptMax, collect: () => void = collectGarbage) {
    this.#keptMax = keptMax;
    this.#collect = collect;
  }

  /** Octets that are kept for the next use. */
  get keptBytes(): number {
    return this.#keptBytes;
  }

  /** Memory for this number of octets or more. It has octets of its last use in it. */
  take(octets: number): SharedOctets {
    const size = sharedMemorySize(octets);
    const kept = this.#kept.get(size)?.pop();
    if (kept !== undefined) {
      this.#keptBytes -= size;
      this.#unusedBytes = Math.min(this.#unusedBytes, this.#keptBytes);
    }
    const buffer = kept ?? new SharedArrayBuffer(size);
    this.#taken.add(buffer);
    return Buffer.from(buffer);
  }

  /** Gives back what `take` gave: the next use writes into it. Giving it back again does nothing. */
  giveBack({ buffer }: SharedOctets): void {
    if (!this.#taken.delete(buffer)) return;
    const size = buffer.byteLength;
    if (this.#keptBytes + size > this.#keptMax) {
      this.#drop(size);
      return;
    }
    this.#keptBytes += size;
    const same = this.#kept.get(size);
    if (same === undefined) this.#kept.set(size, [buffer]);
    else same.push(buffer);
  }

  /** To be called from time to time: drops what was kept and not used since the last call. */
  dropUnused(): void {
    const keptMax = this.#keptBytes - this.#unusedBytes;
    for (const [size, buffers] of this.#kept)
      while (this.#keptBytes > keptMax && buffers.length > 0) {
        buffers.shift();
        this.#keptBytes -= size;
        this.#drop(size);
      }
    this.#unusedBytes = this.#keptBytes;
  }

  /** Drops all that is kept. The caller collects garbage. */
  dropAll(): void {
    this.#kept.clear();
    this.#keptBytes = 0;
    this.#unusedBytes = 0;
    this.#droppedBytes = 0;
  }

  #drop(size: number): void {
    this.#droppedBytes += size;
    if (this.#droppedBytes < this.#keptMax) return;
    this.#droppedBytes = 0;
    this.#collect();
  }
}

/** The shared memory of this thread. */
export const sharedMemory = new SharedMemory();
