/** Jobs of operators that may take hours: checks, backups, imports and exports. The command line waits for the end. A program over HTTP waits a
 *  moment; then it gets the number of the job, and asks what became of it. A job ends when the credential that began it ends: a token that is
 *  revoked or expires, a session. Jobs are in memory: a restart ends and forgets them. */
import type { Author } from "#/src/model/author.ts";
import { every, noteFailure, pause } from "#/src/model/background.ts";
import { forTheHouse } from "#/src/model/caller.ts";
import type { Clock } from "#/src/model/clock.ts";
import { isWaypostError, WaypostError } from "#/src/model/errors.ts";
import { operatorJobsMax } from "#/src/model/limits.ts";
import type { AdministrationResult, OperationCall, Watcher } from "./operation-call.ts";
import { isoTime } from "./selectors.ts";

export interface Jobs extends AsyncDisposable {
  /** The result of the work; or the number of its job, if it takes longer than the caller waits. */
  run(
    operation: string,
    by: Author,
    call: OperationCall,
    work: (watcher: Watcher) => Promise<AdministrationResult>,
  ): Promise<AdministrationResult>;
  /** Those of the caller, the newest first; the command line sees all of them. */
  list(by: Author): AdministrationResult[];
  /** Throws `not_found`. */
  show(by: Author, number: number): AdministrationResult;
  /** Ends it. What it has stored stays. Throws `not_found`. */
  cancel(by: Author, number: number): Promise<AdministrationResult>;
}

interface Job {
  readonly number: number;
  readonly operation: string;
  readonly owner: string;
  readonly byOperator: boolean;
  readonly startedAt: number;
  readonly isPatient: boolean;
  readonly ending: AbortController;
  ended: Promise<void>;
  endedAt: number | null;
  state: "running" | "done" | "failed" | "cancelled";
  progress: readonly [done: number, total: number] | undefined;
  result: AdministrationResult | undefined;
  error: unknown;
}

/** How many ended jobs are remembered. */
const rememberedMax = 100;
const waitMsDefault = 20_000;
/** Between two looks at the credential that has begun a job. */
const rightsMs = 1000;

/** `waitMs`: how long a caller over HTTP waits. `lookMs`: see `rightsMs`. */
export function createJobs(clock: Clock, waitMs = waitMsDefault, lookMs = rightsMs): Jobs {
  const jobs = new Map<number, Job>();
  let last = 0;

  function find(by: Author, number: number): Job {
    const job = jobs.get(number);
    if (job === undefined || !mayKnow(by, job))
      throw new WaypostError("not_found", `There is no job ${number}.`, {
        hint: "Jobs are forgotten when the server is started again.",
      });
    return job;
  }

  function forget(): void {
    const ended = [...jobs.values()].filter(({ state }) => state !== "running");
    for (const { number } of ended.slice(0, -rememberedMax)) jobs.delete(number);
  }

  /** A caller that waits ends its job with itself. People who get an archive of their own take no room of operators. */
  function assertRoom(by: Author): void {
    const running = [...jobs.values()].filter(
      ({ state, isPatient, byOperator }) =>
        state === "running" && !isPatient && byOperator === (by.kind === "operator"),
    );
    if (running.length < operatorJobsMax) return;
    throw new WaypostError("policy_refused", `Programs have ${operatorJobsMax} jobs that run already.`, {
      reason: "limit_reached",
      hint: "job.list shows those of this token, and job.cancel ends one. At the command line, waypost job list shows all.",
    });
  }

  return {
    async run(operation, by, call, work) {
      const { signal, onProgress, isPatient } = call;
      if (!isPatient) assertRoom(by);
      const ending = new AbortController();
      const job: Job = {
        number: ++last,
        operation,
        owner: ownerOf(by),
        byOperator: by.kind === "operator",
        startedAt: clock.now(),
        isPatient,
        ending,
        ended: Promise.resolve(),
        endedAt: null,
        state: "running",
        progress: undefined,
        result: undefined,
        error: undefined,
      };
      const watcher: Watcher = {
        signal: ending.signal,
        onProgress(done, total) {
          job.progress = [done, total];
          onProgress(done, total);
        },
      };
      if (isPatient) signal.addEventListener("abort", () => ending.abort(signal.reason), { once: true });
      if (isPatient && signal.aborted) ending.abort(signal.reason);
      jobs.set(job.number, job);
      const look = forTheHouse(() => every(lookMs, lookAtRights(call, ending))).unref();
      let isHeard = true;
      const begin = () => Promise.try(work, watcher);
      const settle = (state: Job["state"]): void => {
        job.state = ending.signal.aborted && state === "failed" ? "cancelled" : state;
        job.endedAt = clock.now();
        clearInterval(look);
        forget();
      };
      job.ended = (isPatient ? begin() : forTheHouse(begin)).then(
        (result) => {
          job.result = result;
          settle("done");
        },
        (error: unknown) => {
          // What ends by the signal may say so in many ways.
          job.error = ending.signal.aborted ? ending.signal.reason : error;
          settle("failed");
          if (!isHeard && !(isWaypostError(job.error) && job.error.code !== "internal")) noteFailure(error);
        },
      );
      const over = new AbortController();
      if (isPatient) await job.ended;
      else
        await Promise.race([
          job.ended,
          pause(waitMs, { signal: over.signal, ref: false }).catch(() => {}),
        ]).finally(() => over.abort());
      if (job.state === "running") {
        isHeard = false;
        return describe(job);
      }
      // Whoever waited has the outcome.
      if (job.result !== undefined) return job.result;
      throw job.error;
    },
    list: (by) =>
      [...jobs.values()]
        .filter((job) => mayKnow(by, job))
        .reverse()
        .map(describe),
    show: (by, number) => describe(find(by, number)),
    async cancel(by, number) {
      const job = find(by, number);
      job.ending.abort(new WaypostError("precondition_failed", "The job was cancelled."));
      await job.ended;
      return describe(job);
    },
    async [Symbol.asyncDispose]() {
      const running = [...jobs.values()].filter(({ state }) => state === "running");
      for (const { ending } of running)
        ending.abort(new WaypostError("upstream_unavailable", "The server stops."));
      await Promise.all(running.map(({ ended }) => ended));
    },
  };
}

/** One look at a time. What a look cannot find out, the next one does. */
function lookAtRights(call: OperationCall, ending: AbortController): () => Promise<void> {
  let isLooking = false;
  return async () => {
    if (isLooking) return;
    isLooking = true;
    try {
      if (!(await call.mayGoOn())) ending.abort(withoutRights());
    } catch (error) {
      if (!isWaypostError(error) || error.code === "internal") throw error;
    } finally {
      isLooking = false;
    }
  };
}

function withoutRights(): WaypostError {
  return new WaypostError(
    "unauthorized",
    "The credential that began the job has ended, or may not do this any more.",
  );
}

/** Whether an answer is the number of a job that still runs. */
export function isBegunJob(result: AdministrationResult): boolean {
  return "job" in result && result.state === "running";
}

function mayKnow(by: Author, { owner }: Job): boolean {
  return by.door === "command" || ownerOf(by) === owner;
}

function ownerOf({ kind, agent, credential }: Author): string {
  return `${kind} ${agent} ${credential}`;
}

function describe({ number, operation, startedAt, endedAt, state, progress, result, error }: Job) {
  return {
    job: number,
    operation,
    state,
    startedAt: isoTime(startedAt),
    endedAt: isoTime(endedAt),
    ...(progress === undefined ? {} : { done: progress[0], total: progress[1] }),
    ...(result === undefined ? {} : { result }),
    ...(error === undefined ? {} : { error: describeError(error) }),
  };
}

/** Of another error, the log has what it says, also when nobody waits any more. */
function describeError(error: unknown) {
  return isWaypostError(error)
    ? { code: error.code, message: error.message }
    : { code: "internal", message: "It failed." };
}
