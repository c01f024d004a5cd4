/** The side of the thread where jobs are done. Several are under way at a time, as most of them wait for somebody's answer; the
 *  board says for which of them the thread computes. */
import { AsyncLocalStorage, createHook } from "node:async_hooks";
import { parentPort, workerData } from "node:worker_threads";
import {
  boardBegun,
  boardCurrent,
  boardTakenBack,
  type GivenJob,
  type JobAnswer,
  type JobThreadData,
} from "./job-board.ts";

export interface Done<Result> {
  readonly result: Result;
  /** Memory that is handed over with the result. */
  readonly transfer: readonly ArrayBuffer[];
}

/** Does every job that comes with `run`, which is made of the settings that the thread was started with. */
export function serveJobs<Settings, Job, Result>(
  create: (settings: Settings) => (job: Job) => Promise<Done<Result>>,
): void {
  const port = parentPort!;
  const { board, settings } = workerData as JobThreadData<Settings>;
  const run = create(settings);
  let answers: JobAnswer<Result>[] = [];
  let transfer: ArrayBuffer[] = [];

  const owner = new AsyncLocalStorage<number>();
  const show = (id: number): void => void Atomics.store(board, boardCurrent, id);
  // Runs before each callback of the loop; what promises add to it belongs to the same job. What comes up outside of any job
  // (a message, what is loaded) is nobody's.
  createHook({ before: () => show(owner.getStore() ?? 0), trackPromises: false }).enable();

  async function answer({ id, job }: GivenJob<Job>): Promise<void> {
    show(id);
    let said: JobAnswer<Result>;
    try {
      const done = await run(job);
      transfer.push(...done.transfer);
      said = { id, result: done.result };
    } catch (error) {
      said = { id, failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
    }
    // Those that are ready in one turn go back together, unless another job begins before.
    if (answers.push(said) === 1) owner.exit(() => setImmediate(send));
  }

  function begin(given: GivenJob<Job>): void {
    // The next job may compute for long, and its thread may be ended for it: an answer that waited behind it would be lost.
    send();
    Atomics.add(board, boardBegun, 1);
    if (given.place > Atomics.load(board, boardTakenBack)) void owner.run(given.id, answer, given);
    // In a callback of its own, behind all that the job could do at once.
    setImmediate(() => {});
  }

  function send(): void {
    if (answers.length === 0) return;
    port.postMessage(answers, transfer);
    answers = [];
    transfer = [];
  }

  port.on("message", (jobs: readonly GivenJob<Job>[]) => {
    // Each in a callback of its own, so that none computes in another's name.
    for (const given of jobs) setImmediate(begin, given);
  });
}
