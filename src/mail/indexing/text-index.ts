/** The search index for the main thread. If it is behind or missing, it has no answer for a message. */
import type { AgentNumber, MessageNumber, Modseq } from "#/src/model/numbers.ts";
import { foldKey, type TextKey } from "../search/search-document.ts";
import type { SearchKey } from "../search/search-keys.ts";

/** The index's answer for an agent's messages up to a number. */
export interface IndexAnswer {
  readonly upTo: Modseq;
  /** For each key, the messages that match it, ascending. */
  readonly found: readonly Float64Array[];
  /** Messages up to that number that are not in the index, ascending. */
  readonly unindexed: Float64Array;
}

/** For one message: for each key whether it matches, or undefined if the searched part does not decide it. */
export type Held = readonly (boolean | undefined)[];

export type LookedAt = "header" | "body";

export interface TextIndex extends AsyncDisposable {
  /** The keys are folded. undefined: the caller has to read the messages themselves. */
  find(agent: AgentNumber, keys: readonly TextKey[]): Promise<IndexAnswer | undefined>;
  /** For messages that the index does not have: reads each message and finds which keys its header or its body matches. The keys are
   *  folded. undefined: the thread ended or does not run. */
  examine(
    agent: AgentNumber,
    messages: readonly MessageNumber[],
    keys: readonly TextKey[],
    where: LookedAt,
  ): Promise<readonly (Held | undefined)[] | undefined>;
  /** The previews of messages that are in the index. */
  findPreviews(
    agent: AgentNumber,
    messages: readonly MessageNumber[],
  ): Promise<ReadonlyMap<MessageNumber, string>>;
  /** Resolves when all messages stored now are in the index, and deleted ones are not. */
  settle(): Promise<void>;
}

/** Whether a message matches a key; undefined if the index does not have the message. */
export type IndexLookup = (key: TextKey, message: MessageNumber) => boolean | undefined;

/** Messages up to a number that can match; above it the index has no answer. */
export interface IndexCandidates {
  readonly upTo: number;
  /** Ascending. */
  readonly numbers: Float64Array;
}

export interface IndexView {
  readonly lookUp: IndexLookup;
  /** undefined: every message can match. */
  readonly candidates: IndexCandidates | undefined;
}

/** Looks up every text key in the index. */
export async function lookUpText(
  index: TextIndex | undefined,
  agent: AgentNumber,
  key: SearchKey,
): Promise<IndexView> {
  const keys = index === undefined ? [] : listTextKeys(key);
  const answer = keys.length === 0 ? undefined : await index!.find(agent, keys.map(foldKey));
  if (answer === undefined) return { lookUp: () => undefined, candidates: undefined };
  const found = new Map<SearchKey, Float64Array>(keys.map((one, at) => [one, answer.found[at]!]));
  const needed = neededHolders(key, found);
  return {
    lookUp(one, message) {
      if (message > answer.upTo || holdsNumber(answer.unindexed, message)) return undefined;
      const holders = found.get(one);
      return holders === undefined ? undefined : holdsNumber(holders, message);
    },
    candidates: needed && { upTo: answer.upTo, numbers: uniteNumbers(needed, answer.unindexed) },
  };
}

/** The only messages that can match: for keys that must all match, those of the rarest key; for alternatives, those of all of them. */
function neededHolders(
  key: SearchKey,
  found: ReadonlyMap<SearchKey, Float64Array>,
): Float64Array | undefined {
  if (key.kind !== "and" && key.kind !== "or") return found.get(key);
  const ofKeys = key.keys.map((one) => neededHolders(one, found));
  const known = ofKeys.filter((one) => one !== undefined);
  if (key.kind === "and") return known.toSorted((a, b) => a.length - b.length)[0];
  return known.length < ofKeys.length ? undefined : known.reduce(uniteNumbers);
}

/** The union of two ascending lists, ascending. */
function uniteNumbers(a: Float64Array, b: Float64Array): Float64Array {
  if (b.length === 0) return a;
  const united = new Float64Array(a.length + b.length);
  united.set(a);
  united.set(b, a.length);
  united.sort();
  return united.filter((number, at) => number !== united[at - 1]);
}

/** A binary search: building a set of so many numbers would block the event loop. */
function holdsNumber(ascending: Float64Array, number: number): boolean {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle]! < number) low = middle + 1;
    else high = middle;
  }
  return ascending[low] === number;
}

/** The text keys inside a key. */
export function listTextKeys(key: SearchKey): TextKey[] {
  switch (key.kind) {
    case "and":
    case "or":
      return key.keys.flatMap(listTextKeys);
    case "not":
      return listTextKeys(key.key);
    case "header":
    case "body":
    case "text":
      return [key];
    default:
      return [];
  }
}
