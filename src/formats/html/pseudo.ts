/** Pseudo-elements (`::before`, `::first-line`): how far they reach. Their content is no text of the message. */
import { lengthOf } from "#/src/formats/css/length.ts";
import { subjectOf } from "#/src/formats/css/properties.ts";
import type { Declaration } from "#/src/formats/css/stylesheet.ts";
import { addressOf, isHeld, wordOf, words } from "#/src/formats/css/value-forms.ts";
import type { Style } from "./computed-style.ts";
import { reachOfLetters } from "./ink.ts";

/** Pseudo-elements without a box in the layout: of selected or found text, and of things that are not rendered. */
const harmless = /^(?:selection|backdrop|target-text|spelling-error|grammar-error|cue|-moz-(?!list-).*)$/;
/** Parts of controls, in which nothing but colours and letters is changed. */
const ofControls =
  /^(?:placeholder|file-selector-button|-webkit-(?:input-placeholder|inner-spin-button|outer-spin-button|search-.*|file-upload-button|details-marker|calendar-picker-indicator))$/;
const lettersOnly = words(
  "color font-size font-family font-weight font-variant line-height letter-spacing text-decoration-line text-decoration-style text-decoration-thickness font-size-adjust",
);
/** H25: a part that is empty or a sign in its place, and paints nothing. */
const placed = new Set([
  ...lettersOnly,
  ...words(
    "display clear box-sizing -moz-box-sizing visibility overflow-x overflow-y content width height min-width min-height max-width max-height vertical-align " +
      "margin-top margin-right margin-bottom margin-left padding-top padding-right padding-bottom padding-left",
  ),
]);
/** H26: these change only the letters of the element. */
const firstOnes = new Set([
  ...lettersOnly,
  ...words(
    "float margin-top margin-right margin-bottom margin-left padding-top padding-right padding-bottom padding-left",
  ),
]);
/** These may take from a sign the room that it is drawn in. */
const ofRoom = words("line-height width max-width height max-height");
const displays = words("table block none inline inline-block");
const signsMost = 3;
const sizeMost = 20;
/** A first letter may be that large; it floats, or makes its line as high as itself. */
const firstLetterMost = 60;

export function pseudoReach(
  parts: ReadonlyMap<string, readonly Declaration[]>,
  element: string,
  clips: boolean,
  style: Style,
  hasOwnFonts: boolean,
  bars: readonly string[],
): "page" | "inside" | undefined {
  let worst: "inside" | undefined;
  for (const [name, declarations] of parts) {
    if (harmless.test(name) || bars.includes(name)) continue;
    // A font of the author has signs of any size.
    if (hasOwnFonts && declarations.some(({ property }) => /^font(?:-family)?$/.test(property)))
      return "page";
    const isAll = (allowed: ReadonlySet<string>): boolean =>
      declarations.every(
        (one) => isAmong(one, allowed) && isSmall(one, name === "first-letter" ? firstLetterMost : sizeMost),
      );
    if (ofControls.test(name) || name === "marker") {
      if (!isAll(lettersOnly)) return "page";
    } else if (name === "first-letter" || name === "first-line") {
      if (!isAll(firstOnes) || isLow(declarations, style)) return "page";
      worst = "inside";
    } else if (name === "before" || name === "after") {
      const contents = declarations.filter(({ property }) => property === "content");
      const isEmpty = contents.every(({ value }) => ["none", "normal"].includes(wordOf(value)));
      if (isEmpty && element !== "q") continue;
      if (!isAll(placed) || contents.some(({ value }) => !isSign(value))) return "page";
      if (isDrawn(declarations) && declarations.some(takesRoom)) return "page";
      if (clips && !contents.every(({ value }) => isBlankSign(value))) worst = "inside";
    } else return "page";
  }
  return worst;
}

/** The signs that are drawn before and after what an element holds: their height together, and how far they reach over their line. */
export function signsOf(
  parts: ReadonlyMap<string, readonly Declaration[]>,
  { fontSize: around, lineHeight }: Style,
): { readonly high: number; readonly far: number } {
  let [high, far] = [0, 0];
  for (const name of ["before", "after"]) {
    const declarations = parts.get(name);
    if (declarations === undefined || !isDrawn(declarations)) continue;
    const sizes = declarations.flatMap(({ property, value }) =>
      property !== "font-size" && property !== "font"
        ? []
        : [lengthOf(value, { fontSize: around, lineHeight, whole: around, isQuirky: false }) ?? wordSizeMost],
    );
    const fontSize = Math.max(around, ...sizes);
    high += Math.max(lineHeight, fontSize * signHigh);
    for (const { property, value } of declarations)
      if (property === "content")
        far = Math.max(far, reachOfLetters(textIn(value) ?? "", { fontSize, lineHeight }));
  }
  return { high, far };
}

/** Whether the letters may be higher than their line (H21). */
function isLow(
  declarations: readonly Declaration[],
  { fontSize: around, lineHeight: lineAround }: Style,
): boolean {
  const basis = { fontSize: around, lineHeight: around, whole: around, isQuirky: false };
  const of = (name: string) => declarations.filter(({ property }) => property === name);
  const sizes = of("font-size").map(({ value }) => lengthOf(value, basis) ?? wordSizeMost);
  const fontSize = Math.max(around, ...sizes);
  const lines = of("line-height").map(({ value }) => {
    const [token] = value;
    if (token?.type === "number") return token.number * fontSize;
    return wordOf(value) === "normal"
      ? fontSize
      : (lengthOf(value, { ...basis, fontSize, whole: fontSize }) ?? 0);
  });
  const isSaid = lines.length > 0;
  return fontSize > wordSizeMost * 2 || (isSaid && Math.min(...lines) < 0.75 * fontSize && lineAround > 0);
}

const besides = /^(?:(?:min-)?width|(?:margin|padding)(?:-(?:left|right|inline.*))?)$/;

/** The room that parts before and after take in a line at most. */
export function widthOfParts(parts: ReadonlyMap<string, readonly Declaration[]>, style: Style): number {
  let wide = 4.5 * style.fontSize + 20;
  let said = 0;
  for (const name of ["before", "after"])
    for (const { property, value } of parts.get(name) ?? [])
      if (besides.test(property))
        for (const token of value)
          said += 2 * (lengthOf([token], { ...style, whole: 0, isQuirky: false }) ?? 0);
      else if (property === "content")
        said += (textIn(value) ?? "").length * signWide * Math.max(style.fontSize, sizeMost);
  wide = Math.max(wide, said);
  return wide;
}

const signWide = 1.8;

/** The size of the largest word, `xxx-large`. */
const wordSizeMost = 48;
/** The height of the line of a sign, in em, in any font. */
const signHigh = 1.5;

/** Whether a part is more than blank, and seen. */
function isDrawn(declarations: readonly Declaration[]): boolean {
  const said = declarations.filter(({ property }) => property === "visibility");
  const isHidden = said.length > 0 && said.every(({ value }) => wordOf(value) === "hidden");
  return (
    !isHidden && declarations.some(({ property, value }) => property === "content" && !isBlankSign(value))
  );
}

function isAmong({ property }: Declaration, allowed: ReadonlySet<string>): boolean {
  if (property.startsWith("--") || (property === "content" && allowed === placed)) return true;
  const subject = subjectOf(property);
  return subject.kind === "properties" && subject.names.every((name) => allowed.has(name));
}

function takesRoom({ property }: Declaration): boolean {
  const subject = subjectOf(property);
  return subject.kind === "properties" && subject.names.some((name) => ofRoom.has(name));
}

/** No length above `most` pixels, none below zero, no function. */
function isSmall({ property, value }: Declaration, most: number): boolean {
  if (
    property === "content" ||
    property.startsWith("--") ||
    property === "color" ||
    property === "font-family"
  )
    return true;
  if (property === "display") return displays.has(wordOf(value));
  return value.every((token) => {
    if (token.type === "function") return false;
    // A share of the width, beside letters in a line that does not break, pushes them out.
    if (token.type === "percent")
      return (
        token.number >= 0 &&
        token.number <= 100 &&
        property !== "height" &&
        (!besides.test(property) || token.number === 0)
      );
    if (token.type !== "dimension" && token.type !== "number") return true;
    if (property === "font-weight") return true;
    const px =
      token.type === "number"
        ? token.number
        : lengthOf([token], { fontSize: 16, lineHeight: 20, whole: 0, isQuirky: false });
    return px !== undefined && px >= 0 && px <= most;
  });
}

/** What `content` writes; undefined for what is not understood. */
export function textIn(value: Declaration["value"]): string | undefined {
  const address = addressOf(value);
  if (address !== undefined && !isHeld(address)) return "";
  if (!value.every(({ type }) => type === "string" || type === "space" || type === "ident")) return undefined;
  if (
    value.some(
      (token) =>
        token.type === "ident" &&
        !/^(?:none|normal|(?:open|close|no-open|no-close)-quote)$/i.test(token.value),
    )
  )
    return undefined;
  return value.map((token) => (token.type === "string" ? token.value : "")).join("");
}

function isSign(value: Declaration["value"]): boolean {
  const text = textIn(value);
  return (
    text !== undefined && text.length <= signsMost && !/[\p{Co}\p{Cn}\p{M}]|[\ufdfd\ufdf0-\ufdfc]/u.test(text)
  );
}

function isBlankSign(value: Declaration["value"]): boolean {
  return (textIn(value) ?? "?").trim() === "";
}
