/** The judgement of a page: which of its text is proven visible, which is proven hidden, and what is in doubt, and why. One walk
 *  over the tree, before anything is written, since a box may cover what stands before it.
 *  Long because it is one walk. */

import { asciiTrim } from "#/src/formats/css/ascii-case.ts";
import { isHeld, wordOf } from "#/src/formats/css/value-forms.ts";
import type { Cascade, DeclaredStyle } from "#/src/formats/html/cascade.ts";
import { type Clarity, clarityOf, union } from "#/src/formats/html/contrast.ts";
import { isBlank, isDefaultFont, widthOf } from "#/src/formats/html/fonts.ts";
import { textOf } from "#/src/formats/html/survey.ts";
import { hasColumns, hasOverlappingCells } from "#/src/formats/html/table-slots.ts";
import { attributeOf, type HtmlElement, type HtmlNode, type HtmlText } from "#/src/formats/html/tree.ts";
import { defaultSpace, formElements, unseenElements } from "#/src/formats/html/user-agent.ts";
import type { WorkMeter } from "#/src/formats/html/work-meter.ts";
import type { Doubt, Removal } from "#/src/model/removal.ts";
import { scrollHeightMin, sideBorderFree } from "./boxes.ts";
import type { Box, Style } from "./computed-style.ts";
import { initialStyle } from "./computed-style.ts";
import { isCountableElement, isCountableText } from "./countable.ts";
import { judgeLetters } from "./letters.ts";
import { createLinePaint, type PaintLeft } from "./line-paint.ts";
import { createLines, type Extent, type Lines, lineOf, noExtent } from "./lines.ts";
import { coverOfParts, heightOfParts, widthOfParts } from "./parts.ts";
import { relativeFree, relativeMax } from "./places.ts";
import { scaledHeight } from "./scaled-height.ts";
import { isPartOfTable, isShareOf } from "./shares.ts";
import { type ElementStyle, isBoxless, styleOf } from "./style.ts";

/** Why a text is left out; undefined if it is proven visible. */
export type Verdict = Removal | { readonly why: Doubt } | undefined;

export interface Judgement {
  styleOf(element: HtmlElement): ElementStyle | undefined;
  /** Elements whose whole content is doubtful, with the reason. */
  doubtOf(element: HtmlElement): Doubt | undefined;
  verdictOf(text: HtmlText): Verdict;
  /** Whether the text is in a place where browsers render content. */
  wasJudged(text: HtmlText): boolean;
  /** The reason why all text of the page is doubtful. */
  readonly pageDoubt: Doubt | undefined;
}

/** Height of the page in pixels; text below is over the limit. A line of text counts as at least 12 pixels high. */
const pageHeightMax = 200_000;
/** Glyphs of at least this size, and symbols, may cover other text. */
const coveringSize = 60;
/** Smaller glyphs do not cover readable text. */
const largeSize = 20;
/** Bound on the number of weak shadows of boxes that may be near the same text. */
const looseShadowsMax = 3;
/** Width of cells in one row beyond which the next content is far to the right. */
const tableWidthMax = 4000;
/** Thickness of text decorations that covers no other text, in pixels. */
const linesFree = 5;
const coveringSigns = /[\p{S}\p{Co}\p{Cn}]/u;
/** Bound on combining marks of one letter: more of them reach into other lines. */
const markStack = /\p{M}{5,}/u;
const floatsMax = 200;

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
  const textStyles: Style[] = [];
  const judged = new Set<HtmlText>();
  let coveredBefore = 0;
  const linePaint = createLinePaint();
  let pageDoubt: Doubt | undefined =
    isUnclear || cascade.sheets.isUnclear || [...cascade.sheets.ownFonts].some(isDefaultFont)
      ? "whole-document"
      : undefined;
  let y = 0;
  /** The distance in pixels that surely lies between the last text and the next content. A lower bound. */
  let gap = 0;
  /** White space that pushes the following content along its line. */
  let pushed = 0;
  let lastStyle: Style | undefined;
  let lastClarity: Clarity = "clear";
  let smallest = Number.POSITIVE_INFINITY;
  /** The font size of the largest list marker. */
  let largestMark = 0;
  /** Boxes are pulled over others, and some box is painted: the place of no box is certain. */
  let isPulled = false;
  let isPainted = false;
  let hasFloat = false;
  let hasFloatedPicture = false;
  /** The width in pixels that floats may take from the lines beside them. */
  let floatWidths = 0;
  /** The part of `floatWidths` that is declared. */
  let floatedPixels = 0;
  /** Elements in which one child has the whole height. */
  const filled = new Set<HtmlElement>();
  /** Boxes that contain parts of tables without a table. */
  const strayIn = new Set<HtmlElement>();
  /** The number of such rows in a box: with several, a column is as wide as its widest cell in all rows. */
  const strayRowsIn = new Map<HtmlElement, number>();
  let looseShadows = 0;
  const doubtPage = (why: Doubt): void => {
    pageDoubt ??= why;
  };
  /** Ranges of texts in floats that boxes of the same formatting context may overlap. */
  let floated: (readonly [from: number, to: number])[] = [];
  let detailsNames: ReadonlyMap<string, number> | undefined;
  /** The widths of borders since the last text, and before it; they may be adjacent. */
  let borders = 0;
  let bordersBefore = 0;

  function visitText(node: HtmlText, style: Style, lines: Lines): Extent {
    const { text } = node;
    lines.text(text, style);
    if (style.isMeasured && !isCountableText(text)) lines.unsure();
    if (isBlank(text)) {
      pushed += pushOf(text, style);
      // Preserved white space makes a line.
      if (/[^ \t\n\f\r]/.test(text)) y += style.lineHeight;
      return noExtent;
    }
    pushed += pushOf(text, style);
    const isPushed = pushed > pushMax;
    pushed = 0;
    if (borders > 0) [bordersBefore, borders] = [borders, 0];
    const allLines = (style.lineHeight * text.length * style.fontSize) / Math.max(50, style.width);
    y += Math.max(allLines, style.lineHeight > usualLine ? style.lineHeight : 0);
    texts.push(node);
    textStyles.push(style);
    judged.add(node);
    const clarity = clarityIn(style);
    const isOverPaint = linePaint.hides(style, gap);
    // Cells do not grow with content beside a float that does not wrap.
    const isBesideFloat = floatedPixels > 0 && style.isGrowing && keepsLine(style);
    const isBesideShare =
      style.isGrowing &&
      (lines.hasShare || style.hasShareBeside) &&
      (keepsLine(style) || lines.reached > style.width / 2);
    // The same holds for a line that does not break and has no room beside a float.
    if (hasFloat && style.lineBackground !== undefined && keepsLine(style))
      if (lines.reached > style.width - floatWidths + 1) doubtPage("may-be-covered");
    // Lines are filled as if the text were not moved; only a line that ends early stays inside the box.
    const mayLeave =
      (style.isClipped || style.isScrolled) &&
      style.moved > relativeFree &&
      (style.isShrunk ||
        hasFloat ||
        hasFloatedPicture ||
        lines.across + style.moved > style.width ||
        isAligned(node, style));
    const verdict =
      y > pageHeightMax
        ? "over-limit"
        : isPushed || mayLeave || (hasFloat && style.textIndent < -2) || isBesideFloat || isBesideShare
          ? { why: "may-be-off-screen" as const }
          : (judgeText(style, text, clarity, lines.reached) ??
            (isOverPaint ? { why: "colours-may-match" as const } : undefined));
    if (verdict !== undefined) verdicts.set(node, verdict);
    gap = 0;
    smallest = Math.min(smallest, Math.max(7, style.fontSize));
    if (markStack.test(text) || reachesOut(style)) doubtPage("may-be-covered");
    const isSeen = style.isVisible && style.hidden !== "hidden-by-style";
    const paints =
      isSeen && (style.fontSize > coveringSize || clarity !== "clear" || coveringSigns.test(text));
    return { paints, hasText: true };
  }

  /** Whether the lines may start at the right. */
  function isAligned(node: HtmlText, style: Style): boolean {
    if (style.isEverFromRight) return true;
    for (let at = node.parent; at !== undefined; at = at.parent) {
      meter.spend(1);
      const value = styles.get(at)?.style.values.get("text-align");
      const word = value === undefined || value === "initial" ? "start" : wordOf(value);
      const align = attributeOf(at, "align")?.trim().toLowerCase() ?? "left";
      if (!leftWords.has(word) || !leftWords.has(align) || centredElements.has(at.name)) return true;
    }
    return false;
  }

  /** Texts of elements with the same style share one style object. */
  function clarityIn(style: Style): Clarity {
    if (style !== lastStyle) {
      meter.spend(style.backdrops.length * (style.shownThrough?.length ?? 1) * style.under.length);
      [lastStyle, lastClarity] = [style, clarityOf(style)];
    }
    return lastClarity;
  }

  function visitElement(element: HtmlElement, parent: Style, lines: Lines): Extent {
    meter.spend(2);
    const { name } = element;
    if (element.content !== undefined || name === "script" || name === "style") {
      if (attributeOf(element, "shadowrootmode") !== undefined) doubtPage("whole-document");
      judgeUnseen(element, parent, lines);
      return noExtent;
    }
    if (name === "br") {
      const { style, declared } = styleOf(element, parent, cascade);
      if (declared.parts.size > 0) doubtPage("may-be-covered");
      if (declared.values.size + declared.doubts.length > 0) lines.unsure();
      if (declared.unsure.has("display") && element.parent !== undefined)
        doubts.set(element.parent, "rule-may-apply");
      if (style.display === "none") return noExtent;
      lines.breakLine(parent);
      if (isClearing(element, declared)) endFloats();
      pushed = 0;
      y += Math.max(highOf(parent), highOf(style));
      gap = 0;
      return noExtent;
    }
    const found = styleOf(element, parent, cascade);
    styles.set(element, found);
    if (name === "noscript" || (parent.isMeasured && !isCountableElement(element, found.declared)))
      lines.unsure();
    // An open dialog or popover lies over the page; browsers differ on which ones are open.
    if (
      attributeOf(element, "popover") !== undefined &&
      (found.style.display !== "none" || !closedPopovers.has(name))
    )
      doubtPage("element-not-understood");
    if (isBoxless(found.style.display)) {
      if (found.style.display !== "none") judgeColumn(element, found, parent);
      if (name === "template") judgeUnseen(element, parent, lines);
      return noExtent;
    }
    if (isReplaced(element)) return visitReplaced(element, found, parent, lines);
    return visitBox(element, keptStyle(element, found), parent, lines);
  }

  /** A column paints behind its cells (`overColumns`), and can hide them. */
  function judgeColumn(element: HtmlElement, { style, box }: ElementStyle, parent: Style): void {
    // Elements that become columns by style alone may paint behind any cell.
    if (!isColumnName(element.name)) doubtPage("colours-may-match");
    for (const column of element.children)
      if (column.kind === "element" && column.name === "col")
        judgeColumn(column, styleOf(column, style, cascade), parent);
    const table =
      element.name === "col" && element.parent?.name === "colgroup" ? element.parent.parent : element.parent;
    const isHarmless =
      box.reach === "none" &&
      style.doubt === parent.doubt &&
      style.isVisible === parent.isVisible &&
      box.lineBorder === 0 &&
      style.sideBorder === parent.sideBorder &&
      (!box.paints || table?.name === "table");
    if (!isHarmless && table !== undefined) doubts.set(table, "colours-may-match");
  }

  /** The style of the content of a table: the backgrounds of its columns are among the backdrops. */
  function overColumns(table: HtmlElement, style: Style): Style {
    let { backdrops } = style;
    const groups = table.children.filter((node) => node.kind === "element" && node.name === "colgroup");
    for (const holder of [table, ...groups] as HtmlElement[])
      for (const column of holder.children)
        if (column.kind === "element" && isColumnName(column.name)) {
          const found = styleOf(column, style, cascade);
          if (found.style.display.startsWith("table-column"))
            backdrops = union(backdrops, found.style.backdrops);
        }
    return backdrops === style.backdrops
      ? style
      : { ...style, backdrops, around: union(style.around, backdrops) };
  }

  /** Adds what the name and the attributes of the element change. */
  function keptStyle(element: HtmlElement, found: ElementStyle): ElementStyle {
    let { style, box } = found;
    const { name } = element;
    // Text of disabled controls is grey.
    const isOff =
      (name === "button" || name === "fieldset") && attributeOf(element, "disabled") !== undefined;
    const isOpenDialog = name === "dialog" || attributeOf(element, "popover") !== undefined;
    if (isOpenDialog) {
      doubtPage("element-not-understood");
      style = { ...style, doubt: style.doubt ?? "element-not-understood" };
    }
    if (isOff || notUnderstood.has(name) || (!element.isHtml && element.namespace.endsWith("MathML")))
      style = { ...style, doubt: style.doubt ?? "element-not-understood" };
    if (!element.isHtml && element.attributes.some((attribute) => !mathAttributes.has(attribute.name)))
      box = { ...box, reach: "paints" };
    const result = { ...found, style, box };
    if (style !== found.style || box !== found.box) styles.set(element, result);
    return result;
  }

  function visitBox(element: HtmlElement, found: ElementStyle, parent: Style, lines: Lines): Extent {
    const { box, declared } = found;
    const style = element.name === "table" ? overColumns(element, found.style) : found.style;
    judgeParts(element, declared, style, box);
    if (box.isInline) {
      // The line is as high as the inline box, also without text.
      y += Math.max(0, highOf(style) - highOf(parent)) + Math.max(0, style.raised - parent.raised);
      // A height has no effect on an inline box, but on the box that it may be instead.
      const hasHeight = style.values.has("height") || style.values.has("min-height");
      if (hasHeight && box.reach === "moves") doubtPage("may-be-covered");
      openInline(element, declared, style, lines);
    }
    if (box.isShareWide && (box.isInline || style.display.startsWith("inline-"))) lines.share();
    const reach = box.isInline && box.paints ? paintBeyondLine(box, style) : 0;
    if (!box.isInline) openBlock(element, box, style);
    else if (reach > gap + smallest * 0.25) coveredBefore = texts.length;
    const inner = box.isInline
      ? lines
      : createLines(style, isSqueezed(element, style, (hasFloat || hasFloatedPicture) && box.cutsOff));
    if (!box.isInline && (declared.parts.size > 0 || box.isUnsure)) inner.unsure();
    if ((style.display === "list-item" || element.name === "summary") && isMarkInLine(element, style))
      inner.side(markWidth * style.fontSize);
    if (declared.parts.size > 0) inner.side(widthOfParts(declared.parts, style));
    const endedBefore = inner.ended;
    inner.side(element.name === "wbr" ? 0.1 : box.isInline ? box.sideBefore : 0);
    let paints = false;
    let hasText = false;
    const rowGaps: number[] = [];
    const paintBefore = linePaint.left();
    const rowPaints: PaintLeft[] = [];
    if (box.isFloating && linePaint.covers(gap)) doubts.set(element, "may-be-covered");
    const gapBefore = gap;
    const firstText = texts.length;
    const hadFloat = hasFloat;
    // Floats outside do not reach into a formatting context.
    const isApart = box.isContext || box.cutsOff || style.display.startsWith("table");
    const top = y;
    const floatedBefore = floated;
    judgeFloats(box, style, parent);
    const [beside, besidePixels] = [floatWidths, floatedPixels];
    if (isApart) endFloats();
    for (const child of childrenSeen(element)) {
      if (child.kind === "comment") continue;
      const isCell = style.display === "table-row" && child.kind === "element";
      if (isCell) {
        gap = gapBefore;
        linePaint.join(paintBefore);
      }
      const extent =
        child.kind === "text" ? visitText(child, style, inner) : visitElement(child, style, inner);
      if (isCell) {
        rowGaps.push(gap);
        rowPaints.push(linePaint.left());
      }
      paints ||= extent.paints;
      hasText ||= extent.hasText;
    }
    if (rowGaps.length > 0) gap = Math.min(...rowGaps);
    for (const one of rowPaints) linePaint.join(one);
    if (isBesideOthers(box, style, parent)) linePaint.join(paintBefore);
    inner.side(box.isInline ? box.sides - box.sideBefore : 0);
    // If it has several lines, they cover each other.
    if (reach > smallest * 0.25 && hasText && (inner.ended > endedBefore || inner.across > style.width))
      doubts.set(element, "may-be-covered");
    const hasOwnColours = box.lineBorder <= lineBorderFree && style.backdrops !== parent.backdrops;
    linePaint.paint(reach, hasOwnColours ? style.backdrops : undefined);
    if (!box.isInline) {
      // It stands beside the floats, in what they leave free. A cell beside others is as wide as the widest of both, not as all.
      const isNarrow = parent.isShrunk && parent.isGrowing;
      if ((box.cutsOff || box.scrolls) && hasText && beside > 0)
        if (isNarrow || inner.least > style.width - beside) doubts.set(element, "may-be-cut-off");
      y = Math.max(y, top + Math.max(box.height ?? 0, box.leastHeight)) + rowSpace(style);
      closeBlock(element, found, parent, lines, inner, { paints, hasText }, firstText);
    } else if (box.isStacked && reach > smallest * 0.25) doubtPage("may-be-covered");
    paints ||= box.paints;
    const isRoot = element.name === "html" || element.name === "body";
    if (paints && (!isRoot || box.lineBorder > lineBorderFree) && isShown(style)) isPainted = true;
    if (paints && hadFloat && style.display.startsWith("inline-") && keepsLine(parent))
      doubtPage("may-be-covered");
    if (paints && hadFloat && style.display === "table" && box.asked > parent.width + 1)
      doubtPage("may-be-covered");
    // The marker of an item may cover lines beside it, also if the item is empty.
    const hasMark = style.display === "list-item" || element.name === "summary";
    if (hasMark && isShown(style) && reachesOut(style)) doubtPage("may-be-covered");
    if (hasMark && isShown(style)) largestMark = Math.max(largestMark, style.fontSize);
    if (box.reach === "pulls") isPulled = true;
    if (box.pullsLine) doubtLine(element);
    if (isApart) {
      [hasFloat, floated] = [hadFloat, floatedBefore];
      [floatWidths, floatedPixels] = [beside, besidePixels];
    }
    if (box.isFloating) {
      hasFloat = true;
      const grown = style.display === "table" ? inner.least : 0;
      const wide = box.asked > 0 ? Math.max(box.asked, grown) : 0;
      floatedPixels += wide;
      floatWidths += wide > 0 ? wide + box.sides : Math.max(style.width, grown + box.sides);
      if (texts.length > firstText && floated.length < floatsMax)
        floated = [...floated, [firstText, texts.length]];
    }
    if (box.shadow > 0 && (box.isContext || !hasText) && ++looseShadows > looseShadowsMax)
      doubtPage("may-be-covered");
    if (box.reach === "paints" || (box.reach === "moves" && paints && isShown(style)))
      doubtPage("may-be-covered");
    if (element.name === "table" && hasOverlappingCells(element, meter))
      doubts.set(element, "may-be-covered");
    return { paints: paints && isShown(style), hasText };
  }

  /** The effect of an inline box on its line. */
  function openInline(element: HtmlElement, declared: DeclaredStyle, style: Style, lines: Lines): void {
    // The base text of a ruby is centred under its annotation, which may be wider.
    if (element.name === "ruby") {
      const above = textOf(element);
      meter.spend(above.length);
      lines.side(widthOf(above, style));
    }
    // Quotation marks of at most three characters.
    if (element.name === "q") lines.side(6 * style.fontSize);
    if (!style.isMeasured) return;
    lines.strut(style);
    if (declared.parts.size > 0) lines.unsure();
  }

  function openBlock(element: HtmlElement, box: Box, style: Style): void {
    pushed = 0;
    // The marker of an item makes a line.
    y += box.spaceAbove + (style.display === "list-item" ? highOf(style) : 0);
    if (box.isContext && style.display !== "table-cell") gap = 0;
    if (!isQuirkySpace(element, style, "margin-top")) gap = Math.max(gap, box.gapAbove);
  }

  function closeBlock(
    element: HtmlElement,
    found: ElementStyle,
    parent: Style,
    lines: Lines,
    inner: Lines,
    { paints, hasText }: Extent,
    firstText: number,
  ): void {
    const { style, box } = found;
    const { height: counted, width: least, longest, isUnsure } = inner.end();
    if (box.isShareHigh && parent.hasHeight) filled.add(blockAround(element));
    // Content beside a child with the whole height lies below the parent.
    if (hasText && filled.has(element) && hasSeveralParts(element)) {
      doubts.set(element, "may-be-covered");
      if (paints) doubtPage("may-be-covered");
    }
    const high = style.display === "list-item" ? Math.max(counted, lineOf(style) * markFactor) : counted;
    const isPart = isPartOfTable(style.display);
    const said = box.height ?? 0;
    const height =
      (box.cutsOff && box.height !== undefined ? said : Math.max(high, said, box.leastHeight)) +
      box.spaceAbove +
      box.spaceBelow +
      (isPart ? style.spacing + rowPadding : 0);
    if (isUnsure && box.height !== undefined && !box.scrolls) {
      if (hasText) doubts.set(element, box.cutsOff ? "may-be-cut-off" : "may-be-covered");
    } else if (isUnsure) lines.unsure();
    // Overflow of a box beside others overlaps them.
    const isHeldApart = box.isContext && !style.isGrowing && !isGrowingFloat(found, parent, least);
    const isBeside =
      isHeldApart || (!isPart && (hasFloat || parent.isShrunk || parent.isGrowing) && isNarrowed(style));
    if (hasText && isBeside && !box.cutsOff && !box.scrolls && least > style.width + 1)
      doubts.set(element, "may-be-covered");
    if (paints && isHeldApart && !box.cutsOff && !box.scrolls && least > style.width + 1)
      doubtPage("may-be-covered");
    if (box.height !== undefined && !box.scrolls && high > box.height + 1) {
      if (hasText) doubts.set(element, box.cutsOff ? "may-be-cut-off" : "may-be-covered");
      if (!box.cutsOff && paints && isShown(style) && (hasText || high > box.height + pictureSlack))
        doubtPage("may-be-covered");
    }
    // Overflow of a box covers the floats beside it.
    const room = keepsLine(style) ? style.width - floatWidths : style.width;
    if (paints && hasFloat && least > room + 1) doubtPage("may-be-covered");
    // Lines without room beside a float move below it, and out of a box with a declared height.
    if (box.height !== undefined && !box.cutsOff && !box.scrolls && hasText && hasFloat)
      doubts.set(element, "colours-may-match");
    // A low box cannot be scrolled sideways, because the scroll bar takes its height.
    if (box.scrolls && surelyHigh(style, box) < scrollHeightMin + scrollBar && hasText && least > room + 1)
      doubts.set(element, "may-be-cut-off");
    const own = isPart ? askedOfPart(style, box, parent) : box.asked + box.sides;
    let asked = Math.max(least + box.sides, own);
    // In a line that does not break, the box is as wide as its longest line, if there is room for it.
    if (style.display.startsWith("inline-") && keepsLine(parent) && !hasWidth(style))
      asked = Math.max(asked, Math.min(longest + box.sides, parent.width));
    if (style.isClipped && hasText) {
      if (box.cutsOff && least > room + 1) doubts.set(element, "may-be-cut-off");
      // The box that is wider than its parent is doubtful, not the parent, unless the parent grows with it.
      if (parent.isClipped && asked > parent.width + 1) {
        doubts.set(element, "may-be-cut-off");
        if (!growsWithContent(parent)) asked = Math.max(parent.width, isPart ? own : 0);
      }
    }
    if (
      (style.isEverFromRight || box.isFromRight) &&
      hasText &&
      Math.max(asked, box.asked) > parent.width + 1 &&
      !parent.isGrowing
    )
      doubts.set(element, "may-be-off-screen");
    // A table grows with its words, but the background around it does not.
    if (style.display === "table" && hasText && asked > tableWidthMax)
      doubts.set(element, "may-be-off-screen");
    const isStray = isPart && !/^(?:inline-)?table$/.test(style.display) && !isPartOfTable(parent.display);
    // The cells are as wide as their content needs, but the box around them is not.
    if (isStray) strayIn.add(blockAround(element));
    if (isStray && style.display !== "table-cell") {
      const block = blockAround(element);
      const rows = style.display === "table-row" ? 1 : countElements(element);
      strayRowsIn.set(block, (strayRowsIn.get(block) ?? 0) + rows);
    }
    if (isStray && style.isMeasured) lines.unsure();
    const hasStrayRows = (strayRowsIn.get(element) ?? 0) > 1;
    if (strayIn.has(element) && (hasStrayRows || least > style.width + 1)) judgeAround(firstText, style);
    if (hasStrayRows && style.isClipped && hasText) doubts.set(element, "may-be-cut-off");
    if (style.display.endsWith("table") && hasText && least > parent.width + 1 && !parent.isGrowing)
      judgeAround(firstText, parent);
    // A float may overflow the boxes around it, over their lower borders.
    if (box.isFloating && hasText && parent.borderBelow > sideBorderFree)
      doubts.set(element, "colours-may-match");
    // A box that is wider than its parent covers the border of an ancestor.
    if (hasText && asked > parent.width + 1 && !parent.isGrowing && parent.sideBorder > sideBorderFree)
      doubts.set(element, "colours-may-match");
    if (box.corner !== undefined && hasText) {
      const radius = Math.min(box.corner.radius, Math.max(high, box.height ?? 0) / 2 + 4);
      if (radius > 30 && box.corner.padding < radius * 0.3) doubts.set(element, "colours-may-match");
    }
    const isOneLine =
      box.isContext && !box.cutsOff && !box.scrolls && height <= lineOf(style) && !isUnsure && hasText;
    if (!box.isOutOfFlow)
      lines.box({
        display: style.display,
        height,
        width: asked,
        longest: hasWidth(style) ? asked : Math.max(asked, longest + box.sides),
        isContext: box.isContext,
        isFloating: box.isFloating,
        isKept: keepsLine(parent),
        line: isOneLine ? style : undefined,
      });
    y += box.spaceBelow;
    if (box.isContext && style.display !== "table-cell") gap = 0;
    else if (!isQuirkySpace(element, style, "margin-bottom")) gap = Math.max(gap, box.gapBelow);
  }

  /** Whether the margin collapses with a cell because the page has no doctype. */
  function isQuirkySpace(element: HtmlElement, { values }: Style, name: string): boolean {
    return cascade.isQuirky && defaultSpace(element) > 0 && !values.has(name);
  }

  /** Texts from `firstText` on may lie outside of the box with this style. */
  function judgeAround(firstText: number, { around, sideBorder }: Style): void {
    const hasBorder = sideBorder > sideBorderFree;
    for (let at = firstText; at < texts.length; at++) {
      meter.spend(around.length);
      if (verdicts.get(texts[at]!) !== undefined) continue;
      if (hasBorder || clarityOf(textStyles[at]!, around) !== "clear")
        verdicts.set(texts[at]!, { why: "colours-may-match" });
    }
  }

  /** A box in flow and earlier floats may overlap: the floats lie on its background, or it covers them. */
  function judgeFloats(box: Box, style: Style, parent: Style): void {
    if (box.isCleared) endFloats();
    if (!box.isInline) borders += box.lineBorder;
    if (floated.length === 0 || box.isInline || box.isContext || box.cutsOff || !box.paints) return;
    if (style.display.startsWith("table") || !isShown(style)) return;
    const isOver = box.isStacked;
    let lastStyle: Style | undefined;
    let isClear = false;
    const hasBorder = Math.max(bordersBefore + borders, style.sideBorder) > sideBorderFree;
    if (!isOver && !hasBorder && style.backdrops === parent.backdrops) return;
    for (const [from, to] of floated)
      for (let at = from; at < to; at++) {
        meter.spend(1);
        const node = texts[at]!;
        if (verdicts.get(node) !== undefined) continue;
        if (lastStyle !== textStyles[at]) {
          lastStyle = textStyles[at]!;
          meter.spend(5 * style.backdrops.length);
          isClear = !isOver && !hasBorder && clarityOf(lastStyle, style.backdrops) === "clear";
        }
        if (!isClear) verdicts.set(node, { why: isOver ? "may-be-covered" : "colours-may-match" });
      }
  }

  function endFloats(): void {
    floated = [];
    hasFloat = false;
    hasFloatedPicture = false;
    floatWidths = 0;
    floatedPixels = 0;
  }

  function blockAround(element: HtmlElement): HtmlElement {
    let block = element.parent ?? element;
    while (block.parent !== undefined && styles.get(block)?.box.isInline === true) block = block.parent;
    return block;
  }

  /** Marks everything in the block that contains the line. */
  function doubtLine(element: HtmlElement): void {
    let block = element.parent;
    const isCell = styles.get(element)?.style.display === "table-cell";
    while (
      block?.parent !== undefined &&
      (isCell ? block.name !== "table" : styles.get(block)?.box.isInline === true)
    )
      block = block.parent;
    if (block !== undefined) doubts.set(block, "may-be-off-screen");
  }

  function judgeParts(element: HtmlElement, declared: DeclaredStyle, style: Style, box: Box): void {
    if (declared.parts.size === 0 || style.hidden !== undefined) return;
    const cover = coverOfParts(declared.parts, style, box, element.name);
    y += heightOfParts(declared.parts, style);
    if (cover === "page") doubtPage("may-be-covered");
    else if (cover === "element") doubts.set(element, "may-be-covered");
  }

  function visitReplaced(element: HtmlElement, found: ElementStyle, parent: Style, lines: Lines): Extent {
    const { style, box, declared } = found;
    judgeParts(element, declared, style, box);
    const paints = isShown(style) && style.isVisible && style.hidden === undefined;
    if (paints && box.reach !== "none") doubtPage("may-be-covered");
    isPainted ||= paints;
    if (paints && hasFloat && keepsLine(parent)) doubtPage("may-be-covered");
    const share = /^\s*(\d+(?:\.\d+)?)%/.exec(attributeOf(element, "width") ?? "")?.[1];
    const width =
      share === undefined
        ? sizeOf(element, found, "width")
        : (Number(share) / 100) * Math.max(parent.width, 1);
    const scaled = scaledHeight(element, style, box);
    if (scaled === undefined) doubtPage("may-be-off-screen");
    const height = Math.max(sizeOf(element, found, "height"), scaled ?? 0);
    if (box.isUnsure || isUnsureSize(element, box)) lines.unsure();
    if (box.isShareWide || (attributeOf(element, "width") ?? "").includes("%")) lines.share();
    const high = Math.max(height, box.leastHeight) + box.spaceAbove + box.spaceBelow;
    y += Math.max(high, parent.lineHeight);
    const wide = Math.min(Math.max(box.asked, width), box.mostWidth ?? Number.POSITIVE_INFINITY);
    lines.picture(high, wide + box.sides, keepsLine(parent) || box.isFloating);
    if (box.isFloating) {
      hasFloatedPicture = true;
      floatedPixels += wide;
      floatWidths += Math.max(wide, pictureSize) + box.sides;
    }
    if (box.isShareHigh && parent.hasHeight) filled.add(blockAround(element));
    // The alternative text of a picture that is not loaded takes space.
    const alt = element.name === "img" ? (attributeOf(element, "alt") ?? "") : "";
    if (alt !== "" && (box.asked || width) * (box.height ?? sizeOf(element, found, "height")) === 0)
      lines.text(alt, style);
    gap = 0;
    // The text is left out, but the boxes are painted.
    if (drawnInside.has(element.name)) {
      const inner = createLines(style);
      for (const child of element.children) if (child.kind === "element") visitElement(child, style, inner);
      lines.unsure();
    }
    const drawing =
      element.name === "svg" &&
      (style.values.has("overflow-x") || attributeOf(element, "overflow") !== undefined);
    if (drawing && paints) doubtPage("may-be-covered");
    return { paints, hasText: false };
  }

  /** Judges an element that browsers do not render, unless the style of the page says so. */
  function judgeUnseen(element: HtmlElement, parent: Style, lines: Lines): void {
    const { style, box, declared } = styleOf(element, parent, cascade);
    if (!isBoxless(style.display)) lines.unsure();
    if (!isBoxless(style.display) && (declared.parts.size > 0 || box.reach !== "none" || box.paints))
      doubtPage("element-not-understood");
  }

  function childrenSeen(element: HtmlElement): readonly HtmlNode[] {
    if (element.name !== "details") return element.children;
    const group = attributeOf(element, "name") ?? "";
    const isOpen = attributeOf(element, "open") !== undefined;
    // Of several `details` with one name only one stays open, also if the others are not rendered.
    if (isOpen && group !== "") {
      detailsNames ??= namesOfDetails(root, meter);
      if ((detailsNames.get(group) ?? 0) > 1) doubts.set(element, "element-not-understood");
    }
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
  if (largestMark > markFree && largestMark > smallest * 4) pageDoubt ??= "may-be-covered";
  if (isPulled && isPainted) pageDoubt ??= "may-be-covered";
  if (isPainted)
    for (const [at, node] of texts.entries())
      if (textStyles[at]!.moved > relativeFor(textStyles[at]!) && verdicts.get(node) === undefined)
        verdicts.set(node, { why: "may-be-covered" });
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

function countElements({ children }: HtmlElement): number {
  let count = 0;
  for (const node of children) if (node.kind === "element") count++;
  return count;
}

/** The number of `details` with each name. */
function namesOfDetails(root: HtmlElement, meter: WorkMeter): ReadonlyMap<string, number> {
  const names = new Map<string, number>();
  const open: HtmlElement[] = [root];
  for (let element = open.pop(); element !== undefined; element = open.pop()) {
    meter.spend(1);
    if (element.name === "details") {
      const name = attributeOf(element, "name") ?? "";
      names.set(name, (names.get(name) ?? 0) + 1);
    }
    for (const child of element.children) if (child.kind === "element") open.push(child);
  }
  return names;
}

/** Whether it is a `br` that clears all floats. */
function isClearing(element: HtmlElement, { values, unsure }: DeclaredStyle): boolean {
  if (unsure.has("clear")) return false;
  const said = values.get("clear");
  if (said !== undefined) return wordOf(said.value) === "both";
  return /^(?:all|both)$/i.test(attributeOf(element, "clear") ?? "");
}

/** Above this height, lines are counted one by one. */
const usualLine = 200;

/** The height of a line with text, also if a low line height is declared. */
function highOf({ lineHeight, fontSize }: Style): number {
  return Math.max(lineHeight, fontSize);
}

function keepsLine({ whiteSpace }: Style): boolean {
  return whiteSpace === "nowrap" || whiteSpace === "pre";
}

/** Whether the following content is not placed below the box. */
function isBesideOthers({ isFloating }: Box, { display }: Style, parent: Style): boolean {
  const isStrayCell = display === "table-cell" && parent.display !== "table-row";
  return isFloating || display.startsWith("inline-") || isStrayCell;
}

function isColumnName(name: string): boolean {
  return name === "col" || name === "colgroup";
}

const leftWords = new Set(["left", "start", "justify", "top", "middle", "bottom", "baseline", "absmiddle"]);
const centredElements = new Set(["center", "th", "caption", "button", "legend"]);

/** Whether glyphs or text decorations may cover adjacent lines. */
function reachesOut(style: Style): boolean {
  const { fontSize, lineHeight, lineFactor, lined, isSizeUnsure, isLineUnsure } = style;
  const share = lineHeight / fontSize;
  if (isSizeUnsure && (isLineUnsure || lineFactor === undefined || lineFactor < 1)) return true;
  if (isLineUnsure && fontSize > largeSize) return true;
  if (lined > linesFree && (fontSize > coveringSize || share < 1.1)) return true;
  return (fontSize > coveringSize && share < 0.9) || (fontSize > largeSize && share < 0.7);
}

/** A border of at most this width hides no glyph. */
const lineBorderFree = 4;

/** The distance in pixels by which text may be moved without being covered by paint beside its line. */
function relativeFor({ fontSize }: Style): number {
  return Math.min(relativeMax, fontSize / 2);
}

/** The pixels that an inline box paints above and below its line; negative if the line is higher than the paint. */
function paintBeyondLine(box: Box, style: Style): number {
  const overLine = (style.fontSize * 1.15 - style.lineHeight) / 2;
  return box.linePaint > 0 || overLine > 0 ? box.linePaint + overLine : 0;
}

/** Elements that no browser with support for popovers renders before they are opened. */
const closedPopovers = new Set(["div", "p", "span", "section"]);

const pushMax = 120;
const fixedBlanks = /[\u00a0\u2000-\u200a\u202f\u205f\u3000]{25,}/;
const keptBlanks = /[ \t\u00a0\u2000-\u200a\u202f\u205f\u3000]{60,}/;

/** The preserved white space of a line; only a long run counts. */
function pushOf(text: string, style: Style): number {
  const isKept = style.whiteSpace.startsWith("pre") && style.whiteSpace !== "pre-line";
  if (style.whiteSpace === "pre-wrap") return 0;
  if ((isKept ? keptBlanks : fixedBlanks).test(text)) return pushMax + 1;
  return isBlank(text) ? text.length : 0;
}

function isShown({ opacity, hidden, isVisible }: Style): boolean {
  return opacity >= 0.1 && hidden !== "hidden-by-style" && (isVisible || hidden === undefined);
}

/** `reached`: the end of the text if its line does not break. */
function judgeText(style: Style, text: string, clarity: Clarity, reached: number): Verdict {
  if (style.hidden !== undefined) return style.hidden;
  if (!style.isVisible || style.isMasked) return "hidden-by-style";
  const letters = judgeLetters(style, asciiTrim(text));
  if (typeof letters === "string") return letters;
  if (clarity === "none" && style.doubt === undefined) return "invisible-colour";
  if (style.doubt !== undefined) return { why: style.doubt };
  if (letters !== undefined) return letters;
  if (clarity !== "clear") return { why: "colours-may-match" };
  if (Math.max(style.shiftLeft, style.shiftRight) > 820) return { why: "may-be-off-screen" };
  if (!style.isGrowing && reached > style.width) {
    if (style.isEverFromRight) return { why: "may-be-off-screen" };
    if (style.sideBorder > sideBorderFree || clarityOf(style, style.around) !== "clear")
      return { why: "colours-may-match" };
  }
  if (style.moved > relativeMax && style.isEverFromRight) return { why: "may-be-off-screen" };
  // Small text may leave the window if it is moved up, or overlap content beside its line.
  if (style.lifted > relativeFor(style)) return { why: "may-be-off-screen" };
  if (style.moved > relativeFree && style.sideBorder > sideBorderFree) return { why: "colours-may-match" };
  // A box that clips may clip text that is moved.
  if (style.isClipped && style.lifted > relativeFree) return { why: "may-be-cut-off" };
  // Text with `background-clip: text` is invisible outside of the background.
  if (style.shownThrough !== undefined && (style.textIndent !== 0 || reached > style.width))
    return { why: "colours-may-match" };
  // A line that begins in the margin does not have the background of its box behind it.
  if (style.textIndent < -style.indentPadding - 2 && clarityOf(style, style.around) !== "clear")
    return { why: "colours-may-match" };
  return undefined;
}

/** Attributes of MathML that change neither size nor position nor colour. */
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
const notUnderstood = new Set([
  "slot",
  "marquee",
  "frameset",
  "portal",
  "fencedframe",
  "selectedcontent",
  "geolocation",
  "usermedia",
  "permission",
  "install",
]);

/** Elements whose content is rendered in certain cases: fallbacks, and options outside of a control. */
const drawnInside = new Set(["option", "optgroup", "object", "applet", "picture", "noscript", "canvas"]);

/** Elements that are rendered as a whole: none of their content is text of the page. */
function isReplaced(element: HtmlElement): boolean {
  return (
    formElements.has(element.name) ||
    unseenElements.has(element.name) ||
    !(element.isHtml || element.namespace.endsWith("MathML"))
  );
}

function hasSeveralParts({ children }: HtmlElement): boolean {
  let parts = 0;
  return children.some(
    (node) => (node.kind === "element" || (node.kind === "text" && !isBlank(node.text))) && ++parts > 1,
  );
}

const scrollBar = 20;

function surelyHigh({ values }: Style, { height, leastHeight }: Box): number {
  return values.has("height") ? (height ?? leastHeight) : leastHeight;
}

/** A line with a picture is higher than the picture by this many pixels. */
const pictureSlack = 10;
/** The height of a line with a list marker in another font, as a factor. */
const markFactor = 1.25;
/** The width of the longest list number, "mmmdccclxxxviii.", in em. */
const markWidth = 16;

/** Markers of a smaller font size cover no word. */
const markFree = 40;

/** Browsers differ on items without a list, in quirks mode. */
function isMarkInLine(element: HtmlElement, style: Style): boolean {
  if (style.isMarkInside || element.name === "summary") return true;
  return element.name === "li" && !lists.has(element.parent?.name ?? "");
}

const lists = new Set(["ul", "ol", "menu", "dir"]);

/** The padding of a cell in the style sheets of browsers. */
const rowPadding = 2;

function hasWidth({ values }: Style): boolean {
  const value = values.get("width");
  return value !== undefined && value !== "initial" && wordOf(value) === "";
}

/** Whether a declaration makes the box narrower than its containing block. */
function isNarrowed({ values }: Style): boolean {
  return ["width", "max-width"].some((name) => {
    const value = values.get(name);
    if (value === undefined || value === "initial" || wordOf(value) !== "") return false;
    return !value.some((token) => token.type === "percent" && token.number >= 100);
  });
}

/** Whether the box grows with its widest word, also if a smaller width is declared: cells, rows and tables do. */
function growsWithContent({ isShrunk, isGrowing, isFixedTable, display }: Style): boolean {
  const isRow = isPartOfTable(display) && display !== "table-cell";
  return isShrunk || isGrowing || (isRow && !isFixedTable);
}

/** Whether it is a floating table in a cell, which grows with its content, and the cell with it. */
function isGrowingFloat({ style, box }: ElementStyle, parent: Style, least: number): boolean {
  const isTable = box.isFloating && style.display === "table" && !style.isFixedTable;
  return isTable && parent.isGrowing && least <= (box.mostWidth ?? Number.POSITIVE_INFINITY);
}

/** The width that a part of a table asks for. The width of a table includes its padding. Cells that do not grow have their
 *  declared width. A percentage is no width. */
function askedOfPart({ display, isFixedTable, values }: Style, { asked }: Box, parent: Style): number {
  if (display === "inline-table") return asked;
  const isKept =
    display === "table-cell" ? isFixedTable || values.has("min-width") : display.endsWith("table");
  const isShare = ["width", "min-width"].some((name) => isShareOf(values, name));
  return isKept && !(isShare && asked <= parent.width) ? asked : 0;
}

/** Whether the lines may be as narrow as a word: in a table with several columns, which share its width, or beside a float. */
function isSqueezed(element: HtmlElement, style: Style, isBesideFloat: boolean): boolean {
  if (!style.isMeasured) return false;
  if (style.isSqueezed || isBesideFloat) return true;
  for (let at: HtmlElement | undefined = element; at !== undefined; at = at.parent)
    if (at.name === "td" || at.name === "th") return hasColumns(at);
  return false;
}

/** Whether the size depends on content that is not loaded. */
function isUnsureSize(element: HtmlElement, box: Box): boolean {
  const { name } = element;
  if ((attributeOf(element, "height") ?? "").includes("%")) return true;
  if (name === "textarea" || name === "select" || name === "input" || !element.isHtml) return true;
  if (!["img", "video", "object", "embed", "canvas", "iframe", "picture"].includes(name)) return false;
  const isSaid = (side: "height" | "width"): boolean =>
    /^\s*\d+(?:px)?\s*$/i.test(attributeOf(element, side) ?? "") ||
    (side === "height" ? box.height !== undefined : box.asked > 0);
  return (
    !(isSaid("height") && isSaid("width")) && !(name === "img" && !isHeld(attributeOf(element, "src") ?? ""))
  );
}

/** The size in pixels of a picture without a declared size. */
const pictureSize = 200;

/** The space between a row and the next one. */
function rowSpace({ display, spacing }: Style): number {
  return display === "table-row" ? spacing : 0;
}

function sizeOf(element: HtmlElement, { style, box }: ElementStyle, name: "height" | "width"): number {
  if (name === "height" && box.height !== undefined) return box.height;
  const size = Number.parseInt(attributeOf(element, name) ?? "", 10);
  if (size >= 0) return size;
  if (name === "height" && linesIn.has(element.name))
    return linesOf(element) * Math.max(controlLine, style.fontSize * 2.6);
  if (name === "height") return pictureSize;
  return box.asked > 0 || element.name === "img" ? 0 : controlWidth(element, style.fontSize);
}

/** Attributes with the number of lines of a control. */
const linesIn: ReadonlyMap<string, string> = new Map([
  ["textarea", "rows"],
  ["select", "size"],
]);
const controlLine = 40;
const controlLines = 5;

function linesOf(element: HtmlElement): number {
  const lines = Number.parseInt(attributeOf(element, linesIn.get(element.name)!) ?? "", 10);
  return lines > controlLines ? lines : controlLines;
}

/** The widths of elements that have a default width. */
function controlWidth(element: HtmlElement, fontSize: number): number {
  const letterWidth = Math.max(letterWidthLeast, fontSize * 1.2);
  const letters = Number.parseInt(attributeOf(element, "size") ?? attributeOf(element, "cols") ?? "", 10);
  const said = letters >= 0 ? letters * letterWidth : 0;
  const inside = element.name === "select" ? textOf(element).length * letterWidth : 0;
  return Math.max(pictureSize + 100, letterWidth * 25, said, inside);
}

const letterWidthLeast = 16;
