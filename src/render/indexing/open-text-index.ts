/** Starts the indexing thread and speaks with it. */
import { once } from "node:events";
import sea from "node:sea";
import { Worker } from "node:worker_threads";
import type { TextIndex } from "#/src/mail/indexing/text-index.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { Store } from "#/storage/store.ts";
import type { FromIndexThread, IndexThreadAnswer, IndexThreadData, ToIndexThread } from "./messages.ts";

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
  const waiting = new Map<number, (answer: IndexThreadAnswer | undefined) => void>();
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
    waiting.get(message.id)?.(message);
    waiting.delete(message.id);
    if (waiting.size === 0) worker.unref();
  });
  worker.on("error", (error: Error) => fail(error.stack ?? error.message));
  worker.on("exit", () => fail("The indexing thread ended"));
  worker.unref();

  const tell = (message: ToIndexThread): void => worker.postMessage(message);
  const ask = (message: (id: number) => ToIndexThread): Promise<IndexThreadAnswer | undefined> => {
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
    find: async (agent, keys) => (await ask((id) => ({ kind: "find", id, agent, keys })))?.answer,
    async findPreviews(agent, messages) {
      const answer = await ask((id) => ({ kind: "previews", id, agent, messages }));
      return new Map(answer?.previews ?? []);
    },
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

/** From its source file, or inside the one binary from the asset that holds its bundle. */
function spawnIndexThread(workerData: IndexThreadData): Worker {
  const options = { workerData, name: "search-index", execArgv: [] };
  if (sea.isSea()) return new Worker(sea.getAsset("index-thread.cjs", "utf8"), { ...options, eval: true });
  return new Worker(new URL("./index-thread.ts", import.meta.url), options);
}
