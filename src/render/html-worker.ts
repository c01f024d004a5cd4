/** The thread that renders long HTML: one document in, one text out. */
import { parentPort } from "node:worker_threads";
import { renderHtml } from "./html-text.ts";

parentPort!.on("message", ({ job, html }: { job: number; html: string }) => {
  parentPort!.postMessage({ job, result: renderHtml(html) });
});
