/** Builds the parts of a page: on the way down the style, the box and the flaws of each element, on the way up what it holds. */
import { windowMost } from "#/src/formats/css/media.ts";
import type { Doubt } from "#/src/model/removal.ts";
import { barsOf } from "./bar.ts";
import { type Box, displayOf, insideOf, outsideOf, plainBox } from "./box.ts";
import { type Cascade, noStyle } from "./cascade.ts";
import { addColours, doubtColours, type Shadows } from "./colours.ts";
import { initialStyle, type Style } from "./computed-style.ts";
import { lineLeast, measureBox } from "./contents.ts";
import { keepsLine, Lines } from "./demand.ts";
import { elementStyles } from "./element-style.ts";
import { flawsOf } from "./flaws.ts";
import { hasRowOfBlanks, isBlank, leastWidthOf, widthOf } from "./fonts.ts";
import type { PictureSizes } from "./held-pictures.ts";
import { childrenSeen, staysAway } from "./hidden.ts";
import { isOfSigns, reachOfLetters } from "./ink.ts";
import { withLayerBelow } from "./layer-below.ts";
import { isReadFromRight, standsApart, turnsOrder } from "./order.ts";
import { inlinePaint, isThinLine, mayPaint, paintedElements, paintsUnknown } from "./paint.ts";
import {
  addInk,
  blockAround,
  doom,
  edge,
  isAtom,
  isOwnContext,
  isWithin,
  newContext,
  nothingFound,
  type Part,
} from "./part.ts";
import { widthOfParts } from "./pseudo.ts";
import { drawnInside, isReplaced, measureReplaced } from "./replaced.ts";
import { textOf } from "./survey.ts";
import { hasOverlappingCells } from "./table-slots.ts";
import { attributeOf, type HtmlElement, type HtmlNode, type HtmlText } from "./tree.ts";
import { Values } from "./values.ts";
import type { WorkMeter } from "./work-meter.ts";

export interface Page {
  readonly root: Part;
  readonly styles: ReadonlyMap<HtmlElement, Style>;
  readonly parts: ReadonlyMap<HtmlNode, Part>;
  readonly valuesOf: ReadonlyMap<Part, Values>;
  /** Elements that a phone shows another way, or not at all. */
  readonly otherOnPhone: readonly HtmlElement[];
}

export interface PageOptions {
  readonly cascade: Cascade;
  readonly meter: WorkMeter;
  readonly shadows: Shadows;
  readonly pictures: PictureSizes;
  readonly doubtPage: (why: Doubt) => void;
}

/** The width of the longest list number, "mmmdccclxxxviii.", in em. */
const markWidth = 16;
/** Larger marks may cover lines beside their item. */
const markMost = 40;
const markStack = /\p{M}{5,}/u;
const letterMost = 120;
/** Of a lower opacity nothing is painted, however often: it is less than half of one step of a colour. */
const paleLeast = 0.0019;
/** Letters and blanks that are so much nearer to each other, in em, may go back. */
const backMost = -0.2;

export function buildPage(top: HtmlElement, options: PageOptions): Page {
  const { cascade, meter, shadows, doubtPage } = options;
  const styles = new Map<HtmlElement, Style>();
  const parts = new Map<HtmlNode, Part>();
  const valuesOf = new Map<Part, Values>();
  const layersBelow = new Set<HtmlElement>();
  const otherOnPhone: HtmlElement[] = [];
  const madeOf = elementStyles({ cascade, valuesOf });
  const readFromRight = new Map<Part, boolean>();
  const rootContext = newContext(undefined);
  let partCount = 0;

  function newPart(parent: Part | undefined, own: Partial<Part>): Part {
    const part: Part = {
      ...nothingFound,
      element: undefined,
      text: undefined,
      parent,
      number: partCount++,
      at: parent?.children.length ?? 0,
      children: [],
      style: initialStyle,
      box: plainBox,
      context: rootContext,
      inner: rootContext,
      isOpaque: false,
      isSealed: false,
      ...own,
    };
    parent?.children.push(part);
    return part;
  }

  function visitText(node: HtmlText, parent: Part, lines: Lines): void {
    const { style } = parent;
    const { text } = node;
    // It lasts to the end of the block.
    if (turnsOrder(text)) doom(blockAround(parent), "order-may-differ");
    lines.text(text, style);
    if (hasRowOfBlanks(text, style.whiteSpace)) doubtPage("may-be-off-screen");
    if (isBlank(text)) {
      // Lines are drawn below and through blanks that do not go away.
      if (style.lined > 0 && /[^ \t\n\f\r]/.test(text) && !parent.isSealed) addInk(parent, "signs");
      return;
    }
    const part = newPart(parent, {
      text: node,
      style,
      box: textBox,
      context: parent.inner,
      inner: parent.inner,
      isSealed: parent.isSealed,
      keepsLines: keepsLine(style),
      isFromRight: style.isEverFromRight,
    });
    parts.set(node, part);
    part.hasText = true;
    parent.hasText = true;
    parent.keepsLines ||= part.keepsLines;
    parent.isFromRight ||= part.isFromRight;
    part.across = lines.across;
    const isSeen = !parent.isSealed && style.isVisible && style.hidden === undefined;
    part.high = isSeen && style.fontSize >= 7 && style.lineHeight >= 0.9 * style.fontSize ? lineLeast : 0;
    if (part.high > 0 && !style.isSizeGrowing && /^(?:normal|nowrap)$/.test(style.whiteSpace)) {
      part.line = leastWidthOf(text, style);
      parent.line = Math.max(parent.line, part.line);
    }
    const isElsewhere = style.hidden === "off-screen" || style.opacity < 0.1;
    const isPainted = isSeen || (!parent.isSealed && style.isVisible && isElsewhere);
    // With shadows or outlines, letters fill the space between them.
    const isFull = isOfSigns(text) || style.isShaded || style.strokeWidth > 0;
    if (isPainted) addInk(parent, isFull ? "signs" : "letters");
    // What goes back in its line lies on what stands before.
    const isBack = style.letterSpacing < backMost * style.fontSize && text.length > 1;
    if (isPainted && (isBack || style.wordSpacing < backMost * style.fontSize)) doubtPage("may-be-covered");
    if (!isSeen) return;
    const far = reachOfLetters(text, style);
    if (far > edge) {
      part.flaws = (["over", "after"] as const).map((reach) => ({ reach, why: "may-be-covered", px: far }));
      // Signs of the next line lie on those of this one.
      if (far > style.fontSize / 5) doom(part, "may-be-covered");
    }
    if (markStack.test(text) || style.fontSize > letterMost) doubtPage("may-be-covered");
    // Signs of any size may reach over any line.
    if (style.isSizeUnsure && (style.fontSize > 20 || isFull)) doubtPage("may-be-covered");
    if (style.lined > 5 && (style.fontSize > 60 || style.lineHeight < 1.1 * style.fontSize))
      doubtPage("may-be-covered");
  }

  function visit(node: HtmlNode, parent: Part, lines: Lines): void {
    meter.spend(2);
    if (node.kind === "text") visitText(node, parent, lines);
    else if (node.kind === "element" && !layersBelow.has(node)) visitElement(node, parent, lines);
  }

  function visitElement(element: HtmlElement, parent: Part, lines: Lines): void {
    const { name } = element;
    const declared = cascade.styleOf(element);
    const values = new Values(declared, parent.style, element, cascade);
    meter.spend(declared === noStyle ? 10 : 100);
    if (declared.differsOnPhone) otherOnPhone.push(element);
    const isBlocky =
      ["absolute", "fixed"].includes(values.word("position")) ||
      !["", "none"].includes(values.word("float")) ||
      parent.box.items !== undefined;
    const display = displayOf(element, values, isBlocky);
    if (element.content !== undefined || name === "script" || name === "style") {
      if (attributeOf(element, "shadowrootmode") !== undefined) doubtPage("whole-document");
      if (display !== "none" && (element.isHtml || display !== "inline")) doubtPage("element-not-understood");
      return;
    }
    const made = madeOf(element, declared, values, display, parent);
    const { letters, box } = made;
    const { behind, style } = withLayerBelow(element, made, values, cascade, layersBelow);
    const isInline = display === "inline";
    const { opacity } = style;
    styles.set(element, style);
    // Browsers differ on which popovers are closed.
    if (attributeOf(element, "popover") !== undefined && (display !== "none" || !closedPopovers.has(name)))
      doubtPage("element-not-understood");
    if (display === "none") return;
    const isContext = isOwnContext(box, style) || parent.box.items !== undefined;
    // A box that is moved out of the flow leaves a box that cuts off.
    const isAroundSealed = parent.isSealed && !(box.isOutOfFlow && opacity >= 0.1);
    const isPale = opacity < 0.1 && opacity >= paleLeast;
    const isSealed =
      isAroundSealed ||
      (style.hidden === "hidden-by-style" && !isPale) ||
      opacity < paleLeast ||
      (style.hidden === "zero-size-text" && box.clips);
    const part = newPart(parent, {
      element,
      style,
      box,
      context: parent.inner,
      inner: isContext ? newContext(parent.inner) : parent.inner,
      isOpaque: behind.isOpaque && !values.isUnsure("background-color"),
      isSealed,
    });
    parts.set(element, part);
    valuesOf.set(part, values);
    // In lines from the right, pieces follow each other from the right, also those that are read from the left.
    if (isInline && parent.style.isRightToLeft && standsApart(element, values)) {
      const block = blockAround(parent);
      if (!holdsFromRight(block)) doom(block, "order-may-differ");
    }
    if (/^table-column/.test(display)) {
      columnFlaws(element, values, parent, part);
      return;
    }
    const bars = barsOf(values, box, letters, parent);
    const flaws = flawsOf({ element, values, style, box, parent, cascade, bars });
    // An animation may show what is hidden.
    if ((style.hidden !== undefined || !letters.isVisible) && values.isUnsure("animation-name"))
      flaws.push({ reach: "page", why: "may-be-covered", px: 0 });
    const hasBorder = Object.values(box.border).some((px) => px > 0);
    const isUnseen = isSealed && !["absolute", "fixed"].includes(box.position);
    const isHiddenPaint = style.hidden === "hidden-by-style" && !letters.isVisible;
    // The background of a row leaves no space for the border of the row.
    if (hasBorder && /^table-(?:row|.*-group)/.test(display))
      if (values.get("background-image") !== undefined || values.word("background-clip") === "padding-box")
        flaws.push({ reach: "inside", why: "colours-may-match", px: 0 });
    if (!behind.isKnown) flaws.push({ reach: "inside", why: "colours-may-match", px: 0 });
    const paintsItself =
      letters.isVisible &&
      opacity >= paleLeast &&
      !isAroundSealed &&
      !isHiddenPaint &&
      (behind.paints ||
        hasBorder ||
        bars.length > 0 ||
        values.has("box-shadow") ||
        paintedElements.has(name) ||
        declared.paintsElsewhere ||
        values.unsureNames.some((one) => mayPaint.test(one)));
    if (style.hidden === "hidden-by-style" && values.word("content-visibility") === "hidden" && paintsItself)
      doubtPage("may-be-covered");
    // What it holds is not seen, but what it paints itself is.
    part.flaws = isUnseen
      ? flaws.filter(
          ({ reach }) =>
            ["page", "before", "over", "parent", "lifts"].includes(reach) ||
            (paintsItself && ["moves", "parentPaint"].includes(reach)),
        )
      : flaws;
    part.paints = paintsItself;
    if (!isInline && paintsItself && behind.paints && name !== "body" && name !== "html")
      addColours(part.context, behind.backdrops);
    const isUnknown = !behind.isKnown && !isInline;
    if (paintsItself && (isUnknown || paintsUnknown(part)))
      doubtColours(part.context, isUnknown || name === "hr");
    if (!isInline) {
      const px = box.border.top + box.border.right + box.border.bottom + box.border.left;
      part.context.borders += px;
    }
    if (box.isFloat) {
      part.context.hasFloat = true;
      part.context.floats.push(part);
    }
    if (declared.parts.has("first-letter")) part.inner.hasFloat = part.hasFloat = true;
    if (box.isFromRight) part.context.hasRightFloat = true;
    if (isInline && paintsItself && !paintedElements.has(name))
      if (behind.paints || !isThinLine(part, values)) inlinePaint(part, flaws);
    if (isReplaced(element)) {
      measureReplaced(element, part, values, lines, options);
      if (drawnInside.has(name))
        for (const child of element.children) if (child.kind === "element") visit(child, part, new Lines());
      part.hasText = false;
    } else visitBox(element, part, lines);
    // What floats in it may leave it to where its bar is.
    if (bars.length > 0 && part.hasFloat) doom(part, "may-be-covered");
    // What it holds takes no room then (CSS Containment 2, section 4).
    if (values.word("content-visibility") === "hidden") part.high = 0;
    const isCasting = letters.isVisible && (!isSealed || style.hidden === "zero-size-text");
    if (!isAroundSealed && isCasting && hasShadow(part)) {
      const high = !parent.isSealed && !isWithin(parent, hasShadow) ? part.high : 0;
      const cast = shadows.add(values, letters, box, high, isWithin(part, isAtom));
      if (cast !== undefined) part.flaws = [...part.flaws, cast];
    }
    // What is not understood may be painted as a layer of its own, above floats and lines.
    const isLayer = box.position !== "" || opacity < parent.style.opacity || values.unclear.length > 0;
    if (isLayer && (part.paints || part.ink === "signs" || (box.isOutOfFlow && part.ink !== "")))
      for (const list of [part.context.stacked, part.context.allStacked]) list.push(part);
    const isBound = box.width?.share === 0 || box.maxWidth !== undefined || box.isFloat || box.isOutOfFlow;
    if (!isBound || display.endsWith("table")) parent.line = Math.max(parent.line, part.line);
    if (style.hidden === "off-screen" && box.isOutOfFlow && staysAway(part, values)) part.ink = "";
    parent.hasText ||= part.hasText;
    addInk(parent, part.ink);
    parent.paints ||= part.paints;
    parent.hasAtoms ||= part.hasAtoms || (part.paints && (isAtom(part) || isLayer || isInline));
    parent.hasFloat ||= part.hasFloat || box.isFloat;
    parent.hasCells ||= part.hasCells;
    parent.keepsLines ||= part.keepsLines;
    const isInKept = keepsLine(parent.style) && (display.startsWith("inline-") || isReplaced(element));
    parent.hasKeptBoxes ||= part.hasKeptBoxes || isInKept;
    parent.isFromRight ||= part.isFromRight;
    part.pull += Math.max(0, -box.margin.top) + Math.max(0, -box.margin.bottom);
    parent.pull += part.pull;
  }

  const hasShadow = (part: Part): boolean => valuesOf.get(part)?.has("box-shadow") === true;

  function holdsFromRight(block: Part): boolean {
    let holds = readFromRight.get(block);
    if (holds === undefined) {
      const text = block.element === undefined ? "" : textOf(block.element);
      meter.spend(text.length >> 4);
      holds = isReadFromRight(text);
      readFromRight.set(block, holds);
    }
    return holds;
  }

  function visitBox(element: HtmlElement, part: Part, lines: Lines): void {
    const { box, style } = part;
    const { name } = element;
    const { display } = box;
    if (name === "br") {
      if (part.flaws.length > 0 || style.values.size > 0) doubtPageFor(part);
      lines.end();
      return;
    }
    const inner = box.isInline ? lines : new Lines();
    if (style.display === "list-item" || name === "summary") {
      if (style.isMarkInside || name === "summary") inner.side(markWidth * style.fontSize);
      if (style.isVisible && !part.isSealed) addInk(part, "letters");
      if (style.fontSize > markMost && style.isVisible) doubtPage("may-be-covered");
    }
    if (!box.isInline && style.textIndent > 0) inner.side(style.textIndent);
    inner.side(box.isInline ? box.margin.left + box.padding.left + box.border.left : 0);
    if (name === "q" || part.flaws.some(({ reach }) => reach === "page")) inner.side(3 * style.fontSize);
    const { parts: ownParts } = valuesOf.get(part)?.declared ?? {};
    if (ownParts !== undefined && ownParts.size > 0) inner.side(widthOfParts(ownParts, style));
    for (const child of childrenSeen(element, part)) visit(child, part, inner);
    if (name === "ruby") inner.side(widthOf(textOf(element), style));
    inner.side(box.isInline ? box.margin.right + box.padding.right + box.border.right : 0);
    part.across = inner.across;
    part.longest = inner.longest;
    if (box.isInline) {
      part.high = 0;
      return;
    }
    if (keepsLine(style) && part.children.length > 0) part.keepsLines = true;
    part.isFromRight ||= box.isFromRight || style.isEverFromRight;
    measureBox(part, inner.least, valuesOf);
    const { parent } = part;
    if (parent === undefined) return;
    if (box.isOutOfFlow) return;
    if (display.startsWith("inline-")) {
      // H2: the line is as wide as its boxes. In one that does not break, a box without a width is as wide as its own lines, if there is room.
      const isWide = keepsLine(parent.style) && box.width === undefined && part.children.length > 0;
      const wide = isWide
        ? Math.max(part.demand, Math.min(windowMost, part.longest + insideOf(box) + outsideOf(box)))
        : part.demand;
      lines.box(wide, keepsLine(parent.style));
    } else {
      if (parent.box.isInline) lines.aside(part.demand);
      if (!box.isFloat) lines.end();
    }
    if (name === "table" && hasOverlappingCells(element, meter)) doom(part, "may-be-covered");
  }

  function doubtPageFor(part: Part): void {
    if (part.flaws.some(({ reach }) => reach === "page")) doubtPage("may-be-covered");
    else if (part.flaws.length > 0 && part.parent !== undefined) doom(part.parent, part.flaws[0]!.why);
  }

  function columnFlaws(element: HtmlElement, values: Values, parent: Part, part: Part): void {
    if (element.name !== "col" && element.name !== "colgroup") doubtPage("colours-may-match");
    const isHarmless = [...values.known.keys()].every((name) =>
      /^(?:width|min-width|text-align|vertical-align|display)$/.test(name),
    );
    if (!isHarmless || values.unclear.length > 0) doom(parent, "colours-may-match");
    for (const child of element.children)
      if (child.kind === "element" && child.name === "col")
        columnFlaws(child, new Values(cascade.styleOf(child), part.style, child, cascade), parent, part);
  }

  const root = newPart(undefined, {});
  const lines = new Lines();
  for (const child of top.children) visit(child, root, lines);
  measureBox(root, lines.least, valuesOf);
  return { root, styles, parts, valuesOf, otherOnPhone };
}

const textBox: Box = { ...plainBox, display: "text", isInline: true };
/** Elements that no browser with support for popovers renders before they are opened. */
const closedPopovers = new Set(["div", "p", "span", "section"]);
