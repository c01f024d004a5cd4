/** Sets of positive numbers as sorted, disjoint, non-adjacent ranges; their text is that of an IMAP sequence set without
 *  `*` (RFC 9051 section 9, `sequence-set`): "4,7:9". Used for UIDs, sequence numbers and object numbers. */

export type NumberRange = readonly [first: number, last: number];
export type NumberSet = readonly NumberRange[];

export const emptyNumberSet: NumberSet = [];

/** The normal form of any ranges, in any order and direction. */
export function numberSetOfRanges(ranges: readonly NumberRange[]): NumberSet {
  if (ranges.length === 1 && ranges[0]![0] <= ranges[0]![1]) return ranges;
  const sorted = [...ranges].map(([a, b]): [number, number] => (a <= b ? [a, b] : [b, a]));
  sorted.sort((a, b) => a[0] - b[0]);
  const merged: [number, number][] = [];
  for (const range of sorted) {
    const last = merged.at(-1);
    if (last !== undefined && range[0] <= last[1] + 1) last[1] = Math.max(last[1], range[1]);
    else merged.push(range);
  }
  return merged;
}

export function numberSetOf(numbers: Iterable<number>): NumberSet {
  const list = Array.isArray(numbers) ? (numbers as readonly number[]) : [...numbers];
  // The numbers are mostly in order already: one pass, without a copy.
  return rangesOf(list) ?? rangesOf(Float64Array.from(list).sort())!;
}

/** undefined for numbers that do not ascend. */
function rangesOf(numbers: ArrayLike<number>): [number, number][] | undefined {
  const ranges: [number, number][] = [];
  let range: [number, number] | undefined;
  for (let at = 0; at < numbers.length; at++) {
    const number = numbers[at]!;
    if (range !== undefined && number <= range[1] + 1) {
      if (number < range[1]) return undefined;
      range[1] = number;
    } else {
      range = [number, number];
      ranges.push(range);
    }
  }
  return ranges;
}

export function formatNumberSet(set: NumberSet): string {
  return set.map(([first, last]) => (first === last ? `${first}` : `${first}:${last}`)).join(",");
}

/** Parses text that `formatNumberSet` wrote. Text from clients is parsed by the protocol's own grammar. */
export function parseNumberSet(text: string): NumberSet {
  if (text === "") return emptyNumberSet;
  return numberSetOfRanges(
    text.split(",").map((part): NumberRange => {
      const [first, last = first] = part.split(":");
      return [Number(first), Number(last)];
    }),
  );
}

export function countNumbers(set: NumberSet): number {
  let count = 0;
  for (const [first, last] of set) count += last - first + 1;
  return count;
}

export function hasNumber(set: NumberSet, number: number): boolean {
  let low = 0;
  let high = set.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const [first, last] = set[middle]!;
    if (number < first) high = middle - 1;
    else if (number > last) low = middle + 1;
    else return true;
  }
  return false;
}

export function uniteNumberSets(a: NumberSet, b: NumberSet): NumberSet {
  return numberSetOfRanges([...a, ...b]);
}

/** The numbers in both sets. */
export function intersectNumberSets(a: NumberSet, b: NumberSet): NumberSet {
  const common: NumberRange[] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const [firstA, lastA] = a[i]!;
    const [firstB, lastB] = b[j]!;
    const first = Math.max(firstA, firstB);
    const last = Math.min(lastA, lastB);
    if (first <= last) common.push([first, last]);
    if (lastA < lastB) i++;
    else j++;
  }
  return common;
}

/** The numbers in the first set and not in the second. */
export function subtractNumberSets(a: NumberSet, b: NumberSet): NumberSet {
  if (b.length === 0) return a;
  const left: NumberRange[] = [];
  let j = 0;
  for (const [first, last] of a) {
    let from = first;
    while (j < b.length && b[j]![1] < from) j++;
    for (let k = j; k < b.length && b[k]![0] <= last; k++) {
      const [gapFirst, gapLast] = b[k]!;
      if (gapFirst > from) left.push([from, gapFirst - 1]);
      from = gapLast + 1;
      j = k;
    }
    if (from <= last) left.push([from, last]);
  }
  return left;
}

/** The set divided into pieces of at most `countMax` numbers, ascending. */
export function* piecesOfNumberSet(set: NumberSet, countMax: number): Generator<NumberSet> {
  let piece: NumberRange[] = [];
  let room = countMax;
  for (const [first, last] of set)
    for (let from = first; from <= last; ) {
      const to = Math.min(last, from + room - 1);
      piece.push([from, to]);
      room -= to - from + 1;
      from = to + 1;
      if (room > 0) continue;
      yield piece;
      piece = [];
      room = countMax;
    }
  if (piece.length > 0) yield piece;
}

/** Every number of a set, ascending. The caller has made sure that the set is small enough. */
export function* numbersIn(set: NumberSet): Generator<number> {
  for (const [first, last] of set) for (let number = first; number <= last; number++) yield number;
}
