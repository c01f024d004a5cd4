/** What of an element is not on the closed list of harmless things, and how far it reaches. Each rule has its argument; the facts
 *  F1 to F6 are those of the README. What depends on the content is in `fits.ts`. Lengths are in CSS pixels. */
import { type LengthBasis, lengthOf } from "#/src/formats/css/length.ts";
import { windowMost } from "#/src/formats/css/media.ts";
import { shadowsOf } from "#/src/formats/css/shadows.ts";
import { tracksOf } from "#/src/formats/css/tracks.ts";
import { addressOf, componentsOf, isHeld, type Value, wordOf } from "#/src/formats/css/value-forms.ts";
import type { Doubt } from "#/src/model/removal.ts";
import { type Box, isBound, isPartOfTable, marginNames, paddingNames, sideNames, sizeOf } from "./box.ts";
import { type Cascade, noStyle } from "./cascade.ts";
import type { Style } from "./computed-style.ts";
import { isFontOfSigns } from "./fonts.ts";
import { gapNames } from "./items.ts";
import { edge, type Flaw, farAway, farBelow, isCell, type Part, type Reach } from "./part.ts";
import { pseudoReach, signsOf } from "./pseudo.ts";
import { attributeOf, type HtmlElement } from "./tree.ts";
import { defaultSpace } from "./user-agent.ts";
import type { Values } from "./values.ts";

/** A margin below zero of more than this reaches the page. */
const pullMost = 60;
const borderMost = 60;
const spacingMost = 40;
const indentMost = 300;
const nearMost = 0.5;
const opacityLeast = 0.4;
const lineMost = 400;
const shadowFar = 16;

interface Around {
  readonly element: HtmlElement;
  readonly values: Values;
  readonly style: Style;
  readonly box: Box;
  readonly parent: Part;
  readonly cascade: Cascade;
  /** Names of its parts that are bars. */
  readonly bars: readonly string[];
}

/** Elements that are on the list where nothing is declared of them. */
const plainElements = new Set(
  "div span p a b i em strong font td th tr tbody thead tfoot table center br img h1 h2 h3 h4 h5 h6 ul ol li hr html body u small big blockquote".split(
    " ",
  ),
);

export function flawsOf(around: Around): Flaw[] {
  const flaws: Flaw[] = [];
  const flaw = (reach: Reach, why: Doubt, px = 0): void => void flaws.push({ reach, why, px });
  const { element, values, style, box, cascade } = around;
  const isPlain =
    values.declared === noStyle &&
    plainElements.has(element.name) &&
    style.textIndent === 0 &&
    !style.isSizeGrowing;
  if (isPlain) return flaws;
  for (const { reach, why } of values.unclear) flaw(reach === "paints" ? "page" : reach, why);
  // Distances and heights in sizes of its letters may be smaller than they are counted.
  if (style.isSizeGrowing && isOfLetters(around)) flaw("page", "style-not-understood");
  elementFlaws(element, style, values, flaw);
  placeFlaws(around, flaw);
  if (box.items !== undefined) holderFlaws(around, flaw);
  if (around.parent.box.items !== undefined) itemFlaws(around, flaw);
  marginFlaws(around, flaw);
  sizeFlaws(around, flaw);
  letterFlaws(around, flaw);
  const pseudo = pseudoReach(
    values.declared.parts,
    element.name,
    box.clips,
    style,
    cascade.sheets.ownFonts.size > 0,
    around.bars,
  );
  if (pseudo !== undefined) flaw(pseudo, "may-be-covered");
  const { far } = signsOf(values.declared.parts, style);
  if (far > edge) for (const reach of ["over", "after"] as const) flaw(reach, "may-be-covered", far);
  // H14: between 0.1 and 0.4, letters are too pale to be sure of.
  if (style.opacity < opacityLeast) flaw("inside", "colours-may-match");
  // A browser reads one of the two names, or both.
  const sizing = values.word("-moz-box-sizing");
  if (sizing !== "" && sizing !== (values.word("box-sizing") || "content-box"))
    if (box.width ?? box.maxWidth ?? box.height ?? box.maxHeight) flaw("moves", "style-not-understood");
  // The font of the author decides what its letters look like, and how high its lines are.
  const family = values.get("font-family");
  if (family !== undefined && isFontOfSigns(family, cascade.sheets.ownFonts))
    flaw(cascade.sheets.ownFonts.size > 0 ? "page" : "inside", "font-of-signs");
  return flaws;
}

/** Whether it says a length in sizes of its letters, or has a margin of browsers that is one. */
function isOfLetters({ element, values }: Around): boolean {
  const isRelative = [...values.known].some(
    ([name, value]) =>
      name !== "font-size" &&
      typeof value !== "string" &&
      value.some(
        (token) =>
          (token.type === "dimension" && /^(?:em|ex)$/i.test(token.unit)) ||
          (token.type === "percent" && name === "line-height"),
      ),
  );
  const hasMargin = ["margin-top", "margin-bottom"].every((name) => values.has(name));
  return element.name === "html" || isRelative || (defaultSpace(element) > 0 && !hasMargin);
}

type AddFlaw = (reach: Reach, why: Doubt, px?: number) => void;

/** Boxes of their own kind: what browsers draw for them, and where, is not on the list. */
const ownKinds = new Set(["button", "fieldset", "legend", "ruby", "rt", "slot", "marquee", "frameset"]);
const otherKinds = new Set([
  "portal",
  "fencedframe",
  "selectedcontent",
  "geolocation",
  "usermedia",
  "permission",
  "install",
]);

/** Whether an element of MathML says where it stands, how large it is, or what is behind it (MathML Core, section 2.2). */
function isMovingMath({ namespace, attributes }: HtmlElement): boolean {
  return (
    namespace.endsWith("MathML") &&
    attributes.some(({ name }) => /^(?:math|lspace|voffset|height|depth|width)/.test(name))
  );
}

function elementFlaws(element: HtmlElement, { display }: Style, values: Values, flaw: AddFlaw): void {
  const { name } = element;
  // Words of a drawing are told as those of pictures are (notes.ts).
  const isDrawing = name === "svg" && element.parent?.isHtml === true;
  if (ownKinds.has(name) || otherKinds.has(name) || !(element.isHtml || isDrawing))
    flaw("inside", "element-not-understood");
  if (isMovingMath(element)) flaw("page", "may-be-covered");
  if (name === "bdo") flaw("inside", "order-may-differ");
  if (display === "contents" || display === "table-caption") flaw("inside", "style-not-understood");
  // Its parts are boxes that nobody declared. It applies to tables alone (CSS 2.2 section 17.5.2).
  if (values.word("table-layout") === "fixed" && name !== "table" && display.endsWith("table"))
    flaw("inside", "style-not-understood");
  if (/^table-column/.test(display) && name !== "col" && name !== "colgroup")
    flaw("page", "colours-may-match");
  // They lie over the page, and browsers differ on which are open.
  if (name === "dialog" || attributeOf(element, "popover") !== undefined)
    flaw("page", "element-not-understood");
}

function placeFlaws({ values, style, box, parent }: Around, flaw: AddFlaw): void {
  const { position } = box;
  if (position === "") return;
  if (position !== "relative" && position !== "absolute") flaw("page", "may-be-covered");
  if (position === "absolute") flaw(style.hidden === "off-screen" ? "moves" : "inside", "may-be-off-screen");
  const layer = values.get("z-index");
  if (layer?.[0]?.type === "number" ? layer[0].number < 0 : values.isUnsure("z-index"))
    flaw("moves", "may-be-covered");
  if (position !== "relative") return;
  // H13: in its place it covers nothing (F2, F3); letters alone cover nothing where they stand two pixels beside it (F5).
  let far = box.shift;
  for (let at: Part | undefined = parent; at !== undefined; at = at.parent) far += at.box.shift;
  if (box.shift > 0 && far > nearMost) flaw(far <= edge ? "nudges" : "moves", "may-be-covered");
}

/** H3, H31: items in order, in lines and columns that the text fills. */
function holderFlaws({ values, style, cascade, box }: Around, flaw: AddFlaw): void {
  const basis = basisOf(style, cascade);
  const partsOf = (name: string) => componentsOf(values.get(name) ?? []);
  const isAnyOf = (name: string, known: string): boolean =>
    partsOf(name).every((part) => known.split(" ").includes(wordOf(part)));
  const isFlex = box.display.endsWith("flex");
  const isKnown = isFlex
    ? ["flex-direction", "flex-flow", "flex-wrap"].every((name) => isAnyOf(name, "row column wrap nowrap"))
    : isAnyOf("grid-auto-flow", "row dense") &&
      ["grid", "grid-template", "grid-template-areas"].every((name) => isAnyOf(name, "none")) &&
      ["grid-template-rows", "grid-auto-rows", "grid-auto-columns"].every((name) =>
        (tracksOf(values.get(name) ?? noTracks, basis) ?? unknownTracks).every((one) => one === "grows"),
      ) &&
      tracksOf(values.get("grid-template-columns") ?? noTracks, basis) !== undefined;
  const isNear = gapNames.every((name) =>
    partsOf(name).every((part) => {
      const px = lengthOf(part, { ...basis, whole: Number.NaN });
      return wordOf(part) === "normal" || (px !== undefined && px >= 0 && px <= gapMost);
    }),
  );
  if (!isKnown || !isNear) flaw("moves", "style-not-understood");
  // Lines and columns of a size of their own push away what follows.
  for (const name of trackNames)
    if (values.get(name)?.some((token) => "number" in token && token.number > trackMost))
      flaw("page", "may-be-off-screen");
}

const trackNames = [
  "grid",
  "grid-template",
  "grid-template-rows",
  "grid-template-columns",
  "grid-auto-rows",
  "grid-auto-columns",
];
/** The size of one line or column, and the number of equal ones. */
const trackMost = 400;

const gapMost = 60;
const noTracks: Value = [{ type: "ident", value: "none" }];
const unknownTracks = [{ px: 0, share: 0 }];

function itemFlaws({ values, style, box, parent, cascade }: Around, flaw: AddFlaw): void {
  const order = values.get("order");
  const [token] = order ?? [];
  if (order !== undefined && !(token?.type === "number" && token.number === 0))
    flaw("moves", "order-may-differ");
  const layer = values.get("z-index")?.[0];
  if (layer?.type === "number" && layer.number < 0) flaw("moves", "may-be-covered");
  const isPlaced =
    "grid-area grid-row grid-column grid-row-start grid-row-end grid-column-start grid-column-end"
      .split(" ")
      .some((name) => !["", "auto"].includes(values.get(name) === undefined ? "" : values.word(name) || "?"));
  if (isPlaced) flaw("moves", "may-be-covered");
  // An item that cuts off may get smaller than what it holds.
  if (box.clips) flaw("inside", "may-be-cut-off");
  const least = sizeOf(values, "min-width", basisOf(style, cascade));
  if (typeof least === "object" && least.share > 0) flaw("moves", "may-be-off-screen");
  const isBelow = parent.box.items?.isRow === false && parent.box.display.endsWith("flex");
  if (isBelow && values.has("min-height")) flaw("inside", "may-be-cut-off");
  const { px = 0, share = 0 } = box.basis?.size ?? {};
  if (px > farAway || share > 1 || (isBelow && px > 0)) flaw("moves", "may-be-off-screen");
}

function basisOf({ fontSize, lineHeight, rootFontSize }: Style, { isQuirky }: Cascade): LengthBasis {
  return { fontSize, lineHeight, rootFontSize, whole: 0, isQuirky };
}

function marginFlaws({ element, values, style, box, parent, cascade }: Around, flaw: AddFlaw): void {
  const basis = basisOf(style, cascade);
  const { margin } = box;
  const isBlock =
    /^(?:block|list-item|flow-root|table)$/.test(box.display) &&
    !box.isFloat &&
    !box.isOutOfFlow &&
    parent.box.items === undefined;
  const isRoot = element.name === "html" || element.name === "body";
  for (const side of sideNames) {
    const size = sizeOf(values, marginNames[side], basis);
    if (size === "unknown") flaw("page", "may-be-covered");
    // H5: a distance moves down or to the right (F6).
    if (typeof size === "object" && size.px + size.share * windowMost > farAway)
      flaw("page", "may-be-off-screen");
    const px = margin[side];
    // A box out of flow moves no other.
    if (px >= 0 || (box.isOutOfFlow && !values.isUnsure("position"))) continue;
    // H6: it leaves enough of the letters at its edge (F5).
    const isSide = side === "left" || side === "right";
    const wide = Math.max(box.minWidth, box.width?.px ?? 0);
    if (isSide && px >= -edge && pulledAround(parent) <= 0 && (isBlock || wide >= 40) && !isRoot) continue;
    // A picture in a line is painted over the lines before, and under those that follow.
    const isPicture = element.name === "img" && box.isInline && !isSide && !values.isUnsure("display");
    if (isPicture && px >= -pullMost) flaw(side === "top" ? "over" : "after", "may-be-covered", -px);
    else if (px < -pullMost || !isBlock || isRoot) flaw("page", "may-be-covered");
    else if (side === "top") {
      // What stands above is covered as far as the box is pulled; its own letters stand on the backgrounds above, but for a padding
      // as high, and what follows a box that is lower than that does too.
      flaw("before", "may-be-covered", -px);
      const isInPadding = -px <= box.padding.top && !values.isUnsure("padding-top");
      if (!isInPadding) flaw("loose", "colours-may-match", -px);
    } else if (side === "bottom") flaw("lifts", "may-be-covered", -px);
    // H7: it stays inside of its parent.
    else if (!hasPadding.test(parent.box.display) || -px > parent.box.padding[side] + 0.01)
      flaw("parentPaint", "may-be-covered");
  }
}

/** Parts of tables have none, and tables whose borders collapse. */
const hasPadding = /^(?:block|list-item|flow-root|inline-block|table-cell|(?:inline-)?(?:flex|grid))$/;

/** Pixels by which the boxes around are pulled to a side. */
function pulledAround(parent: Part): number {
  let sum = 0;
  for (let at: Part | undefined = parent; at !== undefined; at = at.parent)
    sum += Math.max(0, -at.box.margin.left, -at.box.margin.right);
  return sum;
}

function sizeFlaws({ element, values, style, box, cascade }: Around, flaw: AddFlaw): void {
  const basis = basisOf(style, cascade);
  for (const side of sideNames) {
    const size = sizeOf(values, paddingNames[side], basis);
    if (size === "unknown") flaw("page", "may-be-off-screen");
    if (typeof size === "object" && size.px + size.share * windowMost > farAway)
      flaw("page", "may-be-off-screen");
    // H16: a border is painted as a background is (F1).
    if (box.border[side] > borderMost) flaw("page", "may-be-covered");
  }
  if (style.spacing > spacingMost && box.display.endsWith("table")) flaw("page", "may-be-off-screen");
  for (const name of ["width", "min-width", "max-width", "height", "min-height", "max-height"]) {
    const size = sizeOf(values, name, basis);
    if (size === "unknown" && !isLikeAuto(name, values.word(name))) {
      const isOfWindow = name === "min-height" && values.word(name) === "";
      if (!isOfWindow) flaw("moves", "may-be-cut-off");
      else if (element.name !== "body" && element.name !== "html") flaw("page", "may-be-off-screen");
    }
    if (typeof size !== "object" || (box.isInline && !values.isUnsure("display"))) continue;
    const isMost = name.startsWith("max-") || (name === "width" && isBound(box));
    if (!isMost && size.px > (name.endsWith("height") ? farBelow : farAway))
      flaw("page", "may-be-off-screen");
    // A share of the height of a window may be of any height.
    if (name.endsWith("height") && size.share > 1) flaw("page", "may-be-off-screen");
    // More than a share of the height leaves the box around.
    if (name.endsWith("height") && size.share > 0 && size.px > 0) flaw("moves", "may-be-covered");
    if (name === "width" && size.share > 1.001) flaw("moves", "may-be-off-screen");
    if (name === "min-width" && size.share > 1.001) flaw("moves", "may-be-off-screen");
  }
  const shift = values.get("vertical-align");
  // H22: the line grows with what is raised or lowered in it.
  if (shift !== undefined && wordOf(shift) === "" && !isPartOfTable(box.display)) {
    const px = lengthOf(shift, { ...basis, whole: style.lineHeight });
    if (px === undefined || Math.abs(px) > farAway) flaw("page", "may-be-off-screen");
    else if (Math.abs(px) > style.fontSize / 2) flaw("moves", "may-be-covered");
  }
  const mark = values.get("list-style-image");
  const address = mark === undefined ? undefined : addressOf(mark);
  if (address !== undefined && isHeld(address)) flaw("page", "may-be-covered");
  if (element.name === "body" || element.name === "html") return;
  if (!style.isVisible && isPartOfTable(box.display) && values.has("background-color"))
    flaw("inside", "colours-may-match");
}

/** Whether the box is then as wide as one that floats and has no width, and as high as its content (css-sizing-3 section 5.1, 5.2). */
function isLikeAuto(name: string, word: string): boolean {
  if (name.endsWith("height")) return /^(?:fit|max)-content$/.test(word);
  // As a greatest width it is no wider than the box around, so that what does not break leaves it.
  return word === "fit-content" && name !== "max-width";
}

function standsInRow(part: Part): boolean {
  for (let at: Part | undefined = part; at !== undefined; at = at.parent)
    if (
      isCell(at) ||
      at.box.isFloat ||
      at.box.display.startsWith("inline-") ||
      at.parent?.box.items !== undefined
    )
      return true;
  return false;
}

function letterFlaws({ element, values, style, box, parent }: Around, flaw: AddFlaw): void {
  const { fontSize, lineHeight, textIndent } = style;
  if (lineHeight > lineMost) flaw("page", "may-be-off-screen");
  if (style.strokeWidth > edge) flaw("page", "may-be-covered");
  else if (style.strokeWidth > fontSize / 10) flaw("inside", "may-be-covered");
  const shadow = values.get("text-shadow");
  const shadows = (shadow && shadowsOf(shadow, style.colour, fontSize)) ?? [];
  if (shadows.length > 0)
    for (const { x, y, blur } of shadows) {
      // H19: a shadow lies below its own letters, and hides as much of others as it reaches (F5): where its blur has fallen to a half.
      const side = Math.max(Math.abs(x), Math.abs(y));
      const far = side + blur;
      const isNear = side + blur / 2 <= edge && shadows.length === 1;
      if (far > shadowFar) flaw("page", "may-be-covered");
      else if (far > edge && !isNear) {
        flaw("parent", "may-be-covered");
        flaw("over", "may-be-covered", far);
        // What stands before it in its row.
        if (Math.abs(x) + blur > edge && standsInRow(parent)) flaw("row", "may-be-covered");
      }
    }
  if (box.isInline || textIndent === 0) return;
  // H23: a first line begins inside of its box, or in the margin that is its own.
  const hasEdge = box.border.left > 0 || box.clips;
  const free =
    Math.max(0, box.padding.left) + (hasEdge || style.isRightToLeft ? 0 : Math.max(0, box.margin.left));
  // What leaves the box at its sides is not painted; the overflow of the body is the window's (CSS Overflow 3, section 3.3).
  const cutsSides =
    values.word("overflow-x") === "hidden" &&
    !values.isUnsure("overflow-x") &&
    element.name !== "body" &&
    element.name !== "html";
  if (textIndent > farAway) flaw("page", "may-be-off-screen");
  else if (textIndent < 0 && style.isRightToLeft) flaw("moves", "may-be-off-screen");
  else if (textIndent > indentMost) flaw("moves", "may-be-off-screen");
  else if (-textIndent > free + edge) flaw(cutsSides ? "inside" : "moves", "may-be-off-screen");
  else if (-textIndent > box.padding.left) flaw("loose", "colours-may-match");
}
