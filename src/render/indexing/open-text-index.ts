/** Starts the indexing thread, sends it questions, and starts it again when it ends. When the index is complete, a thread without work
 *  ends after a while; the next mail or question starts it again. */
import type { Worker } from "node:worker_threads";
import type { TextIndex } from "#/src/mail/indexing/text-index.ts";
import { after, idleTime, inBackground } from "#/src/model/background.ts";
import { onCallerGone } from "#/src/model/caller.ts";
import type { AgentNumber, MessageNumber } from "#/src/model/numbers.ts";
import { houseThreads, type ThreadKind } from "#/src/threads/house-threads.ts";
import { endThread, startThread } from "#/src/threads/start-thread.ts";
import { describeCause } from "#/src/threads/thread-ends.ts";
import { watchBeat } from "#/src/threads/watch-beat.ts";
import type { Store } from "#/storage/store.ts";
import type { FromIndexThread, IndexThreadAnswer, IndexThreadData, ToIndexThread } from "./messages.ts";

export interface TextIndexOptions {
  /** Told when the thread has ended. Searches go on without the index until it runs again. */
  readonly onFailure?: (reason: string) => void;
  /** Told of a message that the index leaves out, or without a message of an agent whose mail cannot be read. */
  readonly onLeftOut?: (agent: AgentNumber, message: MessageNumber | undefined, reason: string) => void;
  /** What is started, for a test that has another one. */
  readonly thread?: ThreadKind;
  /** Processor time that the thread may take without a turn of its loop. One document takes far less. */
  readonly turnMsMax?: number;
  /** After this without mail and questions the thread ends. */
  readonly idleMs?: number;
}

/** Mail that comes alone is told to the thread after this. */
const ringMs = 20;
/** Mail that comes fast is told at once for so many commits, or for those of so long: a batch takes a third of the time of its documents
 *  one by one. */
const batchCommits = 64;
const batchMs = 2000;
const turnMsMax = 10_000;
const defaultIdleMs = 30_000;
/** Before the thread starts again; twice as long each time, until it has run for a while. */
const restartMsMin = 100;
const restartMsMax = 60_000;
const soundMs = 60_000;
/** Starts of the thread that `settle` waits for. */
const settleStartsMax = 20;

/** Resolves when the index has been compared with the store, so that it says nothing about another past, or has failed. */
export async function openTextIndex(
  store: Pick<Store, "place" | "onCommit" | "onMissed">,
  options: TextIndexOptions = {},
): Promise<TextIndex> {
  const waiting = new Map<number, (answer: IndexThreadAnswer | undefined) => void>();
  let worker: Worker | undefined;
  /** The one that was started last. */
  let latest: Worker | undefined;
  /** Resolves when the thread that was started last is ready or has ended. */
  let started: Promise<void> = Promise.resolve();
  let ended: Promise<void> = Promise.resolve();
  let restartMs = restartMsMin;
  let restart: NodeJS.Timeout | undefined;
  let lastId = 0;
  let isClosed = false;
  const idleMs = options.idleMs ?? defaultIdleMs;
  let idleTimer: NodeJS.Timeout | undefined;
  /** Ends the thread that is ready. Undefined while there is none. */
  let retire: (() => void) | undefined;
  let isAsleep = false;

  function start(): void {
    const beat = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const data: IndexThreadData = { place: store.place, beat };
    const kind = options.thread ?? houseThreads.index;
    const thread = startThread(kind, data);
    latest = thread;
    const startedAt = performance.now();
    const isStarted = Promise.withResolvers<void>();
    const hasEnded = Promise.withResolvers<void>();
    started = isStarted.promise;
    ended = hasEnded.promise;
    let stopWatching = (): void => {};
    let isOver = false;

    const lose = (reason: string): void => {
      if (isOver) return;
      isOver = true;
      stopWatching();
      worker = undefined;
      retire = undefined;
      forgetWaiting();
      inBackground(() => endThread(thread));
      if (!isClosed) {
        options.onFailure?.(reason);
        if (performance.now() - startedAt > soundMs) restartMs = restartMsMin;
        restart = after(restartMs, () => {
          restart = undefined;
          start();
        }).unref();
        restartMs = Math.min(restartMs * 2, restartMsMax);
      }
      isStarted.resolve();
    };
    thread.on("message", (message: FromIndexThread) => {
      switch (message.kind) {
        case "ready":
          worker = thread;
          thread.unref();
          stopWatching = watchBeat(thread, beat, options.turnMsMax ?? turnMsMax, lose);
          retire = () => {
            isOver = true;
            stopWatching();
            worker = undefined;
            retire = undefined;
            thread.postMessage({ kind: "close" } satisfies ToIndexThread);
          };
          isStarted.resolve();
          break;
        case "failed":
          lose(message.message);
          break;
        case "left out":
          options.onLeftOut?.(message.agent, message.message, message.reason);
          break;
        case "answer":
          waiting.get(message.id)?.(message);
          waiting.delete(message.id);
          if (waiting.size === 0) thread.unref();
      }
    });
    thread.on("error", (thrown: unknown) => lose(describeCause(thrown)));
    thread.on("exit", () => {
      lose("The indexing thread ended");
      hasEnded.resolve();
    });
  }

  function forgetWaiting(): void {
    for (const resolve of waiting.values()) resolve(undefined);
    waiting.clear();
  }

  /** There was mail or a question. Starts the thread if it has ended for want of them. */
  function wake(): void {
    if (isClosed) return;
    clearTimeout(idleTimer);
    idleTimer = after(idleTime(idleMs), sleep).unref();
    if (!isAsleep) return;
    isAsleep = false;
    // Two threads would wait for each other's locks.
    started = ended.then(() => {
      if (isClosed) return;
      start();
      return started;
    });
  }

  /** Ends the thread when the index is complete, unless there was something meanwhile. */
  async function sleep(): Promise<void> {
    const timer = idleTimer;
    if (waiting.size > 0 || rung.size > 0) return wake();
    const settled = await send((id) => ({ kind: "settle", id }));
    if (isClosed || idleTimer !== timer) return;
    if (settled === undefined || retire === undefined) return wake();
    isAsleep = true;
    retire();
  }

  async function ask(message: (id: number) => ToIndexThread): Promise<IndexThreadAnswer | undefined> {
    wake();
    // What was stored before a question is told before it.
    ring();
    // Of a thread that is starting.
    if (worker === undefined) await started;
    return send(message);
  }

  function send(message: (id: number) => ToIndexThread): Promise<IndexThreadAnswer | undefined> {
    const asked = worker;
    if (asked === undefined) return Promise.resolve(undefined);
    const id = ++lastId;
    return new Promise((resolve, reject) => {
      if (waiting.size === 0) asked.ref();
      asked.postMessage(message(id));
      waiting.set(id, (answer) => {
        gone[Symbol.dispose]();
        resolve(answer);
      });
      const gone = onCallerGone((reason) => {
        if (!waiting.delete(id)) return;
        asked.postMessage({ kind: "cancel", id } satisfies ToIndexThread);
        if (waiting.size === 0) asked.unref();
        reject(reason);
      });
    });
  }

  /** Now, if the thread had ended and was to start again later. */
  async function startedAgain(): Promise<void> {
    if (restart !== undefined && worker === undefined) {
      clearTimeout(restart);
      restart = undefined;
      start();
    }
    await started;
  }

  const rung = new Set<AgentNumber>();
  let rungCommits = 0;
  let rungAt = Number.NEGATIVE_INFINITY;
  let ringTimer: NodeJS.Timeout | undefined;
  // A thread that starts looks at every agent itself.
  const ring = (): void => {
    clearTimeout(ringTimer);
    ringTimer = undefined;
    if (rung.size === 0) return;
    wake();
    worker?.postMessage({ kind: "ring", agents: [...rung] } satisfies ToIndexThread);
    rung.clear();
    rungCommits = 0;
    rungAt = performance.now();
  };
  const stopListening = store.onCommit((touched) => {
    for (const { agent } of touched) rung.add(agent);
    rungCommits += touched.length;
    if (rungCommits >= batchCommits) return ring();
    ringTimer ??= after(performance.now() - rungAt < batchMs ? batchMs : ringMs, ring).unref();
  });
  const stopHearing = store.onMissed(() => {
    // A thread that is not there looks at every agent when it starts.
    wake();
    worker?.postMessage({ kind: "ring all" } satisfies ToIndexThread);
  });

  start();
  await started;
  wake();
  return {
    find: async (agent, keys) => (await ask((id) => ({ kind: "find", id, agent, keys })))?.answer,
    examine: async (agent, messages, keys, where) =>
      (await ask((id) => ({ kind: "examine", id, agent, messages, keys, where })))?.examined,
    async findPreviews(agent, messages) {
      const answer = await ask((id) => ({ kind: "previews", id, agent, messages }));
      return new Map(answer?.previews ?? []);
    },
    async settle() {
      for (let starts = 0; starts < settleStartsMax && !isClosed; starts++) {
        await startedAgain();
        if ((await ask((id) => ({ kind: "settle", id }))) !== undefined) return;
      }
    },
    async [Symbol.asyncDispose]() {
      stopListening();
      stopHearing();
      isClosed = true;
      clearTimeout(restart);
      clearTimeout(idleTimer);
      clearTimeout(ringTimer);
      forgetWaiting();
      await started;
      latest?.ref();
      worker?.postMessage({ kind: "close" } satisfies ToIndexThread);
      await ended;
    },
  };
}
