/** Content whose lines can be counted: usual elements, with nothing declared but what the count knows. In a box that cuts off, or
 *  that lets out what does not fit, everything else makes the room that it takes unsure. */
import { words } from "#/src/formats/css/value-forms.ts";
import type { DeclaredStyle } from "#/src/formats/html/cascade.ts";
import type { HtmlElement } from "#/src/formats/html/tree.ts";

const elements = words(
  "html body div p span a b i em strong font small big u s strike ins del center h1 h2 h3 h4 h5 h6 br img hr table tbody thead " +
    "tfoot tr td th ul ol li blockquote section article header footer main aside nav address figure figcaption code tt kbd samp " +
    "var cite abbr acronym dfn label mark time wbr o:p",
);
const properties = words(
  "display visibility opacity mso-hide font-size font-family font-size-adjust line-height letter-spacing white-space color " +
    "font-weight font-variant font-variant-caps overflow-wrap word-break line-break hyphens -moz-hyphens -moz-box-sizing list-style-position " +
    "background-color background-image background-clip background-size background-repeat background-position " +
    "background-position-x background-position-y background-attachment background-origin border-radius border-spacing " +
    "table-layout text-align text-decoration-line text-decoration-style text-decoration-thickness text-underline-offset text-transform vertical-align direction unicode-bidi " +
    "margin-top margin-right margin-bottom margin-left padding-top padding-right padding-bottom padding-left " +
    "border-top-width border-right-width border-bottom-width border-left-width " +
    "border-top-style border-right-style border-bottom-style border-left-style text-align-last text-overflow " +
    "text-indent position left right top bottom width max-width min-width height max-height box-sizing float clear overflow-x overflow-y list-style-type list-style-image " +
    "-webkit-text-fill-color color-scheme z-index isolation transform filter outline-style box-shadow text-shadow animation-name",
);
/** Attributes that number, size or order in ways that are not counted. */
const uncounted = words("start value reversed rows cols size compact");

/** Letters that may be higher than their line, where nothing is said of its height. */
const otherScripts =
  /[^\p{Script=Common}\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Default_Ignorable_Code_Point}]/u;

/** They may end a line, and browsers differ on it. */
const lineEnds = /[^\P{Cc}\t\n]|[\p{Zl}\p{Zp}]/u;

export function isCountableElement(element: HtmlElement, declared: DeclaredStyle): boolean {
  if (!element.isHtml || !elements.has(element.name) || declared.parts.size > 0) return false;
  for (const name of declared.values.keys())
    if (!properties.has(name) && !name.startsWith("--")) return false;
  if (element.name === "hr" || element.name === "ol" || element.name === "li")
    return !element.attributes.some(({ name }) => uncounted.has(name));
  return true;
}

export function isCountableText(text: string): boolean {
  return !otherScripts.test(text) && !lineEnds.test(text);
}
