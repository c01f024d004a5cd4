/** Positions of ADDTO and REMOVEFROM in the result of a SORT (RFC 5267 sections 4.3.3 and 4.3.4). Pure. A position counts from 1. */

export interface PlacedUid {
  readonly uid: number;
  /** Position in the result after all new messages are inserted. */
  readonly position: number;
}

/** The positions of new messages. `order` is the result as the client has it, with deleted messages that it does not know to be
 *  deleted; `sorted` has the remaining ones and the new ones, in their order. The positions ascend. */
export function insertSorted(
  order: readonly number[],
  sorted: readonly number[],
  added: ReadonlySet<number>,
): PlacedUid[] {
  const behind = new Map<number | undefined, number[]>();
  let last: number | undefined;
  for (const uid of sorted) {
    if (!added.has(uid)) last = uid;
    else if (behind.has(last)) behind.get(last)!.push(uid);
    else behind.set(last, [uid]);
  }
  const placed: PlacedUid[] = [];
  let position = 0;
  const place = (after: number | undefined): void => {
    for (const uid of behind.get(after) ?? []) placed.push({ uid, position: ++position });
  };
  place(undefined);
  for (const uid of order) {
    position++;
    place(uid);
  }
  return placed;
}

/** The result with the new messages in their places. */
export function withPlaced(order: readonly number[], placed: readonly PlacedUid[]): number[] {
  const result: number[] = [];
  let at = 0;
  for (const { uid, position } of placed) {
    while (result.length < position - 1) result.push(order[at++]!);
    result.push(uid);
  }
  return [...result, ...order.slice(at)];
}

/** A number as the client knows the message, and its position. */
export interface PositionedNumber {
  readonly position: number;
  readonly number: number;
}

/** Each pair is inserted at its position, one after the other. */
export function formatAdded(added: readonly PositionedNumber[]): string {
  return formatPairs(added, (first) => first);
}

/** Positions are those of the result before; each pair is removed before the next one counts. */
export function formatRemoved(removed: readonly PositionedNumber[]): string {
  return formatPairs(removed, (first, before) => first - before);
}

/** Writes neighbours whose numbers ascend by one as one pair. `shown`: gives the position of a pair behind so many numbers. */
function formatPairs(
  changes: readonly PositionedNumber[],
  shown: (position: number, before: number) => number,
): string {
  const pairs: string[] = [];
  for (let first = 0, last = 0; first < changes.length; first = ++last) {
    while (isNext(changes[last]!, changes[last + 1])) last++;
    const { position, number } = changes[first]!;
    const set = first === last ? `${number}` : `${number}:${changes[last]!.number}`;
    pairs.push(`${shown(position, first)} ${set}`);
  }
  return pairs.join(" ");
}

function isNext(one: PositionedNumber, other: PositionedNumber | undefined): boolean {
  return other !== undefined && other.position === one.position + 1 && other.number === one.number + 1;
}
