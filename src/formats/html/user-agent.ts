/** What a browser's own style sheet says of elements, as far as it decides what is seen and where a line begins. */
import { attributeOf, type HtmlElement } from "./tree.ts";

const displays: ReadonlyMap<string, string> = new Map(
  Object.entries({
    block:
      "html body address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption figure footer " +
      "form frameset h1 h2 h3 h4 h5 h6 header hgroup hr legend listing main menu nav ol optgroup option p plaintext " +
      "pre search section summary ul xmp",
    "list-item": "li",
    table: "table",
    "table-row-group": "tbody",
    "table-header-group": "thead",
    "table-footer-group": "tfoot",
    "table-row": "tr",
    "table-cell": "td th",
    "table-caption": "caption",
    "table-column": "col",
    "table-column-group": "colgroup",
    "inline-block": "marquee button input select textarea meter progress",
    none: "area base basefont datalist head link meta noembed noframes param rp script style template title source track",
  }).flatMap(([display, names]) => names.split(" ").map((name): [string, string] => [name, display])),
);

export function defaultDisplay(element: HtmlElement): string {
  if (!element.isHtml) return "inline";
  if (element.name === "dialog" && attributeOf(element, "open") === undefined) return "none";
  return displays.get(element.name) ?? "inline";
}

function numbersOf(text: string): ReadonlyMap<string, number> {
  return new Map(text.split(" ").map((one) => [one.split(":")[0]!, Number(one.split(":")[1])]));
}

const fontScales = numbersOf(
  "h1:2 h2:1.5 h3:1.17 h5:0.83 h6:0.67 small:0.8333333333333334 sub:0.8333333333333334 sup:0.8333333333333334 big:1.2 rt:0.5",
);

/** Margins above and below, in the size of the letters. */
const spaces = numbersOf(
  "p:1 ul:1 ol:1 dl:1 menu:1 dir:1 blockquote:1 figure:1 pre:1 listing:1 xmp:1 plaintext:1 hr:0.5 fieldset:0.7 " +
    "h1:0.67 h2:0.83 h3:1 h4:1.33 h5:1.67 h6:2.33",
);

export function defaultSpace(element: HtmlElement): number {
  return element.isHtml ? (spaces.get(element.name) ?? 0) : 0;
}

export function fontScale(element: HtmlElement): number {
  return fontScales.get(element.name) ?? 1;
}

/** Elements with content that is drawn otherwise, or not at all, and whose text a browser does not show. */
export const unseenElements: ReadonlySet<string> = new Set(
  (
    "area applet audio base basefont canvas datalist embed frame frameset head iframe img link meta meter noembed noframes " +
    "noscript object param picture progress rp source svg template title track video"
  ).split(" "),
);
export const formElements: ReadonlySet<string> = new Set([
  "input",
  "select",
  "textarea",
  "option",
  "optgroup",
]);
