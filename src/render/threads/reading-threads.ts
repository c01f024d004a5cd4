/** The threads that read content of strangers: some read text, others read documents. Only a short text that is not HTML is read at
 *  once, on the main thread. */
import { createFairness, type Fairness } from "#/src/fairness/fairness.ts";
import {
  type DocumentKind,
  type DocumentText,
  unreadDocument,
} from "#/src/formats/documents/read-document.ts";
import { type HtmlForm, overLimit, type RenderedHtml } from "#/src/formats/html/rendered-html.ts";
import { differs } from "#/src/formats/text/divergence.ts";
import { type ReadText, readText, type TextToRead } from "#/src/formats/text/read-text.ts";
import { extractReply, type Reply } from "#/src/formats/text/reply.ts";
import type { ContentReaders } from "#/src/mail/content-readers.ts";
import { mainBytesMax } from "#/src/model/limits.ts";
import { createClassPool } from "#/src/threads/classes.ts";
import { createReading, type Reading } from "#/src/threads/reading.ts";
import { createReadingMemory } from "./reading-memory.ts";

export interface ReadingThreads extends ContentReaders, AsyncDisposable {}

export type TextJob =
  | { readonly part: TextToRead }
  | { readonly html: string; readonly form: HtmlForm }
  | { readonly reply: string }
  | { readonly other: string; readonly shown: string };

export interface TextAnswer {
  readonly read?: ReadText;
  readonly page?: RenderedHtml;
  readonly reply?: Reply;
  readonly isDiffering?: boolean;
}

export interface DocumentJob {
  readonly bytes: Uint8Array;
  readonly kind: DocumentKind;
  readonly name: string | undefined;
}

export interface DocumentAnswer {
  readonly document: DocumentText;
  readonly unpackedBytes: number;
  /** Of a processor. */
  readonly cpuMs: number;
}

/** A page gets about 150 ms of a processor by its own count (`work-meter.ts`). */
const textMs = 2000;
/** A thread that has unpacked so much ends, and its memory comes back. */
const unpackedBytesMax = 32 * 1024 * 1024;
const unreadText: ReadText = { ...overLimit, isPage: true, signs: [] };

export function createReadingThreads(
  fairness: Fairness = createFairness(),
  reading: Reading = createReading(fairness),
): ReadingThreads {
  const unread = createReadingMemory<ReadText>();
  const memory = createReadingMemory<DocumentText>();
  const documents = createClassPool<undefined, DocumentJob, DocumentAnswer>("documents", fairness, {
    settings: undefined,
    isLast: ({ unpackedBytes }) => unpackedBytes > unpackedBytesMax,
    onResult({ name }, result) {
      if (name !== undefined) memory.keep(name, result?.document ?? unreadDocument, result?.cpuMs);
    },
  });

  async function readOnThread(job: TextJob, bytes: number): Promise<TextAnswer> {
    return (await reading.read<TextAnswer>("texts", job, { bytes, limitMs: textMs })) ?? {};
  }

  function readersFor(isListed: boolean): ContentReaders {
    return {
      async readText(part, name) {
        if (part.reading !== "html" && part.bytes.length <= mainBytesMax)
          return readText(part, () => overLimit);
        const known = name === undefined ? undefined : unread.recall(name, isListed);
        if (known !== undefined) return known;
        // The bytes may be part of a larger buffer: only their copy is sent.
        const bytes = new Uint8Array(part.bytes);
        const { read = unreadText } = await readOnThread({ part: { ...part, bytes } }, bytes.length);
        if (name !== undefined && read.isOverLimit) unread.keep(name, read, undefined);
        return read;
      },
      async renderHtml(html, form) {
        return (await readOnThread({ html, form }, html.length)).page ?? overLimit;
      },
      async extractReply(text) {
        if (text.length <= mainBytesMax) return extractReply(text);
        return (await readOnThread({ reply: text }, text.length)).reply ?? { text, cuts: [] };
      },
      async differs(other, shown) {
        const length = other.length + shown.length;
        if (length <= mainBytesMax) return differs(other, shown);
        return (await readOnThread({ other, shown }, length)).isDiffering ?? true;
      },
      async readDocument(read, kind, name) {
        const known = (): DocumentText | undefined =>
          name === undefined ? undefined : memory.recall(name, isListed);
        // Once more when its turn has come: others may have asked for the same.
        let document = known();
        if (document !== undefined) return document;
        const answer = await documents.runMade(
          async () => {
            document = known();
            if (document !== undefined) return undefined;
            const bytes = await read();
            return bytes && { bytes, kind, name };
          },
          { bytes: 0 },
        );
        return document ?? answer?.document ?? unreadDocument;
      },
    };
  }

  return {
    ...readersFor(false),
    listed: readersFor(true),
    [Symbol.asyncDispose]: () => documents[Symbol.asyncDispose](),
  };
}
