/** The body of a message, or of one part, as text. The same bytes give the same text under the same `renderer`, so that a
 *  place in it can be named by a number. */
import { decodeCharset, isKnownCharset } from "#/src/formats/mime/charset.ts";
import type { MimePart } from "#/src/formats/mime/structure.ts";
import type { MessageBytes, StoredBytes } from "#/src/mail/message-bytes.ts";
import { type BodyPlace, bodyPlaces } from "./body-parts.ts";
import { cleanText } from "./clean-text.ts";
import { readDecodedPart } from "./decoded-part.ts";
import type { HtmlRenderer } from "./html-renderer.ts";
import { createRemovalTally, type RemovalDetail, type RemovalTally } from "./removal.ts";

/** Changes when the same bytes would give another text. */
export const textRenderer = "text/1";

export interface BodyText {
  readonly text: string;
  /** Section numbers of the parts shown. */
  readonly parts: readonly MimePart[];
  readonly removed: readonly RemovalDetail[];
}

/** Octets of one text part that are looked at. */
const partBytesMax = 2 * 1024 * 1024;
/** Characters of a whole rendering. */
const textLengthMax = 4 * 1024 * 1024;

export interface TextSource {
  readonly mail: MessageBytes;
  readonly html: Pick<HtmlRenderer, "render">;
}

/** The best readable text of a message, a nested message or a multipart. */
export async function renderBody(
  source: TextSource,
  message: StoredBytes,
  top: MimePart,
  partBytes: number = partBytesMax,
): Promise<BodyText> {
  const tally = createRemovalTally();
  const texts: string[] = [];
  const parts: MimePart[] = [];
  let length = 0;
  for (const place of bodyPlaces(top)) {
    if (length > textLengthMax) {
      tally.add("over-limit", "body");
      break;
    }
    const shown = await renderPlace(source, message, place, partBytes);
    if (shown === undefined) continue;
    tally.addAll(shown.removed);
    texts.push(shown.text);
    parts.push(...shown.parts);
    length += shown.text.length;
  }
  return { text: texts.join("\n"), parts, removed: tally.list() };
}

async function renderPlace(
  source: TextSource,
  message: StoredBytes,
  place: BodyPlace,
  partBytes: number,
): Promise<BodyText | undefined> {
  let last: BodyText | undefined;
  for (const part of place) {
    last = await renderPart(source, message, part, partBytes);
    if (last.text.trim() !== "") return last;
  }
  return last;
}

/** One part of text, or of something that is text in all but name. */
export async function renderPart(
  source: TextSource,
  message: StoredBytes,
  part: MimePart,
  partBytes: number = partBytesMax,
): Promise<BodyText> {
  const tally = createRemovalTally();
  const where = part.section;
  const { bytes, isCut } = await readDecodedPart(source.mail, message, part, partBytes);
  if (isCut) tally.add("over-limit", where);
  const decoded = decodeText(bytes, part, tally);
  if (part.type !== "text" || part.subtype !== "html")
    return { text: cleanText(decoded, where, tally), parts: [part], removed: tally.list() };
  const { text, removed } = await source.html.render(decoded);
  for (const [what, count] of removed) tally.add(what, where, count);
  return { text: cleanText(text, where, tally), parts: [part], removed: tally.list() };
}

function decodeText(bytes: Buffer, part: MimePart, tally: RemovalTally): string {
  // JSON, XML and what else has no parameter are UTF-8 by their own standards.
  const charset = part.parameters.charset ?? (part.type === "text" ? "us-ascii" : "utf-8");
  const text = decodeCharset(bytes, charset);
  if (!isKnownCharset(charset) || text.includes("\ufffd")) tally.add("undecodable", part.section);
  return text;
}

/** Media types that are text for a reader, whatever their top-level type says. */
export function isReadable(part: MimePart): boolean {
  if (part.type === "text") return true;
  const { subtype } = part;
  if (part.type === "message") return ["delivery-status", "disposition-notification"].includes(subtype);
  return (
    part.type === "application" &&
    (["json", "xml", "javascript", "pgp-signature", "pgp-keys", "x-yaml", "yaml"].includes(subtype) ||
      /\+(?:json|xml)$/.test(subtype))
  );
}
