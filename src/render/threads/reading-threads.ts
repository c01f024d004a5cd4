/** The threads that read content of strangers: some read HTML, others read documents. */
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
import { createDocumentMemory } from "./document-memory.ts";

export interface ReadingThreads extends ContentReaders, AsyncDisposable {}

export interface HtmlJob {
  readonly html: string;
  readonly form: HtmlForm;
}

export interface DocumentJob {
  readonly bytes: Uint8Array;
  readonly kind: DocumentKind;
  readonly name: string | undefined;
}

export interface DocumentAnswer {
  readonly document: DocumentText;
  readonly unpackedBytes: number;
  /** Of a processor; undefined when the thread had to be ended. */
  readonly cpuMs: number | undefined;
}

/** One for each owner at work, so that a document that takes long keeps its own owner waiting. */
const documentThreads = 3;
/** A thread that has unpacked so much ends, and its memory comes back. */
const unpackedBytesMax = 32 * 1024 * 1024;

export function createReadingThreads(fairness: Fairness = createFairness()): ReadingThreads {
  const html = createThreadPool<HtmlJob, RenderedHtml>({
    thread: houseThreads.html,
    gate: fairness.gate("html", jobsOf(Math.max(1, Math.min(4, availableParallelism() - 1)))),
    // A document gets about 150 ms of a processor by its own count (`work-meter.ts`).
    timeLimitMs: 2000,
    overLimit,
  });
  const memory = createDocumentMemory();
  const documents = createThreadPool<DocumentJob, DocumentAnswer>({
    thread: houseThreads.documents,
    gate: fairness.gate("documents", { total: documentThreads }),
    timeLimitMs: 3000,
    overLimit: { document: unreadDocument, unpackedBytes: 0, cpuMs: undefined },
    isLast: ({ unpackedBytes }) => unpackedBytes > unpackedBytesMax,
    onAnswer({ name }, { document, cpuMs }) {
      if (name !== undefined) memory.keep(name, document, cpuMs);
    },
  });
  return {
    renderHtml: (source, form) => html.run({ html: source, form }),
    async readDocument(read, kind, name) {
      const known = (): DocumentText | undefined => (name === undefined ? undefined : memory.recall(name));
      // Once more when its turn has come: others may have asked for the same.
      let document = known();
      if (document !== undefined) return document;
      const answer = await documents.runMade(async () => {
        document = known();
        if (document !== undefined) return undefined;
        const bytes = await read();
        return bytes && { bytes, kind, name };
      });
      return document ?? answer.document;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([html[Symbol.asyncDispose](), documents[Symbol.asyncDispose]()]);
    },
  };
}
