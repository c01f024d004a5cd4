/** The port for monitoring. It serves nothing else, and needs no credential.
 *
 *  GET /metrics   in the text format of Prometheus
 *  GET /health    200 while the store takes mail, 503 with the reason otherwise; the reason distinguishes a database that is not
 *                 reachable from one that is slow */
import { statfs } from "node:fs/promises";
import type { HttpRoute } from "#/protocols/http/app.ts";
import { pause } from "#/src/model/background.ts";
import { forEverybody } from "#/src/model/caller.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import { countWaitingHolds } from "#/storage/queries/load.ts";
import type { Store } from "#/storage/store.ts";
import type { House } from "./house.ts";
import type { Metrics } from "./metrics.ts";

/** With fewer free octets there is no room for the mail of the next minutes. */
const freeBytesMin = 64 * 1024 * 1024;
/** How long a request to this port may take. */
const readMsMax = 2000;

export function createMetricsRoute(house: House, metrics: Metrics): HttpRoute {
  const readMetrics = sharing(() => metrics.read());
  const readProblems = sharing(() => findProblems(house));
  return {
    accepts: () => true,
    async serve({ koa }) {
      koa.set("Cache-Control", "no-store");
      if (koa.method !== "GET" && koa.method !== "HEAD") {
        koa.status = 405;
        koa.set("Allow", "GET, HEAD");
      } else if (koa.path === "/metrics") {
        koa.body = await readMetrics();
        koa.set("Content-Type", metrics.contentType);
      } else if (koa.path === "/health") {
        const problems = await readProblems();
        koa.status = problems.length === 0 ? 200 : 503;
        koa.body = { status: problems.length === 0 ? "ok" : "unready", problems };
      } else koa.status = 404;
    },
  };
}

/** Requests during one reading share its result: counting a long queue takes the store some milliseconds. */
function sharing<T>(read: () => Promise<T>): () => Promise<T> {
  let reading: Promise<T> | undefined;
  return () => {
    reading ??= forEverybody(read).finally(() => {
      reading = undefined;
    });
    return reading;
  };
}

async function findProblems({ store }: House): Promise<string[]> {
  const problems: string[] = [];
  const readProblem = await findReadProblem(store);
  if (readProblem !== undefined) problems.push(readProblem);
  if (store.isBusy()) problems.push("the store has more to write than it takes");
  const { bsize, bavail } = await statfs(store.folder);
  if (bsize * bavail < freeBytesMin) problems.push("the disk of the store is full");
  return problems;
}

async function findReadProblem(store: Store): Promise<string | undefined> {
  const waiting = new AbortController();
  const read = countWaitingHolds(store).then(
    () => undefined,
    (error: unknown) =>
      store.isReachable()
        ? `the store cannot be read: ${isWaypostError(error) ? error.code : "internal"}`
        : lost,
  );
  const late = pause(readMsMax, { signal: waiting.signal, ref: false }).then(
    () => (store.isReachable() ? `the store answers slowly: not within ${readMsMax / 1000} s` : lost),
    () => undefined,
  );
  const problem = await Promise.race([read, late]);
  waiting.abort();
  return problem;
}

const lost = "the store's database cannot be reached";
