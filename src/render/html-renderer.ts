/** Where HTML is rendered: short documents at once, long ones in a thread of their own with a limit of time, so that no mail
 *  holds up the others. A document that does not end in time is not shown at all, and the result says so. */
import sea from "node:sea";
import { Worker } from "node:worker_threads";
import { type HtmlText, renderHtml } from "./html-text.ts";

export interface HtmlRenderer extends AsyncDisposable {
  render(html: string): Promise<HtmlText>;
}

/** About 3 ms of work. */
const inlineLengthMax = 24 * 1024;
const timeLimitMs = 3000;
/** Documents that wait for the thread; beyond that a rendering is refused as over its limit. */
const queueMax = 64;

interface Job {
  readonly html: string;
  readonly resolve: (result: HtmlText) => void;
}

export function createHtmlRenderer(): HtmlRenderer {
  const queue: Job[] = [];
  let worker: Worker | undefined;
  let current: { readonly job: Job; readonly timer: NodeJS.Timeout } | undefined;

  function finish(result: HtmlText): void {
    if (current === undefined) return;
    clearTimeout(current.timer);
    const { job } = current;
    current = undefined;
    job.resolve(result);
    startNext();
  }

  /** A thread that hangs or died is replaced for the next document. */
  function abandon(): void {
    const dead = worker;
    worker = undefined;
    void dead?.terminate();
    finish(overLimit);
  }

  function startNext(): void {
    const job = queue.shift();
    if (job === undefined) return;
    worker ??= spawn();
    current = { job, timer: setTimeout(abandon, timeLimitMs) };
    worker.postMessage({ job: 0, html: job.html });
  }

  function spawn(): Worker {
    const fresh = sea.isSea()
      ? new Worker(sea.getAsset("html-worker.cjs", "utf8"), { eval: true, name: "html" })
      : new Worker(new URL("./html-worker.ts", import.meta.url), { name: "html" });
    fresh.unref();
    fresh.on("message", ({ result }: { result: HtmlText }) => finish(result));
    fresh.on("error", () => {
      if (worker === fresh) abandon();
    });
    return fresh;
  }

  return {
    async render(html) {
      if (html.length <= inlineLengthMax) return renderHtml(html);
      if (queue.length >= queueMax) return overLimit;
      return new Promise((resolve) => {
        queue.push({ html, resolve });
        if (current === undefined) startNext();
      });
    },
    async [Symbol.asyncDispose]() {
      for (const job of queue.splice(0)) job.resolve(overLimit);
      const dead = worker;
      worker = undefined;
      finish(overLimit);
      await dead?.terminate();
    },
  };
}

const overLimit: HtmlText = { text: "", removed: [["over-limit", 1]] };
