/** The first index of a sorted list whose number is not below the given one; the length of the list if there is none. */
export function lowerBound(sorted: ArrayLike<number>, number: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < number) low = middle + 1;
    else high = middle;
  }
  return low;
}
