/** The indexing thread. It writes the search index and the previews of stored mail, and answers questions from them.
 *
 *  Questions come first. Mail is indexed in batches of a few milliseconds, with a rest after each (`pace.ts`), so that the thread takes at
 *  most half of one processor, and less while others need it. A damaged index is deleted and made again.
 *
 *  A message that cannot be indexed is skipped, and the others are indexed. The index records which batch is being tried. If that
 *  ended the thread, the messages of the batch are tried one by one, each at most twice. */
import { parentPort, workerData } from "node:worker_threads";
import { renderHtml } from "#/src/formats/html/render-html.ts";
import { readingOnce } from "#/src/mail/content-readers.ts";
import { createMessageBytes, holdShort } from "#/src/mail/message-bytes.ts";
import { createDocumentReader, type DocumentReader } from "#/src/mail/search/search-document.ts";
import { every, loopTurn, pause } from "#/src/model/background.ts";
import { CallerGone, forCaller } from "#/src/model/caller.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import type { AgentNumber, MessageNumber } from "#/src/model/numbers.ts";
import { describeCause } from "#/src/threads/thread-ends.ts";
import type { MessageRow } from "#/storage/rows.ts";
import {
  type IndexedDocument,
  type IndexedSlice,
  SearchDatabase,
  type SearchDocument,
} from "#/storage/search/search-database.ts";
import { type NewMessages, openSearchSource } from "#/storage/search/search-source.ts";
import type { SetAside, Trial } from "#/storage/search/search-trials.ts";
import { isOfMachine } from "#/storage/sqlite/result-codes.ts";
import { previewText } from "../preview.ts";
import { attemptsMax, beyond, deathsMax, whenRoom } from "./attempts.ts";
import { nextBatch, type Slice } from "./batch.ts";
import { faultOf, isEngineFault } from "./faults.ts";
import type { FromIndexThread, IndexThreadAnswer, IndexThreadData, ToIndexThread } from "./messages.ts";
import { Pace } from "./pace.ts";
import { examineMessages, findInIndex } from "./questions.ts";

const port = parentPort!;
const { place, beat } = workerData as IndexThreadData;
const { folder } = place;

/** Octets of text of a message that is indexed at once: twice as much holds the thread for about 100 ms. What is longer is
 *  indexed in pieces. */
const textBytesMax = 256 * 1024;
/** Characters of a piece. Each piece has trigrams of its own, so that short ones would have most of them again and again. */
const pieceLength = 256 * 1024;
const sweptPerTurn = 500;
const sweptPiecesPerTurn = 100;
/** A damaged index is made again so often; after that the disk or the store itself is what is wrong. */
const faultsMax = 3;
const beatMs = 50;
/** Mail that is gone leaves the index so long after it was noticed, as one walk then serves many removals. */
const sweepDelayMs = 60_000;

function say(message: FromIndexThread): void {
  port.postMessage(message);
}

type Answered = Pick<IndexThreadAnswer, "answer" | "examined">;

async function start(): Promise<void> {
  const source = await openSearchSource(place);
  const bytes = createMessageBytes(source);
  const secret = await source.secret();
  let database = SearchDatabase.open(folder, secret);
  /** Counts how often documents went for another reason than that their message is gone: an answer begun before is none. */
  let generation = 0;
  let faults = 0;
  const behind = new Set<AgentNumber>();
  /** Questions that are being answered. */
  const asked = new Map<number, AbortController>();
  let settling: number[] = [];
  let sweepsAt = 0;
  let wake = (): void => {};
  const pace = new Pace();
  let isClosing = false;
  const retries = database.trials.listSetAside().filter(({ attempts }) => attempts < attemptsMax);
  const trials = new Map(database.trials.list().map((trial) => [trial.agent, trial]));
  /** Leaves the index as if the piece of work that is being done had not begun. */
  let takeBack = (): void => {};

  /** A new index where it went wrong. What the machine has no room for, and what then still goes wrong, is not the index. */
  async function beginAnew(fault: unknown): Promise<void> {
    if (!isEngineFault(fault) || isOfMachine(fault) || ++faults > faultsMax) throw fault;
    generation++;
    database.close();
    SearchDatabase.delete(folder);
    database = SearchDatabase.open(folder, secret);
    trials.clear();
    retries.length = 0;
    await compareWithStore();
  }

  async function compareWithStore(): Promise<void> {
    const agents = await source.listAgents();
    for (const agent of database.agents()) {
      const state = await source.listMessagesAfter(agent, database.position(agent), 1);
      if (state === undefined) behind.add(agent);
      else if (state.isBehind) await forget(agent);
    }
    for (const agent of agents) behind.add(agent);
    if (database.agentsOwingSweep().length > 0) sweepsAt = performance.now() + sweepDelayMs;
    wake();
  }

  async function forget(agent: AgentNumber): Promise<void> {
    // The position first: without one, nothing is said about the agent's messages.
    generation++;
    database.forgetAgent(agent);
    trials.delete(agent);
    for (;;) {
      const messages = database.listMessages(agent, 0, sweptPerTurn);
      await removeDocuments(agent, messages);
      if (messages.length < sweptPerTurn) return;
      await loopTurn();
    }
  }

  /** While somebody asks, which the index would answer sooner, only a turn. */
  async function rest(begunAt: number): Promise<void> {
    if (settling.length > 0 || asked.size > 0) await loopTurn();
    else await pace.rest(performance.now() - begunAt);
  }

  /** The body as it stands in the document, or "" when it has been put beside it in pieces. */
  async function readBody(
    agent: AgentNumber,
    message: MessageNumber,
    reader: DocumentReader,
  ): Promise<string> {
    const isShort = (await reader.bodyBytes()) <= textBytesMax;
    const begun = generation;
    // Of an earlier attempt, before the process ended.
    await removePieces(agent, message);
    let text = "";
    let before = "";
    let number = 0;
    let begunAt = performance.now();
    for await (const piece of reader.bodyPieces()) {
      text += piece;
      if (isShort || text.length < pieceLength) continue;
      if (generation !== begun) return "";
      database.pieces.add(agent, message, number++, text, before);
      before = text;
      text = "";
      await rest(begunAt);
      if (isClosing) return "";
      begunAt = performance.now();
    }
    if (isShort) return text;
    if (text !== "" && generation === begun) database.pieces.add(agent, message, number, text, before);
    return "";
  }

  async function removePieces(agent: AgentNumber, message: MessageNumber): Promise<void> {
    while (database.pieces.remove(agent, message, sweptPiecesPerTurn)) await loopTurn();
  }

  async function removeDocuments(agent: AgentNumber, messages: readonly MessageNumber[]): Promise<void> {
    for (const message of messages) await removePieces(agent, message);
    database.removeDocuments(agent, messages);
  }

  async function readDocument(agent: AgentNumber, row: MessageRow, attempts = 1): Promise<IndexedDocument> {
    const { message } = row;
    const readers = readingOnce(renderHtml);
    try {
      const held = await holdShort(source, row);
      const reader = createDocumentReader({ ...bytes, readers }, held);
      const preview = await previewText({ mail: bytes, readers }, held, await bytes.readStructure(held));
      const header = await reader.readHeader();
      return { message, document: { ...header, body: await readBody(agent, message, reader) }, preview };
    } catch (error) {
      // Expunged meanwhile, or what a search in the message itself will say again.
      if (isWaypostError(error)) return { message, document: undefined, preview: undefined };
      if (isOfMachine(error)) throw error;
      await removePieces(agent, message);
      // What its header says is found at least.
      const header = await createDocumentReader(bytes, row)
        .readHeader()
        .catch(() => nothing);
      const setAside = { reason: faultOf(error), attempts };
      return { message, document: { ...header, body: "" }, preview: "", setAside };
    }
  }

  async function readMessages({ agent, messages }: Slice): Promise<IndexedDocument[]> {
    const documents: IndexedDocument[] = [];
    for (const row of messages) {
      documents.push(await readDocument(agent, row));
      // The limit of a turn is for one message.
      await loopTurn();
    }
    return documents;
  }

  /** The thread ended while it read this message with others, or alone. */
  async function readAlone({ agent, messages }: Slice, last: Trial): Promise<IndexedDocument[]> {
    const [row] = messages;
    if (row === undefined) return [];
    const { message } = row;
    const attempts = last.message === message ? last.attempts + 1 : 1;
    const trial = { agent, upTo: last.upTo, message, attempts };
    trials.set(agent, trial);
    if (attempts > deathsMax) {
      await removePieces(agent, message);
      const setAside = { reason: beyond, attempts: attemptsMax };
      return [{ message, document: nothing, preview: "", setAside }];
    }
    database.trials.begin([trial]);
    return [await readDocument(agent, row)];
  }

  /** A message that could not be read in an earlier life of the thread. */
  async function retry(setAside: SetAside): Promise<void> {
    const { agent, message, attempts } = setAside;
    const row = await source.findMessage(agent, message).catch(() => undefined);
    if (row === undefined) return;
    takeBack = () => database.trials.setAside(setAside);
    // Should the thread end now, this was the last time.
    database.trials.setAside({ agent, message, reason: beyond, attempts: attemptsMax });
    const document = await readDocument(agent, row, attempts + 1);
    if (isClosing) takeBack();
    else database.replaceDocument(agent, document);
    tellLeftOut(agent, [document]);
  }

  function tellLeftOut(agent: AgentNumber, documents: readonly IndexedDocument[]): void {
    for (const { message, setAside } of documents)
      if (setAside !== undefined) say({ kind: "left out", agent, message, reason: setAside.reason });
  }

  /** An agent's new mail; undefined when nothing is to be done for it now. */
  async function newMailOf(agent: AgentNumber, room: number): Promise<Slice | undefined> {
    const position = database.position(agent);
    if (position >= (trials.get(agent)?.upTo ?? 0)) trials.delete(agent);
    let state: NewMessages | undefined;
    try {
      state = await source.listMessagesAfter(agent, position, trials.has(agent) ? 1 : room);
    } catch (error) {
      // The index is not to blame. The agent's turn comes again with its next change.
      say({ kind: "left out", agent, message: undefined, reason: faultOf(error) });
      return undefined;
    }
    if (state === undefined || state.isBehind) {
      await forget(agent);
      if (state !== undefined) behind.add(agent);
      return undefined;
    }
    return state.upTo === position ? undefined : { ...state, agent };
  }

  async function indexSome(): Promise<void> {
    const batch = await nextBatch(behind, newMailOf, (agent) => trials.has(agent));
    const begun = generation;
    const last = trials.get(batch[0]?.agent ?? (0 as AgentNumber));
    takeBack = () => database.trials.takeBack(batch, last);
    const withMail = batch.filter(({ messages }) => messages.length > 0);
    if (last === undefined && withMail.length > 0)
      database.trials.begin(withMail.map(({ agent, upTo }) => ({ agent, upTo, message: 0, attempts: 0 })));
    const indexed: IndexedSlice[] = [];
    for (const slice of batch) {
      const documents = last === undefined ? await readMessages(slice) : await readAlone(slice, last);
      indexed.push({ agent: slice.agent, documents, upTo: slice.upTo, owesSweep: slice.hasRemovals });
    }
    if (isClosing) return takeBack();
    if (generation !== begun) {
      // What was read is of an index that is no more.
      for (const { agent } of batch) behind.add(agent);
      return;
    }
    if (sweepsAt === 0 && batch.some(({ hasRemovals }) => hasRemovals))
      sweepsAt = performance.now() + sweepDelayMs;
    if (indexed.length > 0) database.indexSlices(indexed);
    for (const { agent, documents } of indexed) tellLeftOut(agent, documents);
  }

  async function sweep(agent: AgentNumber): Promise<void> {
    let after = 0;
    for (;;) {
      const messages = database.listMessages(agent, after, sweptPerTurn);
      await removeDocuments(agent, await source.listGone(agent, messages));
      if (messages.length < sweptPerTurn) break;
      after = messages.at(-1)!;
      await loopTurn();
    }
    database.finishSweep(agent);
  }

  /** Does the next piece of work. Whether there was one. */
  async function workSome(): Promise<boolean> {
    takeBack = () => {};
    if (behind.size > 0) {
      await indexSome();
      return true;
    }
    const again = retries.pop();
    if (again !== undefined) {
      await retry(again);
      return true;
    }
    if (settling.length === 0 && (sweepsAt === 0 || performance.now() < sweepsAt)) return false;
    sweepsAt = 0;
    for (const owing of database.agentsOwingSweep()) await sweep(owing);
    if (behind.size === 0) for (const id of settling.splice(0)) say({ kind: "answer", id });
    return true;
  }

  async function work(): Promise<void> {
    while (!isClosing) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const begunAt = performance.now();
      let hasWorked: boolean;
      try {
        hasWorked = await workSome();
      } catch (error) {
        if (isOfMachine(error)) await whenRoom(takeBack, pace, () => isClosing);
        await beginAnew(error);
        hasWorked = true;
      }
      if (!hasWorked) await (sweepsAt === 0 ? woken : Promise.race([woken, pauseUntil(sweepsAt)]));
      else await rest(begunAt);
    }
    database.close();
    source.close();
    port.close();
  }

  /** Answers a question of the main thread: without the index where the machine has no room. One whose asker has gone is not answered. */
  async function answer(id: number, ask: () => Promise<Answered>): Promise<void> {
    const gone = new AbortController();
    asked.set(id, gone);
    pace.endRest();
    let answered: Answered = {};
    try {
      answered = await forCaller(gone.signal, ask);
    } catch (error) {
      if (error instanceof CallerGone) return;
      if (!isOfMachine(error)) await beginAnew(error);
    } finally {
      asked.delete(id);
    }
    say({ kind: "answer", id, ...answered });
  }

  async function tellPreviews(
    id: number,
    agent: AgentNumber,
    messages: readonly MessageNumber[],
  ): Promise<void> {
    try {
      say({ kind: "answer", id, previews: database.readPreviews(agent, messages) });
    } catch (error) {
      if (!isOfMachine(error)) await beginAnew(error);
      say({ kind: "answer", id });
    }
  }

  await compareWithStore();
  port.on("message", (message: ToIndexThread) => {
    if (message.kind === "find") {
      const { id, agent, keys } = message;
      const begun = generation;
      const isCurrent = (): boolean => generation === begun && !isClosing;
      answer(id, async () => ({ answer: await findInIndex(database, agent, keys, isCurrent) })).catch(fail);
    } else if (message.kind === "examine") {
      const { id, agent, messages, keys, where } = message;
      answer(id, async () => ({
        examined: await examineMessages(source, agent, messages, keys, where),
      })).catch(fail);
    } else if (message.kind === "cancel") asked.get(message.id)?.abort(new CallerGone());
    else if (message.kind === "previews")
      tellPreviews(message.id, message.agent, message.messages).catch(fail);
    else if (message.kind === "ring all") whenRoom(compareWithStore, pace, () => isClosing).catch(fail);
    else {
      if (message.kind === "ring") for (const agent of message.agents) behind.add(agent);
      else if (message.kind === "settle") settling = [...settling, message.id];
      else isClosing = true;
      if (message.kind !== "ring") pace.endRest();
      wake();
    }
  });
  say({ kind: "ready" });
  await work();
}

const nothing: SearchDocument = { header: "", addresses: "", body: "" };

async function pauseUntil(at: number): Promise<void> {
  await pause(Math.max(1, at - performance.now()), { ref: false });
}

function fail(error: unknown): void {
  say({ kind: "failed", message: describeCause(error) });
  port.close();
}

every(beatMs, () => Atomics.add(beat, 0, 1)).unref();
start().catch(fail);
