/** The thread's side of `thread-pool.ts`. Several jobs run at a time, because most of them wait for answers; the
 *  board shows which of them the thread computes. */
import { AsyncLocalStorage, createHook } from "node:async_hooks";
import { parentPort, workerData } from "node:worker_threads";
import { inBackground, soon } from "#/src/model/background.ts";
import {
  boardBegun,
  boardCurrent,
  boardNow,
  boardTakenBack,
  type GivenJob,
  type JobAnswer,
  type JobThreadData,
  timesBefore,
  timesSince,
} from "./job-board.ts";
import { describeCause } from "./thread-ends.ts";

/** A job that has begun, and how long the thread has computed for it. */
interface UnderWay {
  readonly id: number;
  ms: number;
}

export interface Done<Result> {
  readonly result: Result;
  /** Memory that is transferred with the result. */
  readonly transfer: readonly ArrayBuffer[];
}

/** Runs every job with `run`, which is created from the settings of the thread. `load` is awaited before a job begins, and not in its
 *  name: a job that loads code would be taken for slow. */
export function serveJobs<Settings, Job, Result>(
  create: (settings: Settings) => (job: Job) => Promise<Done<Result>> | Done<Result>,
  load?: (job: Job) => Promise<unknown> | undefined,
): void {
  const port = parentPort!;
  const {
    board: { words, times },
    settings,
  } = workerData as JobThreadData<Settings>;
  const run = create(settings);
  let answers: JobAnswer<Result>[] = [];
  let transfer: ArrayBuffer[] = [];
  let isSendDue = false;
  let waitingCount = 0;

  const nobody: UnderWay = { id: 0, ms: 0 };
  const owner = new AsyncLocalStorage<UnderWay>();
  let current = nobody;
  let since = boardNow();
  const show = (next: UnderWay): void => {
    if (next === current) return;
    const now = boardNow();
    current.ms += now - since;
    since = now;
    current = next;
    // The main thread may read the board between these writes: it sees no job then.
    Atomics.store(words, boardCurrent, 0);
    times[timesBefore] = next.ms;
    times[timesSince] = now;
    Atomics.store(words, boardCurrent, next.id);
  };
  // Runs before each callback of the loop; what promises add to it belongs to the same job. Callbacks outside of any job
  // (a message, loading a module) belong to none.
  createHook({ before: () => show(owner.getStore() ?? nobody), trackPromises: false }).enable();

  async function answer(underWay: UnderWay, job: Job): Promise<void> {
    const { id } = underWay;
    show(underWay);
    let said: JobAnswer<Result>;
    try {
      const done = await run(job);
      transfer.push(...done.transfer);
      said = { id, result: done.result };
    } catch (error) {
      said = { id, failure: describeCause(error) };
    }
    answers.push(said);
    sendSoon();
  }

  function receive(given: GivenJob<Job>): void {
    const loading = load?.(given.job);
    if (loading === undefined) begin(given);
    else inBackground(() => loading.then(() => soon(begin, given)));
  }

  function receiveWaiting(given: GivenJob<Job>): void {
    waitingCount--;
    receive(given);
  }

  function begin(given: GivenJob<Job>): void {
    // The next job may compute for long, and its thread may be ended for it: an answer that waited behind it would be lost.
    send();
    Atomics.add(words, boardBegun, 1);
    if (given.place > Atomics.load(words, boardTakenBack)) {
      const underWay = { id: given.id, ms: 0 };
      inBackground(() => owner.run(underWay, answer, underWay, given.job));
    }
    sendSoon();
  }

  /** Results that are ready in one turn are sent together, unless another job begins before. The callback belongs to no job, and comes after
   *  everything that one could do at once. */
  function sendSoon(): void {
    if (isSendDue) return;
    isSendDue = true;
    owner.exit(() => soon(sendDue));
  }

  function sendDue(): void {
    isSendDue = false;
    send();
  }

  function send(): void {
    if (answers.length === 0) return;
    port.postMessage(answers, transfer);
    answers = [];
    transfer = [];
  }

  port.on("message", (jobs: readonly GivenJob<Job>[]) => {
    // Each in a separate callback, so that its processor time is counted for the right job; in this one if none has begun in this turn, and none
    // is waiting. So they begin in the order of their places, by which the main thread knows how long each has taken.
    for (const given of jobs) {
      if (waitingCount === 0 && !isSendDue) receive(given);
      else {
        waitingCount++;
        soon(receiveWaiting, given);
      }
    }
  });
  port.postMessage([]);
}
