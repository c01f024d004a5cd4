/** Threads for reading what strangers wrote: HTML in some, documents in another. */
import { availableParallelism } from "node:os";
import { createFairness, type Fairness, jobsOf } from "#/src/fairness/fairness.ts";
import {
  type DocumentKind,
  type DocumentText,
  unreadDocument,
} from "#/src/formats/documents/read-document.ts";
import { type HtmlForm, overLimit, type RenderedHtml } from "#/src/formats/html/render-html.ts";
import type { ContentReaders } from "#/src/mail/content-readers.ts";
import { houseThreads } from "#/src/threads/house-threads.ts";
import { createThreadPool } from "#/src/threads/thread-pool.ts";

export interface ReadingThreads extends ContentReaders, AsyncDisposable {}

export interface HtmlJob {
  readonly html: string;
  readonly form: HtmlForm;
}

export interface DocumentJob {
  readonly bytes: Uint8Array;
  readonly kind: DocumentKind;
}

export function createReadingThreads(fairness: Fairness = createFairness()): ReadingThreads {
  const html = createThreadPool<HtmlJob, RenderedHtml>({
    thread: houseThreads.html,
    gate: fairness.gate("html", jobsOf(Math.max(1, Math.min(4, availableParallelism() - 1)))),
    // A document gets about 150 ms of a processor (`work-meter.ts`); this is for a machine that has none to spare.
    timeLimitMs: 2000,
    overLimit,
  });
  const documents = createThreadPool<DocumentJob, DocumentText>({
    thread: houseThreads.documents,
    gate: fairness.gate("documents", jobsOf(1)),
    timeLimitMs: 5000,
    overLimit: unreadDocument,
  });
  return {
    renderHtml: (source, form) => html.run({ html: source, form }),
    readDocument: (bytes, kind) => documents.run({ bytes, kind }),
    async [Symbol.asyncDispose]() {
      await Promise.all([html[Symbol.asyncDispose](), documents[Symbol.asyncDispose]()]);
    },
  };
}
