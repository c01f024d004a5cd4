/** Pruning by age, in slices of low priority, so that writes of mail go before each slice. A row that cannot be pruned, as in a damaged
 *  file, is logged and skipped, and the rest is pruned. */
import { isWaypostError } from "#/src/model/errors.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { MaintainOptions, Store } from "./store.ts";
import type { ArgumentsOf, ResultOf, TransactionName } from "./transactions/index.ts";

export type WriteSlice = <N extends TransactionName>(name: N, args: ArgumentsOf<N>) => Promise<ResultOf<N>>;

const rowsPerSlice = 1000;
/** Uploads of one slice. Each may have many chunks. */
const uploadsPerSlice = 16;
/** Slices of thread keys in one hour: in two days all of a million keys are examined. */
const threadKeySlices = 20;
/** A session ends after 90 days at most, and its person sees for some time that there was one. */
const signInsToldMs = 120 * 86_400_000;
/** The most rows of one kind that are skipped. With more, the file is so damaged that pruning ends. */
const passedOverMax = 100;

export async function maintainStore(
  store: Pick<Store, "pages" | "clock">,
  write: WriteSlice,
  options: MaintainOptions,
  tell: (trouble: string) => void,
): Promise<void> {
  const now = store.clock.now();
  const before = now - options.changesMs;
  await prune("spent idempotency keys", rowsPerSlice, (slice) =>
    write("pruneIdempotency", { now, ...slice }),
  );
  const auditedBefore = options.auditMs === undefined ? 0 : now - options.auditMs;
  await prune("entries of the audit log", rowsPerSlice, (slice) =>
    write("pruneOperatorCalls", { before: auditedBefore, now, ...slice }),
  );
  await prune("entries of the log of access", rowsPerSlice, (slice) =>
    write("pruneAccessChanges", { before: auditedBefore, ...slice }),
  );
  await prune("old sign-ins", rowsPerSlice, (slice) =>
    write("pruneSignIns", { now, before: now - signInsToldMs, ...slice }),
  );
  await prune("expired uploads", uploadsPerSlice, (slice) => write("pruneUploads", { now, ...slice }));
  await prune("old submissions", rowsPerSlice / 10, (slice) =>
    write("pruneSubmissions", { before, ...slice }),
  );
  await prune("old holds", rowsPerSlice / 10, (slice) => write("pruneHolds", { before, ...slice }));
  const pages = store.pages<{ agent: AgentNumber }>(
    `select agent_id as agent
    from agent
    where agent_id > ? and state <> 'deleted'
    order by agent_id
    limit ?`,
    (row) => [row.agent],
    [0],
  );
  for await (const agents of pages)
    for (const { agent } of agents)
      await unlessDamaged(`the log of agent ${agent}`, async () => {
        while (!(await write("pruneChanges", { agent, before, limit: rowsPerSlice })).isDone);
      });

  await unlessDamaged("the keys of threads", async () => {
    for (let slice = 0; slice < threadKeySlices; slice++)
      if ((await write("pruneThreadKeys", { limit: rowsPerSlice })).isDone) return;
  });

  /** Prunes slice by slice. A slice that fails is tried row by row, and the rows that fail alone are skipped. */
  async function prune(
    what: string,
    rows: number,
    writeSlice: (slice: { limit: number; skip: number }) => Promise<{ isDone: boolean }>,
  ): Promise<void> {
    let skip = 0;
    for (let single = 0; ; ) {
      const limit = single > 0 ? 1 : rows;
      try {
        if ((await writeSlice({ limit, skip })).isDone) return;
        single = Math.max(0, single - 1);
      } catch (error) {
        if (!isDamage(error)) throw error;
        if (limit > 1) single = rows;
        else {
          tell(`one of ${what} could not be pruned and is left as it is: ${causeOf(error)}`);
          if (++skip > passedOverMax) return;
        }
      }
    }
  }

  async function unlessDamaged(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!isDamage(error)) throw error;
      tell(`${what} could not be pruned and is left as it is: ${causeOf(error)}`);
    }
  }
}

/** Whether an error means damage. A full disk and a closed store are temporary. */
function isDamage(error: unknown): boolean {
  return isWaypostError(error) && error.code === "internal";
}

function causeOf(error: unknown): string {
  return isWaypostError(error) ? String(error.details.cause ?? error.message) : String(error);
}
