/** Plain text of an HTML body. It shows what the bytes say, also what a client would hide: it is for search, previews and
 *  reading, not for deciding what a person sees. */
import { compile } from "html-to-text";
import { boundTags } from "./bounded-tags.ts";

/** Characters that are read, the first ones. Newsletters have a tenth of it; the worst tags cost 0.8 s for all of it. */
export const htmlLengthMax = 1024 * 1024;

const convert = compile({
  wordwrap: false,
  // What goes in is bounded here already; beyond its limit the library writes to the console.
  limits: { maxInputLength: Number.MAX_SAFE_INTEGER },
  selectors: [
    { selector: "img", format: "skip" },
    { selector: "a", options: { hideLinkHrefIfSameAsText: true, noAnchorUrl: true } },
    ...["h1", "h2", "h3", "h4", "h5", "h6"].map((selector) => ({ selector, options: { uppercase: false } })),
  ],
});

export function htmlToText(html: string): string {
  return convert(boundTags(html.slice(0, htmlLengthMax)));
}
