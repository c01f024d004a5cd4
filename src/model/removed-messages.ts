/** What a removal of entries says in the change log besides their UIDs: the message of each, and which messages had no other place. */
import {
  formatNumberSet,
  hasNumber,
  type NumberSet,
  numberSetOf,
  numbersIn,
  parseNumberSet,
} from "./number-set.ts";
import type { MessageNumber, Uid } from "./numbers.ts";

export interface RemovedEntry {
  readonly uid: Uid;
  readonly message: MessageNumber;
}

export interface RemovedMessage extends RemovedEntry {
  /** The message was deleted with this entry. */
  readonly isGone: boolean;
}

interface RemovalData {
  /** Messages in the order of their UIDs: the difference of each to the one before, `d*n` where it repeats. */
  readonly messages: string;
  /** The places in that order, from 1, of those that were deleted: a number set. */
  readonly gone?: string;
}

/** As JSON. `gone`: messages that were deleted, of any mailbox. */
export function formatRemoval(entries: readonly RemovedEntry[], gone: ReadonlySet<number>): string {
  const messages = inOrder(entries).map(({ message }) => message);
  const places = messages.flatMap((message, at) => (gone.has(message) ? [at + 1] : []));
  const data: RemovalData = {
    messages: formatDifferences(messages),
    ...(places.length === 0 ? {} : { gone: formatNumberSet(numberSetOf(places)) }),
  };
  return JSON.stringify(data);
}

/** `ids`: the UIDs. No messages for a removal without data, from before it was kept. */
export function parseRemoval(ids: NumberSet, data: string | null): RemovedMessage[] {
  if (data === null) return [];
  const { messages, gone = "" } = JSON.parse(data) as RemovalData;
  const places = parseNumberSet(gone);
  const uids = [...numbersIn(ids)];
  return parseDifferences(messages).map((message, at) => ({
    uid: uids[at] as Uid,
    message: message as MessageNumber,
    isGone: hasNumber(places, at + 1),
  }));
}

function inOrder(entries: readonly RemovedEntry[]): readonly RemovedEntry[] {
  for (let at = 1; at < entries.length; at++)
    if (entries[at]!.uid < entries[at - 1]!.uid) return entries.toSorted((a, b) => a.uid - b.uid);
  return entries;
}

function formatDifferences(numbers: readonly number[]): string {
  const parts: string[] = [];
  for (let at = 0; at < numbers.length; ) {
    const step = difference(numbers, at);
    let end = at + 1;
    while (end < numbers.length && difference(numbers, end) === step) end++;
    parts.push(end - at === 1 ? `${step}` : `${step}*${end - at}`);
    at = end;
  }
  return parts.join(",");
}

function difference(numbers: readonly number[], at: number): number {
  return numbers[at]! - (numbers[at - 1] ?? 0);
}

function parseDifferences(text: string): number[] {
  const numbers: number[] = [];
  let last = 0;
  for (const part of text.split(",")) {
    const [step, count = 1] = part.split("*").map(Number) as [number, number?];
    for (let left = count; left > 0; left--) {
      last += step;
      numbers.push(last);
    }
  }
  return numbers;
}
