/** Plain text of an HTML body. It shows what the bytes say, also what a client would hide: it is for search, previews and
 *  reading, not for deciding what a person sees. */
import { compile } from "html-to-text";
import { boundTags } from "./bounded-tags.ts";

/** Longer bodies are read to here: the text of the longest newsletters is a tenth of it. */
const inputLengthMax = 2 * 1024 * 1024;

const convert = compile({
  wordwrap: false,
  limits: { maxInputLength: inputLengthMax * 2 },
  selectors: [
    { selector: "img", format: "skip" },
    { selector: "a", options: { hideLinkHrefIfSameAsText: true, noAnchorUrl: true } },
    ...["h1", "h2", "h3", "h4", "h5", "h6"].map((selector) => ({ selector, options: { uppercase: false } })),
  ],
});

export function htmlToText(html: string): string {
  return convert(boundTags(html.slice(0, inputLengthMax)));
}
