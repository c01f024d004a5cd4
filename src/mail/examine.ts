/** Searches texts in messages that the index has no answer for. This runs on the thread of the index, or in a process without that
 *  thread here, in turns of the event loop. */
import { isWaypostError, WaypostError } from "#/src/model/errors.ts";
import { headerBytesMax } from "#/src/model/limits.ts";
import type { AgentNumber, MessageNumber } from "#/src/model/numbers.ts";
import { type Candidate, fits } from "./fit.ts";
import { type Held, type LookedAt, listTextKeys, type TextIndex } from "./indexing/text-index.ts";
import type { StoredBytes } from "./message-bytes.ts";
import { matchBody, matchHeader } from "./search/key-match.ts";
import { createDocumentReader, foldKey, type SearchedBytes, type TextKey } from "./search/search-document.ts";
import type { SearchKey } from "./search/search-keys.ts";

/** A message whose bytes are searched. */
export interface Examined {
  readonly number: MessageNumber;
  readonly stored: StoredBytes;
  /** The facts that are known without its text. */
  readonly candidate: Candidate;
}

/** Bounds on the octets and the messages that are searched together. A larger message is searched alone. */
const bytesAtOnce = 1024 * 1024;
const messagesAtOnce = 32;

/** Messages that are searched together, and the octets that this reads. */
export interface ExaminedGroup<M extends Examined> {
  readonly messages: readonly M[];
  readonly bytes: number;
}

/** Groups messages in their order, so that each group is a small piece of work. Messages that are decided already cost nothing. */
export function* groupsOf<M extends Examined>(
  key: SearchKey,
  messages: readonly M[],
): Generator<ExaminedGroup<M>> {
  const readsBody = listTextKeys(key).some(({ kind }) => kind !== "header");
  let group: M[] = [];
  let bytes = 0;
  for (const message of messages) {
    const { size } = message.stored;
    const cost =
      fits(key, message.candidate) !== undefined ? 0 : readsBody ? size : Math.min(size, headerBytesMax);
    if (group.length === messagesAtOnce || (bytes > 0 && bytes + cost > bytesAtOnce)) {
      yield { messages: group, bytes };
      group = [];
      bytes = 0;
    }
    group.push(message);
    bytes += cost;
  }
  if (group.length > 0) yield { messages: group, bytes };
}

export interface Examiner {
  /** The messages that match, in their order. A message that was expunged meanwhile does not match. */
  findFitting<M extends Examined>(agent: AgentNumber, key: SearchKey, messages: readonly M[]): Promise<M[]>;
}

export function createExaminer(bytes: SearchedBytes, textIndex: TextIndex | undefined): Examiner {
  async function look(
    agent: AgentNumber,
    messages: readonly Examined[],
    keys: readonly TextKey[],
    where: LookedAt,
  ): Promise<readonly (Held | undefined)[]> {
    const folded = keys.map(foldKey);
    const numbers = messages.map(({ number }) => number);
    if (textIndex !== undefined) {
      const answer = await textIndex.examine(agent, numbers, folded, where);
      if (answer !== undefined) return answer;
      // One of the messages may have ended the thread, and would end or block this process too.
      throw new WaypostError("upstream_unavailable", "Text cannot be searched at this moment.", {
        retryAfterMs: 1000,
      });
    }
    const held: (Held | undefined)[] = [];
    for (const { stored } of messages) held.push(await lookInto(bytes, stored, folded, where));
    return held;
  }

  return {
    async findFitting(agent, key, messages) {
      const textKeys = listTextKeys(key);
      const known = new Map<Examined, ReadonlyMap<TextKey, boolean>>();
      const gone = new Set<Examined>();
      const decide = (message: Examined): boolean | undefined => {
        const { candidate } = message;
        const holds = (one: TextKey) => known.get(message)?.get(one) ?? candidate.holds(one, message.number);
        return fits(key, { ...candidate, holds });
      };
      // The header first: a message whose header decides is not read to its end.
      for (const where of ["header", "body"] as const) {
        const keys = textKeys.filter(
          ({ kind }) => kind === "text" || (kind === "header") === (where === "header"),
        );
        const open = messages.filter((one) => !gone.has(one) && decide(one) === undefined);
        if (keys.length === 0 || open.length === 0) continue;
        for (const [at, held] of (await look(agent, open, keys, where)).entries()) {
          const message = open[at]!;
          if (held === undefined) gone.add(message);
          else known.set(message, knownOf(keys, held, known.get(message)));
        }
      }
      return messages.filter((one) => !gone.has(one) && decide(one) === true);
    },
  };
}

function knownOf(
  keys: readonly TextKey[],
  held: Held,
  before: ReadonlyMap<TextKey, boolean> | undefined,
): ReadonlyMap<TextKey, boolean> {
  const known = new Map(before);
  for (const [at, key] of keys.entries()) {
    const isHeld = held[at];
    if (isHeld !== undefined) known.set(key, isHeld || known.get(key) === true);
  }
  return known;
}

/** The keys are folded. undefined for a message that is no longer there. */
export async function lookInto(
  bytes: SearchedBytes,
  message: StoredBytes,
  keys: readonly TextKey[],
  where: LookedAt,
): Promise<Held | undefined> {
  const reader = createDocumentReader(bytes, message);
  try {
    return await (where === "header" ? matchHeader(reader, keys) : matchBody(reader, keys));
  } catch (error) {
    if (isWaypostError(error) && error.code === "not_found") return undefined;
    throw error;
  }
}
