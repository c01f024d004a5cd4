/** The search index as the main thread sees it: it may be behind, or not there, and then it says nothing of a message. */
import { once } from "node:events";
import sea from "node:sea";
import { Worker } from "node:worker_threads";
import type { AgentNumber, MessageNumber } from "#/src/model/numbers.ts";
import type { Store } from "#/storage/store.ts";
import { foldKey, type TextKey } from "../search-document.ts";
import type { SearchKey } from "../search-keys.ts";
import type { FromIndexThread, IndexAnswer, IndexThreadData, ToIndexThread } from "./messages.ts";

export interface TextIndex extends AsyncDisposable {
  /** The keys are folded. undefined: ask the messages themselves. */
  find(agent: AgentNumber, keys: readonly TextKey[]): Promise<IndexAnswer | undefined>;
  /** Settles when everything that is stored now is in the index, and what is gone is not. */
  settle(): Promise<void>;
}

/** Whether a message holds a key; undefined when the index does not have it. */
export type IndexLookup = (key: TextKey, message: MessageNumber) => boolean | undefined;

export interface TextIndexOptions {
  /** Told once when the index has failed. Searches go on without it. */
  readonly onFailure?: (reason: string) => void;
}

/** Commits are told in one word when they come faster than this. */
const ringMs = 20;

/** Resolves when the index has been compared with the store, so that it says nothing about another past. */
export async function openTextIndex(
  store: Pick<Store, "folder" | "onCommit">,
  options: TextIndexOptions = {},
): Promise<TextIndex> {
  const worker = spawnIndexThread({ folder: store.folder });
  const [first] = (await once(worker, "message")) as [FromIndexThread];
  const waiting = new Map<number, (answer: IndexAnswer | undefined) => void>();
  let lastId = 0;
  let isOver = false;
  const exited = once(worker, "exit");

  const fail = (reason: string): void => {
    if (isOver) return;
    isOver = true;
    options.onFailure?.(reason);
    for (const resolve of waiting.values()) resolve(undefined);
    waiting.clear();
  };
  if (first.kind === "failed") fail(first.message);
  worker.on("message", (message: FromIndexThread) => {
    if (message.kind === "failed") fail(message.message);
    if (message.kind !== "answer") return;
    waiting.get(message.id)?.(message.answer);
    waiting.delete(message.id);
    if (waiting.size === 0) worker.unref();
  });
  worker.on("error", (error: Error) => fail(error.stack ?? error.message));
  worker.on("exit", () => fail("The indexing thread ended"));
  worker.unref();

  const tell = (message: ToIndexThread): void => worker.postMessage(message);
  const ask = (message: (id: number) => ToIndexThread): Promise<IndexAnswer | undefined> => {
    if (isOver) return Promise.resolve(undefined);
    const id = ++lastId;
    return new Promise((resolve) => {
      if (waiting.size === 0) worker.ref();
      waiting.set(id, resolve);
      tell(message(id));
    });
  };

  const rung = new Set<AgentNumber>();
  const ring = (): void => {
    if (!isOver && rung.size > 0) tell({ kind: "ring", agents: [...rung] });
    rung.clear();
  };
  const stopListening = store.onCommit((touched) => {
    if (rung.size === 0) setTimeout(ring, ringMs).unref();
    for (const { agent } of touched) rung.add(agent);
  });

  return {
    find: (agent, keys) => ask((id) => ({ kind: "find", id, agent, keys })),
    async settle() {
      ring();
      await ask((id) => ({ kind: "settle", id }));
    },
    async [Symbol.asyncDispose]() {
      stopListening();
      const hadFailed = isOver;
      isOver = true;
      for (const resolve of waiting.values()) resolve(undefined);
      waiting.clear();
      worker.ref();
      if (hadFailed) await worker.terminate();
      else tell({ kind: "close" });
      await exited;
    },
  };
}

/** Asks the index for every key that looks into text. */
export async function lookUpText(
  index: TextIndex | undefined,
  agent: AgentNumber,
  key: SearchKey,
): Promise<IndexLookup> {
  const keys = index === undefined ? [] : listTextKeys(key);
  const answer = keys.length === 0 ? undefined : await index!.find(agent, keys.map(foldKey));
  if (answer === undefined) return () => undefined;
  const found = new Map(keys.map((one, at) => [one, answer.found[at]!]));
  return (one, message) => {
    if (message > answer.upTo || holdsNumber(answer.tooLarge, message)) return undefined;
    const holders = found.get(one);
    return holders === undefined ? undefined : holdsNumber(holders, message);
  };
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

function listTextKeys(key: SearchKey): TextKey[] {
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

/** From its source file, or inside the one binary from the asset that holds its bundle. */
function spawnIndexThread(workerData: IndexThreadData): Worker {
  const options = { workerData, name: "search-index", execArgv: [] };
  if (sea.isSea()) return new Worker(sea.getAsset("index-thread.cjs", "utf8"), { ...options, eval: true });
  return new Worker(new URL("./index-thread.ts", import.meta.url), options);
}
