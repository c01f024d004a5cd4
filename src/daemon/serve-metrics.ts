/** The port for who watches the server; nothing else answers there, and it asks for no credential.
 *
 *  GET /metrics   in the text format of Prometheus
 *  GET /health    200 while the store takes mail, 503 otherwise, with what is wrong */
import { statfs } from "node:fs/promises";
import type { HttpRoute } from "#/protocols/http/app.ts";
import { forEverybody } from "#/src/model/caller.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import { countWaitingHolds } from "#/storage/queries/load.ts";
import type { House } from "./house.ts";
import type { Metrics } from "./metrics.ts";

/** With less there is no room for the mail of the next minutes. */
const freeBytesMin = 64 * 1024 * 1024;

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

/** Who asks while an answer is being made gets the same one: counting a long queue takes the store some milliseconds. */
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
  try {
    await countWaitingHolds(store);
  } catch (error) {
    problems.push(`the store cannot be read: ${isWaypostError(error) ? error.code : "internal"}`);
  }
  if (store.isBusy()) problems.push("the store has more to write than it takes");
  const { bsize, bavail } = await statfs(store.folder);
  if (bsize * bavail < freeBytesMin) problems.push("the disk of the store is full");
  return problems;
}
