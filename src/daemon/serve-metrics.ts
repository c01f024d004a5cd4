/** The port for monitoring. It serves nothing else, and needs no credential.
 *
 *  GET /metrics   in the text format of Prometheus
 *  GET /health    as on the public ports (`health.ts`) */
import type { HttpRoute } from "#/protocols/http/app.ts";
import type { House } from "./house.ts";
import type { Metrics } from "./metrics.ts";
import { sharing } from "./sharing.ts";

export function createMetricsRoute({ health }: Pick<House, "health">, metrics: Metrics): HttpRoute {
  // Counting a long queue takes the store some milliseconds.
  const readMetrics = sharing(() => metrics.read());
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
        const problems = await health.findProblems();
        koa.status = problems.length === 0 ? 200 : 503;
        koa.body = { status: problems.length === 0 ? "ok" : "unready", problems };
      } else koa.status = 404;
    },
  };
}
