/** One page of a reading: a piece of its text, or a range of its octets. */
import { WaypostError } from "#/src/model/errors.ts";
import type { Description } from "#/src/render/describe-message.ts";
import { findWords } from "#/src/render/find-words.ts";
import { pageBetween, pageText, startAt, startBefore } from "#/src/render/page-text.ts";
import type { OperationContext } from "../operation.ts";
import { defaultCharacters, octetsPerAnswer } from "./limits.ts";
import { type Continuation, type ReadObject, sealContinuation } from "./part-cursor.ts";
import type { PartRequest } from "./part-request.ts";

/** Where a page begins, in UTF-16 units or octets; negative: where it ends. */
export type PageStart =
  | number
  | { readonly around: string }
  | { readonly offset: number }
  | { readonly end: boolean };

/** Where the request places its page; undefined: at its cursor or at the beginning. */
export function placeOf(
  request: Pick<PartRequest, "around" | "offset" | "end" | "cursor">,
): PageStart | undefined {
  const { around, offset, end, cursor } = request;
  const given = Object.entries({ around, offset, end, cursor }).filter(([, value]) => value !== undefined);
  if (given.length > 1)
    throw new WaypostError("invalid", "A page is placed once.", {
      field: `/${given[0]![0]}`,
      hint: "One of around, offset, end and cursor.",
    });
  if (around !== undefined) return { around };
  if (offset !== undefined) return { offset };
  return end === undefined ? undefined : { end };
}

/** Refuses a placed page of what has no text. */
export function assertUnplaced(request: Pick<PartRequest, "around" | "offset" | "end">): void {
  for (const field of ["around", "offset", "end"] as const)
    if (request[field] !== undefined) throw noText(field);
}

function noText(field: string): WaypostError {
  return new WaypostError("invalid", "This has no text in which a page could be placed.", {
    field: `/${field}`,
    hint: "around, offset and end are for texts of messages, events, contacts and files.",
  });
}

export interface Page {
  readonly text?: string;
  readonly content: Readonly<Record<string, unknown>>;
  /** Where the next page begins. */
  readonly next: number | undefined;
  /** Where its text begins in the whole. */
  readonly from?: number;
  /** Where the page before it ends, of a page that was placed. */
  readonly before?: number | undefined;
}

/** The cursors with which the reading goes on. */
export function cursorsOf(
  context: OperationContext,
  object: ReadObject,
  read: Pick<Continuation, "part" | "render">,
  { next, before }: Page,
): { readonly cursor?: string; readonly cursor_before?: string } {
  const seal = (from: number): string => sealContinuation(context, object, { ...read, from });
  return {
    ...(next === undefined ? {} : { cursor: seal(next) }),
    ...(before === undefined ? {} : { cursor_before: seal(-before) }),
  };
}

/** Characters of a page around words when no max_chars is given. */
const aroundCharacters = 2000;

export async function pageOf(
  described: Pick<Description, "kind" | "content" | "text" | "octets">,
  start: PageStart,
  maxChars: number | undefined,
): Promise<Page> {
  const { octets, text, content } = described;
  if (typeof start !== "number" && (octets !== undefined || text === undefined))
    throw noText(Object.keys(start)[0]!);
  if (octets !== undefined) {
    const from = start as number;
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
  const isPlaced = typeof start !== "number" || start < 0;
  const most =
    maxChars ?? (typeof start === "object" && "around" in start ? aroundCharacters : defaultCharacters);
  const from = await unitOf(text, start, most);
  const isBefore = typeof start === "number" && start < 0;
  const page = isBefore ? pageBetween(text, from, -start) : pageText(text, from, most);
  const range = { start: page.start, end: page.end };
  const isText = isPlaced || described.kind === "body" || described.kind === "attachment";
  return {
    text: page.text,
    from,
    content: isText ? { ...content, chars_total: page.total, range } : content,
    next: page.next,
    before: isPlaced && from > 0 ? from : undefined,
  };
}

async function unitOf(text: string, start: PageStart, most: number): Promise<number> {
  if (typeof start === "number") return start < 0 ? startBefore(text, -start, most) : start;
  if ("offset" in start) return startAt(text, start.offset);
  if ("end" in start) return start.end ? startBefore(text, text.length, most) : 0;
  const found = await findWords(text, start.around);
  if (found !== undefined) return startBefore(text, found.start, Math.floor(most / 3));
  throw new WaypostError("not_found", "The text does not have these words.", {
    hint: "Other words, or the text from its beginning without around.",
  });
}
