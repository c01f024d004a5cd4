/** The search index as the main thread sees it: it may be behind, or not there, and then it says nothing of a message. */
import type { AgentNumber, MessageNumber, Modseq } from "#/src/model/numbers.ts";
import { foldKey, type TextKey } from "../search-document.ts";
import type { SearchKey } from "../search-keys.ts";

/** What the index knows of an agent's messages up to a number. */
export interface IndexAnswer {
  readonly upTo: Modseq;
  /** For each key, the messages that hold it, ascending. */
  readonly found: readonly Float64Array[];
  /** Messages up to there that are not in the index, ascending. */
  readonly unindexed: Float64Array;
}

/** Of a message, for each key whether it holds it, or undefined where the part that was looked at does not decide. */
export type Held = readonly (boolean | undefined)[];

export type LookedAt = "header" | "body";

export interface TextIndex extends AsyncDisposable {
  /** The keys are folded. undefined: ask the messages themselves. */
  find(agent: AgentNumber, keys: readonly TextKey[]): Promise<IndexAnswer | undefined>;
  /** For each message, which of the keys its header or its body holds, by looking into the message itself: what the index does
   *  not have. The keys are folded. undefined: the thread ended, or was not there. */
  examine(
    agent: AgentNumber,
    messages: readonly MessageNumber[],
    keys: readonly TextKey[],
    where: LookedAt,
  ): Promise<readonly (Held | undefined)[] | undefined>;
  /** The beginning of what messages say, of those that it has. */
  findPreviews(
    agent: AgentNumber,
    messages: readonly MessageNumber[],
  ): Promise<ReadonlyMap<MessageNumber, string>>;
  /** Settles when everything that is stored now is in the index, and what is gone is not. */
  settle(): Promise<void>;
}

/** Whether a message holds a key; undefined when the index does not have it. */
export type IndexLookup = (key: TextKey, message: MessageNumber) => boolean | undefined;

/** Messages up to a number that can fit; above it the index knows nothing. */
export interface IndexCandidates {
  readonly upTo: number;
  /** Ascending. */
  readonly numbers: Float64Array;
}

export interface IndexView {
  readonly lookUp: IndexLookup;
  /** undefined: the index leaves nothing out. */
  readonly candidates: IndexCandidates | undefined;
}

/** Asks the index for every key that looks into text. */
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

/** Messages outside of which nothing fits: of texts that have to be there all, those of the rarest; of several that each will
 *  do, those of all. */
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

/** Both ascending, as is what comes of it. */
function uniteNumbers(a: Float64Array, b: Float64Array): Float64Array {
  if (b.length === 0) return a;
  const united = new Float64Array(a.length + b.length);
  united.set(a);
  united.set(b, a.length);
  united.sort();
  return united.filter((number, at) => number !== united[at - 1]);
}

/** By halving: a set of as many numbers would hold the loop while it is built. */
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

/** Those of its keys that look into text. */
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
