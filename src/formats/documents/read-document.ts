/** Text of attached documents, by media type. */
import { escapeOwnLines } from "#/src/formats/text/own-lines.ts";
import type { Removal, RemovalCounts } from "#/src/model/removal.ts";

export type DocumentKind = "pdf" | "docx";

export interface DocumentText {
  readonly text: string;
  readonly removed: RemovalCounts;
}

/** Bound on the octets of a document; a longer one is not read. */
export const documentBytesMax = 16 * 1024 * 1024;

export const unreadDocument: DocumentText = { text: "", removed: [["over-limit", 1]] };

export async function readDocument(bytes: Uint8Array, kind: DocumentKind): Promise<DocumentText> {
  const counts = new Map<Removal, number>();
  const count = (what: Removal, times: number): void =>
    void counts.set(what, (counts.get(what) ?? 0) + times);
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = await textOf(buffer, kind, count);
  if (text === undefined) count("undecodable", 1);
  return { text: escapeOwnLines(text ?? ""), removed: [...counts] };
}

async function textOf(
  bytes: Buffer,
  kind: DocumentKind,
  count: (what: Removal, times: number) => void,
): Promise<string | undefined> {
  if (kind === "pdf") return (await import("./pdf-text.ts")).pdfText(bytes, count);
  return (await import("./docx-text.ts")).docxText(bytes, count);
}
