import { LoopTurns } from "#/src/fairness/loop-turns.ts";

/** Elements that are sorted at once: about a millisecond. */
const runLength = 1000;
/** Elements that are merged between two checks of the time. */
const mergedPerLook = 500;

/** A stable sort of a list of any length that lets other work run meanwhile. */
export async function sortInTurns<T>(items: readonly T[], compare: (a: T, b: T) => number): Promise<T[]> {
  if (items.length <= runLength) return items.toSorted(compare);
  const turns = new LoopTurns();
  let from: T[] = [];
  for (let start = 0; start < items.length; start += runLength) {
    for (const item of items.slice(start, start + runLength).sort(compare)) from.push(item);
    await turns.turn();
  }
  for (let width = runLength; width < items.length; width *= 2) {
    const merged: T[] = [];
    for (let start = 0; start < from.length; start += 2 * width) {
      const middle = Math.min(start + width, from.length);
      const end = Math.min(start + 2 * width, from.length);
      let left = start;
      let right = middle;
      while (left < middle || right < end) {
        const takesLeft = right >= end || (left < middle && compare(from[left]!, from[right]!) <= 0);
        merged.push(from[takesLeft ? left++ : right++]!);
        if (merged.length % mergedPerLook === 0) await turns.turn();
      }
    }
    from = merged;
  }
  return from;
}
