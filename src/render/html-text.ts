/** Text of an HTML body, and what of the document is not in it. Style is not looked at: text that a browser would hide is
 *  in the result. */
import { htmlToText } from "#/src/formats/html/plain-text.ts";
import type { Removal } from "./removal.ts";

export interface HtmlText {
  readonly text: string;
  readonly removed: readonly (readonly [what: Removal, count: number])[];
}

/** Characters of HTML that are looked at. */
export const htmlLengthMax = 1024 * 1024;

/** Each pattern runs in linear time; what they count is what the source has, wherever it stands. */
const left: readonly (readonly [Removal, RegExp])[] = [
  ["comment", /<!--/g],
  ["script", /<script[\s>/]/gi],
  ["style", /<style[\s>/]/gi],
  ["form", /<(?:form|input|button|select|textarea)[\s>/]/gi],
  ["active-attribute", /\son[a-z]{3,20}\s?=/gi],
  ["remote-image", /<img[\s/][^<>]{0,2000}?src\s?=\s?["']?(?:https?:)?\/\//gi],
];

export function renderHtml(source: string): HtmlText {
  const html = source.slice(0, htmlLengthMax);
  const removed: [Removal, number][] = [];
  for (const [what, pattern] of left) {
    const count = html.match(pattern)?.length ?? 0;
    if (count > 0) removed.push([what, count]);
  }
  if (source.length > htmlLengthMax) removed.push(["over-limit", 1]);
  return { text: htmlToText(html), removed };
}
