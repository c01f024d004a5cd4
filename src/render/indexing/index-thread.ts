/** The indexing thread: makes the search index and the previews from the store behind the mail that comes in, and answers
 *  from them.
 *
 *  Questions go first. What is stored is indexed in slices of a few milliseconds with as long a pause after each, so that it
 *  takes no more than half of one processor. A damaged index is thrown away and made again. */
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { directReaders } from "#/src/mail/content-readers.ts";
import type { IndexAnswer } from "#/src/mail/indexing/text-index.ts";
import { createMessageBytes } from "#/src/mail/message-bytes.ts";
import { createDocumentReader, documentHolds, partsOf, type TextKey } from "#/src/mail/search-document.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import type { AgentNumber, MessageNumber } from "#/src/model/numbers.ts";
import type { MessageRow } from "#/storage/rows.ts";
import { hasTrigram, type IndexedDocument, SearchDatabase } from "#/storage/search/search-database.ts";
import { openSearchSource } from "#/storage/search/search-source.ts";
import { previewText } from "../preview.ts";
import type { FromIndexThread, IndexThreadData, ToIndexThread } from "./messages.ts";

const port = parentPort!;
const { folder } = workerData as IndexThreadData;

/** Messages of one slice: one transaction of the index. */
const sliceMessages = 32;
/** Octets of text of one message: twice as much holds the thread for about 100 ms. */
const textBytesMax = 256 * 1024;
/** Candidates that are looked at before other questions have their turn. */
const candidatesPerTurn = 100;
const sweptPerTurn = 500;
/** A damaged index is made again so often; after that the disk or the store itself is what is wrong. */
const faultsMax = 3;
/** Mail that is gone leaves the index so long after it was noticed, as one walk then serves many removals. */
const sweepDelayMs = 60_000;

function say(message: FromIndexThread): void {
  port.postMessage(message);
}

async function start(): Promise<void> {
  const source = openSearchSource(folder);
  const bytes = createMessageBytes(source);
  const secret = await source.secret();
  let database = SearchDatabase.open(folder, secret);
  /** Counts how often documents went for another reason than that their message is gone: an answer begun before is none. */
  let generation = 0;
  let faults = 0;
  const behind = new Set<AgentNumber>();
  let settling: number[] = [];
  let sweepsAt = 0;
  let wake = (): void => {};
  let isClosing = false;

  /** What goes wrong with the index is answered by a new one; what then still goes wrong is not the index. */
  async function beginAnew(fault: unknown): Promise<void> {
    if (!isEngineFault(fault) || ++faults > faultsMax) throw fault;
    generation++;
    database.close();
    SearchDatabase.delete(folder);
    database = SearchDatabase.open(folder, secret);
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
  }

  async function forget(agent: AgentNumber): Promise<void> {
    // The position first: without one, nothing is said about the agent's messages.
    generation++;
    database.forgetAgent(agent);
    for (;;) {
      const messages = database.listMessages(agent, 0, sweptPerTurn);
      database.removeDocuments(agent, messages);
      if (messages.length < sweptPerTurn) return;
      await nextTurn();
    }
  }

  async function readDocument(row: MessageRow): Promise<IndexedDocument> {
    const { message } = row;
    const reader = createDocumentReader(bytes, row);
    try {
      const preview = await previewText(
        { mail: bytes, readers: directReaders },
        row,
        await bytes.readStructure(row),
      );
      if ((await reader.bodyBytes()) > textBytesMax) return { message, document: undefined, preview };
      return { message, document: await reader.read(["header", "addresses", "body"]), preview };
    } catch (error) {
      // Expunged meanwhile, or what a search in the message itself will say again.
      if (isWaypostError(error)) return { message, document: undefined, preview: undefined };
      throw error;
    }
  }

  /** One slice of an agent's new mail. */
  async function indexSome(agent: AgentNumber): Promise<void> {
    const position = database.position(agent);
    const state = await source.listMessagesAfter(agent, position, sliceMessages);
    if (state === undefined || state.isBehind) {
      await forget(agent);
      if (state !== undefined) behind.add(agent);
      return;
    }
    const documents: IndexedDocument[] = [];
    for (const row of state.messages) documents.push(await readDocument(row));
    if (state.isPartial) behind.add(agent);
    if (state.upTo === position) return;
    if (state.hasRemovals && sweepsAt === 0) sweepsAt = performance.now() + sweepDelayMs;
    database.indexDocuments(agent, documents, state.upTo, state.hasRemovals);
  }

  async function sweep(agent: AgentNumber): Promise<void> {
    let after = 0;
    for (;;) {
      const messages = database.listMessages(agent, after, sweptPerTurn);
      database.removeDocuments(agent, await source.listGone(agent, messages));
      if (messages.length < sweptPerTurn) break;
      after = messages.at(-1)!;
      await nextTurn();
    }
    database.finishSweep(agent);
  }

  /** Does the next piece of work. Whether there was one. */
  async function workSome(): Promise<boolean> {
    const [agent] = behind;
    if (agent !== undefined) {
      // Taken out before the log is read: a ring that comes meanwhile puts it in again.
      behind.delete(agent);
      await indexSome(agent);
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
        await beginAnew(error);
        hasWorked = true;
      }
      if (!hasWorked) await (sweepsAt === 0 ? woken : Promise.race([woken, pauseUntil(sweepsAt)]));
      else if (settling.length > 0) await nextTurn();
      else await sleep(performance.now() - begunAt);
    }
    database.close();
    source.close();
    port.close();
  }

  async function find(agent: AgentNumber, keys: readonly TextKey[]): Promise<IndexAnswer | undefined> {
    const begun = generation;
    // What is indexed from now on is beyond it.
    const upTo = database.position(agent);
    const found = keys.map((): MessageNumber[] => []);
    // One term in several places is looked for in one walk; those too short for the index in one through all documents.
    const walks = Map.groupBy(keys.entries(), ([, { text }]) => (hasTrigram(text) ? text : ""));
    for (const together of walks.values()) {
      const parts = [...new Set(together.flatMap(([, key]) => partsOf(key)))];
      const candidates = database.listCandidates(agent, together[0]![1].text);
      for (let at = 0; at < candidates.length; at += candidatesPerTurn) {
        const ids = candidates.slice(at, at + candidatesPerTurn);
        for (const document of database.readDocuments(agent, ids, parts))
          for (const [number, key] of together)
            if (documentHolds(document, key)) found[number]!.push(document.message);
        await nextTurn();
        if (generation !== begun || isClosing) return undefined;
      }
    }
    return {
      upTo,
      found: found.map((messages) => Float64Array.from(messages).sort()),
      tooLarge: Float64Array.from(database.listTooLarge(agent)),
    };
  }

  async function answer(id: number, agent: AgentNumber, keys: readonly TextKey[]): Promise<void> {
    let result: IndexAnswer | undefined;
    try {
      result = await find(agent, keys);
    } catch (error) {
      await beginAnew(error);
      wake();
    }
    say({ kind: "answer", id, answer: result });
  }

  async function tellPreviews(
    id: number,
    agent: AgentNumber,
    messages: readonly MessageNumber[],
  ): Promise<void> {
    try {
      say({ kind: "answer", id, previews: database.readPreviews(agent, messages) });
    } catch (error) {
      await beginAnew(error);
      wake();
      say({ kind: "answer", id });
    }
  }

  await compareWithStore();
  port.on("message", (message: ToIndexThread) => {
    if (message.kind === "find") answer(message.id, message.agent, message.keys).catch(fail);
    else if (message.kind === "previews")
      tellPreviews(message.id, message.agent, message.messages).catch(fail);
    else {
      if (message.kind === "ring") for (const agent of message.agents) behind.add(agent);
      else if (message.kind === "settle") settling = [...settling, message.id];
      else isClosing = true;
      wake();
    }
  });
  say({ kind: "ready" });
  await work();
}

/** An error of SQLite, not of the program. */
function isEngineFault(error: unknown): boolean {
  return error instanceof Error && error.name === "SqliteError";
}

async function pauseUntil(at: number): Promise<void> {
  await sleep(Math.max(1, at - performance.now()), undefined, { ref: false });
}

function fail(error: unknown): void {
  say({ kind: "failed", message: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  port.close();
}

start().catch(fail);
