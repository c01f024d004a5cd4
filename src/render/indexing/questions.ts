/** Questions about text, on the indexing thread. Indexed mail is answered from the index, other mail from the messages. Questions are
 *  answered in turns, so that none delays another one, and end when the caller has gone. */

import { LoopTurns } from "#/src/fairness/loop-turns.ts";
import { directReaders } from "#/src/mail/content-readers.ts";
import { lookInto } from "#/src/mail/examine.ts";
import type { Held, IndexAnswer, LookedAt } from "#/src/mail/indexing/text-index.ts";
import { createMessageBytes } from "#/src/mail/message-bytes.ts";
import { PieceMatch } from "#/src/mail/search/key-match.ts";
import { documentHolds, partsOf, type TextKey } from "#/src/mail/search/search-document.ts";
import { CallerGone } from "#/src/model/caller.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import type { AgentNumber, MessageNumber } from "#/src/model/numbers.ts";
import { findMessage } from "#/storage/queries/mail/messages.ts";
import type { SearchDatabase } from "#/storage/search/search-database.ts";
import { overlapLength } from "#/storage/search/search-pieces.ts";
import { hasTrigram } from "#/storage/search/trigrams.ts";
import type { Reader } from "#/storage/store.ts";

/** The index was thrown away, or is closed: what was found in it is no answer. */
class IndexChanged extends Error {}

/** Documents that are read before the time is looked at; one has 256 KiB at most. */
const documentsAtOnce = 20;

type NumberedKey = readonly [number: number, key: TextKey];

/** The keys are folded. `isCurrent`: whether the index is still the one that it was. undefined: it could not say. */
export async function findInIndex(
  database: SearchDatabase,
  agent: AgentNumber,
  keys: readonly TextKey[],
  isCurrent: () => boolean,
): Promise<IndexAnswer | undefined> {
  // What is indexed from now on is beyond it.
  const upTo = database.position(agent);
  const found = keys.map((): Set<MessageNumber> => new Set());
  const turns = new LoopTurns();
  const turn = async (): Promise<void> => {
    if (!turns.isDue) return;
    await turns.turn();
    if (!isCurrent()) throw new IndexChanged();
  };

  async function walkDocuments(term: string, together: readonly NumberedKey[]): Promise<void> {
    const parts = [...new Set(together.flatMap(([, key]) => partsOf(key)))];
    const candidates = database.listCandidates(agent, term);
    for (let at = 0; at < candidates.length; at += documentsAtOnce) {
      const ids = candidates.slice(at, at + documentsAtOnce);
      for (const document of database.readDocuments(agent, ids, parts))
        for (const [number, key] of together)
          if (documentHolds(document, key)) found[number]!.add(document.message);
      await turn();
    }
  }

  /** Pieces in which the term begins, or in the end of the piece before. */
  async function walkPieces(term: string, together: readonly NumberedKey[]): Promise<void> {
    for (const id of database.pieces.listCandidates(agent, term)) {
      await turn();
      const piece = database.pieces.find(agent, id);
      if (piece === undefined || together.every(([number]) => found[number]!.has(piece.message))) continue;
      if (!holdsAt(database, agent, piece, term)) continue;
      for (const [number] of together) found[number]!.add(piece.message);
    }
  }

  /** Every piece of every message: for what has no trigram. */
  async function readAllPieces(together: readonly NumberedKey[]): Promise<void> {
    for (const message of database.pieces.listMessages(agent, upTo)) {
      const match = new PieceMatch(together.map(([, { text }]) => text));
      for (let number = 0; !match.isDone; number++) {
        const piece = database.pieces.read(agent, message, number);
        if (piece === undefined) break;
        match.add(piece);
        await turn();
      }
      for (const [at, [number]] of together.entries()) if (match.held[at]) found[number]!.add(message);
    }
  }

  // One term in several places is looked for in one walk; those too short for the index in one through all documents.
  const walks = Map.groupBy(keys.entries(), ([, { text }]) => (hasTrigram(text) ? text : ""));
  try {
    for (const [term, together] of walks) {
      await walkDocuments(together[0]![1].text, together);
      const inBodies = together.filter(([, { kind }]) => kind !== "header");
      if (inBodies.length === 0 || !database.pieces.has(agent)) continue;
      await (term === "" ? readAllPieces(inBodies) : walkPieces(term, inBodies));
    }
    return {
      upTo,
      found: found.map((messages) =>
        Float64Array.from([...messages].filter((message) => message <= upTo)).sort(),
      ),
      unindexed: Float64Array.from(database.listUnindexed(agent)),
    };
  } catch (error) {
    if (error instanceof IndexChanged) return undefined;
    throw error;
  }
}

function holdsAt(
  database: SearchDatabase,
  agent: AgentNumber,
  { message, number }: { readonly message: MessageNumber; readonly number: number },
  term: string,
): boolean {
  const before = number === 0 ? "" : (database.pieces.read(agent, message, number - 1) ?? "");
  let text = before.slice(-overlapLength) + (database.pieces.read(agent, message, number) ?? "");
  const length = text.length + term.length - 1;
  for (let next = number + 1; text.length < length; next++) {
    const piece = database.pieces.read(agent, message, next);
    if (piece === undefined) break;
    text += piece.slice(0, length - text.length);
  }
  return text.includes(term);
}

/** Looks into messages that the index does not have. undefined for one that is no longer there or cannot be read. The keys are
 *  folded. */
export async function examineMessages(
  source: Reader,
  agent: AgentNumber,
  messages: readonly MessageNumber[],
  keys: readonly TextKey[],
  where: LookedAt,
): Promise<(Held | undefined)[]> {
  const bytes = { ...createMessageBytes(source), readers: directReaders };
  const turns = new LoopTurns();
  const held: (Held | undefined)[] = [];
  for (const message of messages) {
    const row = await findMessage(source, agent, message);
    held.push(row && (await lookInto(bytes, row, keys, where).catch(ofUnreadable)));
    await turns.turn();
  }
  return held;
}

/** The indexing names it in the log. */
function ofUnreadable(error: unknown): undefined {
  if (isWaypostError(error) || error instanceof CallerGone) throw error;
}
