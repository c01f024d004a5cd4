/** The text of a part of a mail: decoded, in the words of its format, and without what a person would not see. The same octets give the
 *  same text, in bounded time and memory. */

import { frameOfText } from "#/src/formats/html/frame-text.ts";
import type { PictureSizes } from "#/src/formats/html/held-pictures.ts";
import { charsetOfPage } from "#/src/formats/html/html-charset.ts";
import {
  type HtmlForm,
  overLimit,
  type RenderedHtml,
  type RenderHtml,
} from "#/src/formats/html/rendered-html.ts";
import { isKnownCharset } from "#/src/formats/mime/charset.ts";
import { charsetOfMark, readingsOf, sharedLines } from "#/src/formats/mime/charset-readings.ts";
import { readForeign } from "#/src/model/foreign-text.ts";
import type { Removal, RemovalCounts } from "#/src/model/removal.ts";
import { type CountRemoval, cleanText } from "./clean-text.ts";
import { calendarText, contactText } from "./content-lines.ts";
import { joinFlowed } from "./flowed.ts";
import { escapeOwnLines, leftOutLine, withLeftOut } from "./own-lines.ts";
import { type Quote, quotesIn } from "./quotes.ts";
import { type Sign, signsOf } from "./signs.ts";

export interface TextToRead {
  readonly bytes: Uint8Array;
  readonly reading: "text" | "html" | "calendar" | "contact";
  /** As the part says. */
  readonly charset: string | undefined;
  /** Of a part that says none. */
  readonly usualCharset: string;
  /** Of plain text: `format=flowed` (RFC 3676). */
  readonly flowed?: { readonly deletesSpaces: boolean } | undefined;
  readonly form: HtmlForm;
  /** Of HTML: text in doubt is given, each passage between `doubtfulMarks`. */
  readonly withDoubtful?: boolean | undefined;
  /** Of HTML: the pictures of its message. */
  readonly pictures?: PictureSizes | undefined;
}

export interface ReadText extends RenderedHtml {
  /** HTML with anything in it. */
  readonly isPage: boolean;
  readonly signs: readonly Sign[];
  /** Of a text or a page in lines. */
  readonly quotes?: readonly Quote[];
}

/** `render`: of a part that is HTML. */
export function readText(part: TextToRead, render: RenderHtml): ReadText {
  return readForeign(
    part.reading,
    part.bytes,
    () => readWhole(part, render),
    () => ({ ...overLimit, isPage: false, signs: [] }),
  );
}

function readWhole(
  { bytes, reading, charset: said, usualCharset, flowed, form, pictures, withDoubtful }: TextToRead,
  render: RenderHtml,
): ReadText {
  const charset = said ?? (reading === "html" ? charsetOfPage(bytes) : charsetOfMark(bytes)) ?? usualCharset;
  const readings = readingsOf(bytes, charset);
  const [decoded] = readings;
  const counts = new Map<Removal, number>();
  const count: CountRemoval = (what, times) => void counts.set(what, (counts.get(what) ?? 0) + times);
  if (!isKnownCharset(charset) || decoded.includes("\ufffd")) count("undecodable", 1);
  if (readings.length > 1 && reading !== "text" && form !== "frame")
    return { ...readDifferently, removed: [...counts, ...readDifferently.removed] };
  if (reading === "html") {
    const page = render(decoded, form, pictures, withDoubtful);
    const removed = [...counts, ...page.removed];
    const isLines = form === "text" || form === "markdown";
    return {
      ...page,
      removed,
      isPage: decoded.trim() !== "",
      signs: signsOf(page.text, removed),
      ...(isLines ? { quotes: quotesIn(page.text) } : {}),
    };
  }
  const { text: shared, leftOut } = form === "frame" ? { text: decoded, leftOut: 0 } : sharedLines(readings);
  const text = plainText(shared, reading, flowed, count);
  const removed: RemovalCounts = [
    ...counts,
    ...(leftOut > 0 ? ([["doubtful", leftOut, "element-not-understood"]] as const) : []),
  ];
  const plain = { removed, pictures: [], isOverLimit: false, isPage: false, signs: signsOf(text, removed) };
  return form === "frame"
    ? { ...plain, text: "", frame: frameOfText(text) }
    : {
        ...plain,
        text: withLeftOut(escapeOwnLines(text), leftOut),
        ...(reading === "text" ? { quotes: quotesIn(text) } : {}),
      };
}

/** A page, a calendar or a contact of which programs read different texts: what would be hidden in one is not known. */
const readDifferently: ReadText = {
  text: leftOutLine(1),
  removed: [["doubtful", 1, "whole-document"]],
  pictures: [],
  isOverLimit: false,
  isPage: true,
  signs: [],
};

function plainText(
  decoded: string,
  reading: "text" | "calendar" | "contact",
  flowed: TextToRead["flowed"],
  count: CountRemoval,
): string {
  switch (reading) {
    case "calendar":
      return calendarText(decoded, count);
    case "contact":
      return contactText(decoded, count);
    case "text": {
      const text = cleanText(decoded, count);
      return flowed === undefined ? text : joinFlowed(text, flowed.deletesSpaces);
    }
  }
}
