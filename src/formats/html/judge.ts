/** The judgement of a page: which of its text is proven visible, which is proven hidden, and what is in doubt, and why. One walk
 *  over the tree, before anything is written, since a box may cover what stands before it. */
import type { Doubt, Removal } from "#/src/model/removal.ts";
import type { Cascade, DeclaredStyle } from "./cascade.ts";
import type { Box, Style } from "./computed-style.ts";
import { initialStyle } from "./computed-style.ts";
import { type Clarity, clarityOf } from "./contrast.ts";
import { isBlank, isDefaultFont, judgeLetters, widestWord } from "./fonts.ts";
import { createLines, type Extent, type Lines, noExtent } from "./lines.ts";
import { coverOfParts } from "./parts.ts";
import { type ElementStyle, isBoxless, styleOf } from "./style.ts";
import { hasOverlappingCells } from "./table-slots.ts";
import { attributeOf, type HtmlElement, type HtmlNode, type HtmlText } from "./tree.ts";
import { defaultSpace, formElements, unseenElements } from "./user-agent.ts";
import type { WorkMeter } from "./work-meter.ts";

/** undefined: proven visible. */
export type Verdict = Removal | { readonly why: Doubt } | undefined;

export interface Judgement {
  styleOf(element: HtmlElement): ElementStyle | undefined;
  /** Of an element: what makes doubtful all that is in it. */
  doubtOf(element: HtmlElement): Doubt | undefined;
  verdictOf(text: HtmlText): Verdict;
  /** Whether it stands where a browser draws anything. */
  wasJudged(text: HtmlText): boolean;
  /** Of all text of the page. */
  readonly pageDoubt: Doubt | undefined;
}

/** Pixels down the page; what is drawn below is beyond the limit. A line of text is at least 12 high. */
const pageHeightMax = 200_000;
/** Letters as large as that, and signs that are no letters, may cover something. */
const coveringSize = 60;
const coveringSigns = /[\p{S}\p{Co}\p{Cn}]/u;

export interface JudgeOptions {
  readonly cascade: Cascade;
  readonly meter: WorkMeter;
  readonly isUnclear: boolean;
}

export function judgePage(root: HtmlElement, { cascade, meter, isUnclear }: JudgeOptions): Judgement {
  const styles = new Map<HtmlElement, ElementStyle>();
  const doubts = new Map<HtmlElement, Doubt>();
  const verdicts = new Map<HtmlText, Verdict>();
  const texts: HtmlText[] = [];
  const judged = new Set<HtmlText>();
  let coveredBefore = 0;
  let pageDoubt: Doubt | undefined =
    isUnclear || cascade.sheets.isUnclear || [...cascade.sheets.ownFonts].some(isDefaultFont)
      ? "whole-document"
      : undefined;
  let y = 0;
  /** Pixels that surely lie between the text before and what comes. */
  let gap = 0;
  let lastStyle: Style | undefined;
  let lastClarity: Clarity = "clear";
  let smallest = Number.POSITIVE_INFINITY;
  /** Boxes are pulled over others, and some box is painted: no box lies surely where the tree says. */
  let isPulled = false;
  let isPainted = false;
  const doubtPage = (why: Doubt): void => {
    pageDoubt ??= why;
  };
  const openDetails = new Set<string>();

  function visitText(node: HtmlText, style: Style, lines: Lines): Extent {
    const { text } = node;
    lines.text(text, style);
    if (isBlank(text)) return noExtent;
    y += (style.lineHeight * text.length * style.fontSize) / Math.max(50, style.width);
    texts.push(node);
    judged.add(node);
    const clarity = clarityIn(style);
    const verdict = y > pageHeightMax ? "over-limit" : judgeText(style, text, clarity);
    if (verdict !== undefined) verdicts.set(node, verdict);
    gap = 0;
    smallest = Math.min(smallest, Math.max(7, style.fontSize));
    const isSeen = style.isVisible && style.hidden !== "hidden-by-style";
    const paints =
      isSeen && (style.fontSize > coveringSize || clarity !== "clear" || coveringSigns.test(text));
    return { paints, hasText: true };
  }

  /** Texts of one element, and of those like it, share their style. */
  function clarityIn(style: Style): Clarity {
    if (style !== lastStyle) [lastStyle, lastClarity] = [style, clarityOf(style)];
    return lastClarity;
  }

  function visitElement(element: HtmlElement, parent: Style, lines: Lines): Extent {
    meter.spend(2);
    const { name } = element;
    if (element.content !== undefined || name === "script" || name === "style") {
      if (attributeOf(element, "shadowrootmode") !== undefined) doubtPage("whole-document");
      judgeUnseen(element, parent);
      return noExtent;
    }
    if (name === "br") {
      lines.breakLine(parent);
      y += parent.lineHeight;
      gap = 0;
      return noExtent;
    }
    const found = styleOf(element, parent, cascade);
    styles.set(element, found);
    if (isBoxless(found.style.display)) {
      if (name === "template") judgeUnseen(element, parent);
      return noExtent;
    }
    if (isReplaced(element)) return visitReplaced(element, found, lines);
    return visitBox(element, keptStyle(element, found), parent, lines);
  }

  /** What its name or an attribute says of it, beside its style. */
  function keptStyle(element: HtmlElement, found: ElementStyle): ElementStyle {
    let { style, box } = found;
    const { name } = element;
    const isOpenDialog = name === "dialog" || attributeOf(element, "popover") !== undefined;
    if (isOpenDialog) {
      doubtPage("element-not-understood");
      style = { ...style, doubt: style.doubt ?? "element-not-understood" };
    }
    if (notUnderstood.has(name) || (!element.isHtml && element.namespace.endsWith("MathML")))
      style = { ...style, doubt: style.doubt ?? "element-not-understood" };
    if (!element.isHtml && element.attributes.some((attribute) => !mathAttributes.has(attribute.name)))
      box = { ...box, reach: "paints" };
    const result = { ...found, style, box };
    if (style !== found.style || box !== found.box) styles.set(element, result);
    return result;
  }

  function visitBox(element: HtmlElement, found: ElementStyle, parent: Style, lines: Lines): Extent {
    const { style, box, declared } = found;
    judgeParts(element, declared, style, box);
    if (!box.isInline) {
      openBlock(element, box, style);
    } else if (box.linePaint > 0 || (box.paints && style.lineHeight < style.fontSize * 1.15)) {
      const reach = box.linePaint + (style.fontSize * 1.15 - style.lineHeight) / 2;
      if (reach > gap + smallest * 0.25) coveredBefore = texts.length;
    }
    const inner = box.isInline ? lines : createLines(style);
    inner.side(box.isInline ? box.sides / 2 : 0);
    let paints = false;
    let hasText = false;
    const rowGaps: number[] = [];
    const gapBefore = gap;
    for (const child of childrenSeen(element)) {
      if (child.kind === "comment") continue;
      const isCell = style.display === "table-row" && child.kind === "element";
      if (isCell) gap = gapBefore;
      const extent =
        child.kind === "text" ? visitText(child, style, inner) : visitElement(child, style, inner);
      if (isCell) rowGaps.push(gap);
      paints ||= extent.paints;
      hasText ||= extent.hasText;
    }
    if (rowGaps.length > 0) gap = Math.min(...rowGaps);
    inner.side(box.isInline ? box.sides / 2 : 0);
    if (!box.isInline) closeBlock(element, found, parent, lines, inner, { paints, hasText });
    paints ||= box.paints;
    if (paints && element.name !== "html" && element.name !== "body" && isShown(style)) isPainted = true;
    if (box.reach === "pulls") isPulled = true;
    if (box.reach === "paints" || (box.reach === "moves" && paints && isShown(style)))
      doubtPage("may-be-covered");
    if (element.name === "table" && hasOverlappingCells(element, meter))
      doubts.set(element, "may-be-covered");
    return { paints: paints && isShown(style), hasText };
  }

  function openBlock(element: HtmlElement, box: Box, style: Style): void {
    y += box.spaceAbove;
    if (box.isContext && style.display !== "table-cell") gap = 0;
    const isQuirk = cascade.isQuirky && defaultSpace(element) > 0 && !style.values.has("margin-top");
    if (!isQuirk) gap = Math.max(gap, box.spaceAbove);
  }

  function closeBlock(
    element: HtmlElement,
    { style, box }: ElementStyle,
    parent: Style,
    lines: Lines,
    inner: Lines,
    { paints, hasText }: Extent,
  ): void {
    const { height: high, width: least } = inner.end();
    const isPart = style.display.startsWith("table");
    const height =
      box.height !== undefined && box.cutsOff
        ? box.height
        : Math.max(high + box.spaceAbove + box.spaceBelow, box.height ?? 0);
    if (box.height !== undefined && !box.scrolls && high > box.height + 1) {
      if (hasText) doubts.set(element, box.cutsOff ? "may-be-cut-off" : "may-be-covered");
      if (!box.cutsOff && paints && isShown(style) && (hasText || high > box.height + pictureSlack))
        doubtPage("may-be-covered");
    }
    let asked = Math.max(least, isPart ? 0 : box.asked) + box.sides;
    if (style.isClipped && hasText) {
      if (box.cutsOff && least > style.width + 1) doubts.set(element, "may-be-cut-off");
      // Whoever is wider than its parent is in doubt, and not the parent.
      if (parent.isClipped && asked > parent.width + 1) {
        doubts.set(element, "may-be-cut-off");
        asked = parent.width;
      }
    }
    if ((style.isRightToLeft || box.isFromRight) && hasText && asked > parent.width + 1 && !parent.isGrowing)
      doubts.set(element, "may-be-off-screen");
    if (box.corner !== undefined && hasText) {
      const radius = Math.min(box.corner.radius, Math.max(high, box.height ?? 0) / 2 + 4);
      if (radius > 30 && box.corner.padding < radius * 0.3) doubts.set(element, "colours-may-match");
    }
    if (!box.isOutOfFlow) lines.box(style.display, height, asked, box.isContext);
    y += box.spaceBelow;
    if (box.isContext && style.display !== "table-cell") gap = 0;
    else gap = Math.max(gap, box.spaceBelow);
  }

  function judgeParts(element: HtmlElement, declared: DeclaredStyle, style: Style, box: Box): void {
    if (declared.parts.size === 0 || style.hidden !== undefined) return;
    const cover = coverOfParts(declared.parts, style, box);
    if (cover === "page") doubtPage("may-be-covered");
    else if (cover === "element") doubts.set(element, "may-be-covered");
  }

  function visitReplaced(element: HtmlElement, found: ElementStyle, lines: Lines): Extent {
    const { style, box } = found;
    const paints = isShown(style) && style.isVisible && style.hidden === undefined;
    if (paints && box.reach !== "none") doubtPage("may-be-covered");
    isPainted ||= paints;
    const [height, width] = [
      sizeOf(element, box, "height"),
      Math.min(sizeOf(element, box, "width"), style.width),
    ];
    y += height;
    lines.picture(height, width);
    gap = 0;
    return { paints, hasText: false };
  }

  /** What a browser does not draw, unless the page's style says so. */
  function judgeUnseen(element: HtmlElement, parent: Style): void {
    const { style, box } = styleOf(element, parent, cascade);
    if (!isBoxless(style.display) && (box.reach !== "none" || box.paints))
      doubtPage("element-not-understood");
  }

  function childrenSeen(element: HtmlElement): readonly HtmlNode[] {
    if (element.name !== "details") return element.children;
    const group = attributeOf(element, "name");
    // Of those of one name only the first stays open.
    const isOpen =
      attributeOf(element, "open") !== undefined &&
      !(group !== undefined && group !== "" && openDetails.has(group));
    if (isOpen && group !== undefined) openDetails.add(group);
    if (isOpen) return element.children;
    const summary = element.children.find((node) => node.kind === "element" && node.name === "summary");
    return summary === undefined ? [] : [summary];
  }
  // Of this page alone: styles are told apart by their parents.
  const top: Style = { ...initialStyle };
  const page = createLines(top);
  for (const child of root.children)
    if (child.kind === "element") visitElement(child, top, page);
    else if (child.kind === "text") visitText(child, top, page);
  if (isPulled && isPainted) pageDoubt ??= "may-be-covered";
  for (const node of texts.slice(0, coveredBefore))
    if (verdicts.get(node) === undefined) verdicts.set(node, { why: "may-be-covered" });
  return {
    styleOf: (element) => styles.get(element),
    doubtOf: (element) => doubts.get(element),
    verdictOf: (text) => verdicts.get(text),
    wasJudged: (text) => judged.has(text),
    pageDoubt,
  };
}

function isShown({ opacity, hidden, isVisible }: Style): boolean {
  return opacity >= 0.1 && hidden !== "hidden-by-style" && (isVisible || hidden === undefined);
}

function judgeText(style: Style, text: string, clarity: Clarity): Verdict {
  if (style.hidden !== undefined) return style.hidden;
  if (!style.isVisible || style.isMasked) return "hidden-by-style";
  const letters = judgeLetters(style, text.trim());
  if (typeof letters === "string") return letters;
  if (clarity === "none" && style.doubt === undefined) return "invisible-colour";
  if (style.doubt !== undefined) return { why: style.doubt };
  if (letters !== undefined) return letters;
  if (clarity !== "clear") return { why: "colours-may-match" };
  if (Math.max(style.shiftLeft, style.shiftRight) > 820) return { why: "may-be-off-screen" };
  if (!style.isGrowing && widestWord(text, style) > style.width) {
    if (style.isRightToLeft && style.whiteSpace !== "normal") return { why: "may-be-off-screen" };
    if (clarityOf(style, style.around) !== "clear") return { why: "colours-may-match" };
  }
  return undefined;
}

/** Of formulas: attributes that neither size nor move nor colour. */
const mathAttributes = new Set([
  "xmlns",
  "display",
  "actiontype",
  "selection",
  "id",
  "class",
  "alttext",
  "mathvariant",
  "stretchy",
  "fence",
  "separator",
  "encoding",
]);
const notUnderstood = new Set(["slot", "marquee", "frameset", "portal", "fencedframe", "selectedcontent"]);

/** Drawn as a whole: none of its content is text of the page. */
function isReplaced(element: HtmlElement): boolean {
  return (
    formElements.has(element.name) ||
    unseenElements.has(element.name) ||
    !(element.isHtml || element.namespace.endsWith("MathML"))
  );
}

/** A line with a picture in it is a little higher than the picture. */
const pictureSlack = 10;
/** A picture whose size is not said. */
const pictureSize = 200;

function sizeOf(element: HtmlElement, box: Box, name: "height" | "width"): number {
  if (name === "height" && box.height !== undefined) return box.height;
  const size = Number.parseInt(attributeOf(element, name) ?? "", 10);
  if (size >= 0 && size < 10_000) return size;
  return element.name === "hr" ? 4 : name === "height" ? pictureSize : 0;
}
