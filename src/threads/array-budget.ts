/** A bound on the octets of arrays that a thread makes. The bound on its heap counts only objects of JavaScript, but a document of
 *  a few KB may unpack to gigabytes of arrays. */

export interface ArrayBudget {
  /** Counts from 0 again. */
  restart(): void;
  /** Octets of all arrays since the last restart, also of those that are not in use any more. */
  readonly spent: number;
  readonly isOver: boolean;
}

/** Thrown where an array is made beyond the budget. A library may catch it and go on: the next array throws too. */
export class ArraysTooLarge extends Error {}

const arrayNames = [
  "ArrayBuffer",
  "Uint8Array",
  "Uint8ClampedArray",
  "Int8Array",
  "Uint16Array",
  "Int16Array",
  "Uint32Array",
  "Int32Array",
  "Float32Array",
  "Float64Array",
] as const;

type ArrayConstructor = new (...args: unknown[]) => object;

/** Counts every array that code of this thread makes from now on, also by `slice`, and removes what decompresses without counting. */
export function limitArrays(bytesMax: number): ArrayBudget {
  let spent = 0;
  for (const name of arrayNames) {
    const plain = globalThis[name] as unknown as ArrayConstructor & { readonly BYTES_PER_ELEMENT?: number };
    const width = plain.BYTES_PER_ELEMENT ?? 1;
    const counted: ArrayConstructor = new Proxy(plain, {
      construct(target, args, newTarget): object {
        spent += width * lengthOf(args[0]);
        if (spent > bytesMax) throw new ArraysTooLarge(`The arrays have more than ${bytesMax} octets`);
        return Reflect.construct(target, args, newTarget === counted ? target : newTarget);
      },
    });
    // Methods that create an array of the same kind use the constructor.
    if (name !== "ArrayBuffer") plain.prototype.constructor = counted;
    Object.assign(globalThis, { [name]: counted });
  }
  Reflect.deleteProperty(globalThis, "DecompressionStream");
  return {
    restart() {
      spent = 0;
    },
    get spent() {
      return spent;
    },
    get isOver() {
      return spent > bytesMax;
    },
  };
}

/** Number of elements of the new array; 0 if it is a view of existing memory. */
function lengthOf(from: unknown): number {
  if (typeof from === "number") return from;
  if (from === null || typeof from !== "object" || "byteLength" in from === false)
    return Number((from as { readonly length?: number } | undefined)?.length ?? 0);
  return ArrayBuffer.isView(from) ? Number((from as unknown as { length?: number }).length ?? 0) : 0;
}
