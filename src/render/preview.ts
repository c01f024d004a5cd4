/** The beginning of what a message says, on one line: the preview of a listing, and PREVIEW of IMAP (RFC 8970). */
import type { MimePart } from "#/src/formats/mime/structure.ts";
import type { MessageBytes, StoredBytes } from "#/src/mail/message-bytes.ts";
import { renderBody } from "./body-text.ts";
import { renderHtml } from "./html-text.ts";
import { firstCharacters } from "./page-text.ts";

/** Octets of a part that a preview is made of: HTML of that length is rendered at once, in about a millisecond. */
const previewBytes = 8 * 1024;
/** RFC 8970 section 3.1 allows no more. */
export const previewCharactersMax = 256;

export async function previewText(
  mail: MessageBytes,
  message: StoredBytes,
  structure: MimePart,
): Promise<string> {
  const { text } = await renderBody({ mail, html }, message, structure, previewBytes);
  const line = text.slice(0, previewBytes).replace(/\s+/g, " ").trim();
  return firstCharacters(line, previewCharactersMax);
}

const html = { render: async (text: string) => renderHtml(text) };
