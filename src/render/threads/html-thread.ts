/** A thread that renders HTML: one document in, one text out. */
import { parentPort } from "node:worker_threads";
import { renderHtml } from "#/src/formats/html/render-html.ts";
import type { HtmlJob } from "./reading-threads.ts";

parentPort!.on("message", ({ html, form }: HtmlJob) => {
  parentPort!.postMessage(renderHtml(html, form));
});
