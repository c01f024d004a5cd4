/** A cache of the results of documents that are expensive: those that could not be read, exceeded a limit, or took long. A blob never
 *  changes, and its number is never used again. */
import type { DocumentText } from "#/src/formats/documents/read-document.ts";
import { rememberedDocumentCharactersMax, rememberedDocumentsMax } from "#/src/model/limits.ts";

export interface DocumentMemory {
  recall(name: string): DocumentText | undefined;
  /** `cpuMs`: what it took of a processor; undefined when its thread had to be ended. */
  keep(name: string, document: DocumentText, cpuMs: number | undefined): void;
}

/** The time of a processor from which on a document is not read twice. */
const dearMs = 50;
/** A thread may have to be ended because the whole machine stood still: such a document is read again after so long. */
const endedMs = 3_600_000;

interface Kept {
  readonly document: DocumentText;
  readonly until: number;
}

export function createDocumentMemory(now: () => number = () => performance.now()): DocumentMemory {
  /** What was asked for last is last. */
  const kept = new Map<string, Kept>();
  let characters = 0;

  function forget(name: string): void {
    const one = kept.get(name);
    if (one === undefined) return;
    kept.delete(name);
    characters -= one.document.text.length;
  }

  return {
    recall(name) {
      const one = kept.get(name);
      if (one === undefined || one.until <= now()) return undefined;
      kept.delete(name);
      kept.set(name, one);
      return one.document;
    },
    keep(name, document, cpuMs) {
      const isUnread = document.removed.some(([what]) => what === "over-limit" || what === "undecodable");
      if (!isUnread && cpuMs !== undefined && cpuMs < dearMs) return;
      forget(name);
      kept.set(name, { document, until: cpuMs === undefined ? now() + endedMs : Number.POSITIVE_INFINITY });
      characters += document.text.length;
      for (const [oldest] of kept) {
        if (kept.size <= rememberedDocumentsMax && characters <= rememberedDocumentCharactersMax) break;
        forget(oldest);
      }
    },
  };
}
