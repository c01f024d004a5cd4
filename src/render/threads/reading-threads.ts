/** The threads that read content of strangers: some read text, others read documents. Only a short text that is not HTML is read at
 *  once, on the main thread. */
import { availableParallelism } from "node:os";
import { createFairness, type Fairness, jobsOf } from "#/src/fairness/fairness.ts";
import {
  type DocumentKind,
  type DocumentText,
  unreadDocument,
} from "#/src/formats/documents/read-document.ts";
import { type HtmlForm, overLimit, type RenderedHtml } from "#/src/formats/html/render-html.ts";
import { type ReadText, readText, type TextToRead } from "#/src/formats/text/read-text.ts";
import { extractReply, type Reply } from "#/src/formats/text/reply.ts";
import type { ContentReaders } from "#/src/mail/content-readers.ts";
import { mainBytesMax } from "#/src/model/limits.ts";
import { houseThreads } from "#/src/threads/house-threads.ts";
import { createThreadPool } from "#/src/threads/thread-pool.ts";
import { createReadingMemory } from "./reading-memory.ts";

export interface ReadingThreads extends ContentReaders, AsyncDisposable {}

export type TextJob =
  | { readonly part: TextToRead }
  | { readonly html: string; readonly form: HtmlForm }
  | { readonly reply: string };

/** Without any of them, the thread had to be ended. */
export interface TextAnswer {
  readonly read?: ReadText;
  readonly page?: RenderedHtml;
  readonly reply?: Reply;
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
const unreadText: ReadText = { ...overLimit, isPage: true };

export function createReadingThreads(fairness: Fairness = createFairness()): ReadingThreads {
  const texts = createThreadPool<TextJob, TextAnswer>({
    thread: houseThreads.texts,
    gate: fairness.gate("texts", jobsOf(Math.max(1, Math.min(4, availableParallelism() - 1)))),
    // A page gets about 150 ms of a processor by its own count (`work-meter.ts`).
    timeLimitMs: 2000,
    overLimit: {},
  });
  const unread = createReadingMemory<ReadText>();
  const memory = createReadingMemory<DocumentText>();
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

  function readersFor(isListed: boolean): ContentReaders {
    return {
      async readText(part, name) {
        if (part.reading !== "html" && part.bytes.length <= mainBytesMax) return readText(part);
        const known = name === undefined ? undefined : unread.recall(name, isListed);
        if (known !== undefined) return known;
        // The bytes may be part of a larger buffer: only their copy is sent.
        const { read = unreadText } = await texts.run({
          part: { ...part, bytes: new Uint8Array(part.bytes) },
        });
        if (name !== undefined && read.isOverLimit) unread.keep(name, read, undefined);
        return read;
      },
      async renderHtml(html, form) {
        return (await texts.run({ html, form })).page ?? overLimit;
      },
      async extractReply(text) {
        if (text.length <= mainBytesMax) return extractReply(text);
        return (await texts.run({ reply: text })).reply ?? { text, cuts: [] };
      },
      async readDocument(read, kind, name) {
        const known = (): DocumentText | undefined =>
          name === undefined ? undefined : memory.recall(name, isListed);
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
    };
  }

  return {
    ...readersFor(false),
    listed: readersFor(true),
    async [Symbol.asyncDispose]() {
      await Promise.all([texts[Symbol.asyncDispose](), documents[Symbol.asyncDispose]()]);
    },
  };
}
