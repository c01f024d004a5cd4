/** Text of attached documents, by media type. */
import type { CountLeftOut } from "#/src/formats/text/clean-text.ts";
import { type Sign, signsOf } from "#/src/formats/text/signs.ts";
import type { Doubt, Removal, RemovalCounts } from "#/src/model/removal.ts";

export type DocumentKind = "pdf" | "docx";

export interface DocumentText {
  readonly text: string;
  readonly removed: RemovalCounts;
  readonly signs: readonly Sign[];
}

/** Bound on the octets of a document; a longer one is not read. */
export const documentBytesMax = 16 * 1024 * 1024;

export const unreadDocument: DocumentText = { text: "", removed: [["over-limit", 1]], signs: [] };

export async function readDocument(bytes: Uint8Array, kind: DocumentKind): Promise<DocumentText> {
  const counts = new Map<Removal, number>();
  const doubted = new Map<Doubt, number>();
  const count: CountLeftOut = (what, times, why) => {
    if (why === undefined) counts.set(what, (counts.get(what) ?? 0) + times);
    else doubted.set(why, (doubted.get(why) ?? 0) + times);
  };
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = await textOf(buffer, kind, count);
  if (text === undefined) count("undecodable", 1);
  const removed: RemovalCounts = [
    ...counts,
    ...[...doubted].map(([why, times]) => ["doubtful", times, why] as const),
  ];
  return { text: text ?? "", removed, signs: signsOf(text ?? "", removed) };
}

async function textOf(bytes: Buffer, kind: DocumentKind, count: CountLeftOut): Promise<string | undefined> {
  if (kind === "pdf") return (await import("./pdf-text.ts")).pdfText(bytes, count);
  return (await import("./docx-text.ts")).docxText(bytes, count);
}
