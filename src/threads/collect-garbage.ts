import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

let collect: (() => void) | undefined;

/** Of this thread, at once. V8 does it when a heap grows, and not when a thread has nothing to do: what was freed last stays, with
 *  the memory outside of the heap that belongs to it. */
export function collectGarbage(): void {
  if (collect === undefined) {
    setFlagsFromString("--expose-gc");
    collect = runInNewContext("gc") as () => void;
  }
  collect();
}
