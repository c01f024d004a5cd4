/** One page of a reading: a piece of its text, or a range of its octets. */
import type { Description } from "#/src/render/describe-message.ts";
import { pageText } from "#/src/render/page-text.ts";
import { defaultCharacters, octetsPerAnswer } from "./limits.ts";

export interface Page {
  readonly text?: string;
  readonly content: Readonly<Record<string, unknown>>;
  /** Where the next page begins. */
  readonly next: number | undefined;
}

export async function pageOf(
  described: Pick<Description, "kind" | "content" | "text" | "octets">,
  from: number,
  maxChars: number | undefined,
): Promise<Page> {
  const { octets, text, content } = described;
  if (octets !== undefined) {
    // Base64 turns three octets into four characters.
    const most = maxChars === undefined ? octetsPerAnswer : Math.floor(maxChars / 4) * 3;
    const end = Math.min(octets.total, from + most);
    const bytes = Buffer.from(await octets.read(from, end));
    const range = { start: from, end, total: octets.total };
    return {
      content: { ...content, data: bytes.toString("base64"), range },
      next: end < octets.total ? end : undefined,
    };
  }
  if (text === undefined) return { content, next: undefined };
  const page = pageText(text, from, maxChars ?? defaultCharacters);
  const range = { start: page.start, end: page.end };
  const isText = described.kind === "body" || described.kind === "attachment";
  return {
    text: page.text,
    content: isText ? { ...content, chars_total: page.total, range } : content,
    next: page.next,
  };
}
