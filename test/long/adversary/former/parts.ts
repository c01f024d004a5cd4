/** Pseudo-elements (`::before`, `::first-line`): whether they may cover text or push it away. Their content is not text of the
 *  message. */
import { lengthOf } from "#/src/formats/css/length.ts";
import { subjectOf } from "#/src/formats/css/properties.ts";
import type { Declaration } from "#/src/formats/css/stylesheet.ts";
import { addressOf, isHeld, wordOf, words } from "#/src/formats/css/value-forms.ts";
import { widthOf } from "#/src/formats/html/fonts.ts";
import type { Box, Style } from "./computed-style.ts";

export type Cover = "page" | "element" | "none";

/** Pseudo-elements without a box in the layout: of selected or found text, and of things that are not rendered. */
const harmless = /^(?:selection|backdrop|target-text|spelling-error|grammar-error|cue|-moz-(?!list-).*)$/;
/** Pseudo-elements of controls, which have boxes of their own. */
const ofControls =
  /^(?:placeholder|file-selector-button|-webkit-(?:input-placeholder|inner-spin-button|outer-spin-button|search-.*|file-upload-button|details-marker|calendar-picker-indicator|textfield-decoration-container|meter-.*|progress-.*|slider-.*|datetime-edit.*|color-swatch.*))$/;
const controlled = words(
  "color background-color opacity font-size font-family font-size-adjust line-height letter-spacing width height",
);
/** Properties that cover nothing if they apply to text of a line, or to an empty box. */
const linear = words(
  "display color font-size font-family line-height letter-spacing word-spacing visibility opacity white-space text-decoration-line vertical-align zoom font-size-adjust",
);
const sized = words(
  "width height min-width min-height max-width max-height overflow-x overflow-y padding-top padding-right padding-bottom padding-left box-sizing",
);
const laid = words(
  "position top right bottom left z-index background-color background-image background-size background-repeat background-position background-clip border-radius opacity display width height max-width max-height color overflow-x overflow-y",
);
const contentMax = 200;

export function coverOfParts(
  parts: ReadonlyMap<string, readonly Declaration[]>,
  style: Style,
  box: Box,
  element: string,
): Cover {
  let worst: Cover = "none";
  for (const [name, declarations] of parts) {
    const cover = coverOf(name, declarations, style, box, element === "q" ? quote : undefined);
    if (cover === "page") return cover;
    if (cover === "element") worst = cover;
  }
  return worst;
}

/** Content from the style sheets of browsers: `::before` and `::after` of `q`. */
const quote = "\u201c";

function coverOf(
  name: string,
  declarations: readonly Declaration[],
  style: Style,
  box: Box,
  ownContent: string | undefined,
): Cover {
  if (harmless.test(name)) return "none";
  if (ofControls.test(name)) return isOfControl(declarations) ? "none" : "page";
  const names = declarations
    .filter(({ property }) => property !== "content" && !property.startsWith("--"))
    .flatMap(({ property }) => {
      const subject = subjectOf(property);
      return subject.kind === "properties" ? subject.names : ["?"];
    });
  const isAll = (allowed: ReadonlySet<string>): boolean => names.every((one) => allowed.has(one));
  const hasContent = declarations.some(({ property }) => property === "content");
  if (name === "marker") return isAll(words("color font-family")) && !hasContent ? "none" : "page";
  if (name === "first-line" || name === "first-letter")
    return isAll(words("color font-family")) && names.length === 0
      ? "none"
      : declarations.every(isSmall) &&
          isAll(words("color font-size font-family line-height text-decoration-line letter-spacing"))
        ? "element"
        : "page";
  if (name !== "before" && name !== "after") return "page";
  const contents = declarations
    .filter(({ property }) => property === "content")
    .map(({ value }) => contentOf(value));
  contents.push(ownContent);
  if (contents.every((content) => content === undefined)) return "none";
  if (!declarations.every(isSmall)) return "page";
  const text = contents.join("");
  const isBlank = text.trim() === "";
  if (isBlank && isAll(new Set([...linear, ...sized]))) return "none";
  if (isAll(linear) && text.length <= contentMax && !/[\p{S}\p{Co}]/u.test(text))
    return box.cutsOff ? "element" : "none";
  const isHolder = ["relative", "absolute", "fixed"].includes(positionOf(style));
  return isHolder && isAll(laid) && isBlank && isWithin(declarations) ? "element" : "page";
}

const colourful = /color|background|^content$|^--|^font-family$/;
const pixelsMax = 100;
const emsMax = 5;
const shareMax = 200;

/** Whether the sizes of a declaration are usual: they neither cover content around nor push it far away. */
function isSmall({ property, value }: Declaration): boolean {
  if (colourful.test(property)) return true;
  return value.every((token) => {
    if (token.type === "function") return false;
    if (token.type === "percent") return Math.abs(token.number) <= shareMax;
    if (token.type === "number") return Math.abs(token.number) <= emsMax;
    if (token.type !== "dimension") return true;
    return Math.abs(token.number) <= (token.unit === "px" ? pixelsMax : emsMax);
  });
}

/** The distance by which all pseudo-elements together may push the following content down. An upper bound. */
export function heightOfParts(parts: ReadonlyMap<string, readonly Declaration[]>, style: Style): number {
  let height = 0;
  for (const declarations of parts.values()) {
    let em = style.fontSize;
    for (const { property, value } of declarations)
      if (/^(?:font|font-size|zoom)$/.test(property)) em += sizeOf(value, em);
    for (const { property, value } of declarations)
      if (/^(?:font|line-height|vertical-align|zoom)$|height|padding|size/.test(property))
        height += sizeOf(value, em);
      else if (property === "content") height += (contentOf(value)?.length ?? 0) * style.lineHeight;
  }
  return height;
}

/** The distance by which all pseudo-elements together may push content after them in their line, or after their element. An upper
 *  bound. */
export function widthOfParts(parts: ReadonlyMap<string, readonly Declaration[]>, style: Style): number {
  let width = 0;
  for (const [name, declarations] of parts) {
    if (name !== "before" && name !== "after") continue;
    const places = declarations.filter(({ property }) => property === "position");
    if (places.length > 0 && places.every(({ value }) => outOfFlow.has(wordOf(value)))) continue;
    let letters = style;
    for (const { property, value } of declarations)
      if (/^(?:font|font-size|zoom)$/.test(property))
        letters = { ...letters, fontSize: letters.fontSize + sizeOf(value, letters.fontSize) };
    for (const { property, value } of declarations) {
      const content = property === "content" ? (contentOf(value) ?? "") : "";
      if (/width|padding|margin|border|spacing/.test(property))
        width += sizeOf(value, letters.fontSize) * (property.endsWith("spacing") ? contentMax : 1);
      else if (content !== "") width += widthOf(content, letters);
    }
  }
  return width;
}

const outOfFlow = words("absolute fixed");

/** The sum of all sizes in a value; a percentage counts as one of the window's width. */
function sizeOf(value: Declaration["value"], em: number): number {
  let size = 0;
  for (const token of value)
    if (token.type === "percent") size += (Math.abs(token.number) / 100) * 1024;
    else if (token.type === "dimension") size += Math.abs(token.number) * (token.unit === "px" ? 1 : em);
    else if (token.type === "number") size += Math.abs(token.number) * em;
  return size;
}

/** Whether the declarations of a control's part change only colours and fonts, not its size or position. */
function isOfControl(declarations: readonly Declaration[]): boolean {
  return declarations.every(({ property, value }) => {
    if (property.startsWith("--")) return true;
    const subject = subjectOf(property);
    if (subject.kind !== "properties") return false;
    const isSize = subject.names.some((one) => one === "width" || one === "height");
    return subject.names.every((one) => controlled.has(one)) && (!isSize || wordOf(value) === "auto");
  });
}

/** The content of a pseudo-element; undefined for none. A full block stands for content that is not understood, because it may
 *  cover text. */
function contentOf(value: Declaration["value"]): string | undefined {
  if (["none", "normal"].includes(wordOf(value))) return undefined;
  const address = addressOf(value);
  if (address !== undefined && !isHeld(address)) return "";
  const isText = value.every(({ type }) => type === "string" || type === "space");
  return isText ? value.map((token) => (token.type === "string" ? token.value : "")).join("") : "\u2588";
}

function positionOf({ values }: Style): string {
  const value = values.get("position");
  return value === undefined || value === "initial" ? "" : wordOf(value);
}

/** Whether the pseudo-element lies over its element and not beyond its edges. */
function isWithin(declarations: readonly Declaration[]): boolean {
  let isLaid = false;
  for (const { property, value } of declarations) {
    if (property === "position") isLaid = wordOf(value) === "absolute";
    else if (/^(?:inset|top|right|bottom|left)$/.test(property)) {
      if (lengthOf(value, { fontSize: 16, lineHeight: 20, whole: 100, isQuirky: false }) !== 0) return false;
    } else if (/^(?:max-)?(?:width|height)$/.test(property)) {
      const [token] = value;
      if (value.length !== 1 || token?.type !== "percent" || token.number > 100) return false;
    } else if (/overflow|border|padding|margin/.test(property)) return false;
  }
  return isLaid;
}
