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
  // Once over thousands of entries, without an array for each.
  const differences: string[] = [];
  const places: number[] = [];
  let [last, step, count] = [0, 0, 0];
  const end = (): void => {
    if (count > 0) differences.push(count === 1 ? `${step}` : `${step}*${count}`);
  };
  let place = 0;
  for (const { message } of inOrder(entries)) {
    place++;
    if (gone.has(message)) places.push(place);
    if (message - last === step && count > 0) count++;
    else {
      end();
      step = message - last;
      count = 1;
    }
    last = message;
  }
  end();
  const data: RemovalData = {
    messages: differences.join(","),
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
