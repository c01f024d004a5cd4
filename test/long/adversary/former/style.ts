/** The style of an element, as far as it decides whether text is seen and is proven without a layout of the page. Pictures count as
 *  not loaded, the window is that of `media.ts`, and nothing has been clicked.
 *  Long because every property of the table becomes a part of one style here. */
import { black, type Colour, colourOf, legacyColour, transparent } from "#/src/formats/css/colour.ts";
import { initialFontSize, type LengthBasis, lengthOf, numberOf } from "#/src/formats/css/length.ts";
import { unknownInside } from "#/src/formats/css/properties.ts";
import { shadowsOf } from "#/src/formats/css/shadows.ts";
import { unknownValue } from "#/src/formats/css/shorthands.ts";
import { understoodOf } from "#/src/formats/css/understood.ts";
import {
  componentsOf,
  type Value,
  weakerRuleKeywords,
  wideKeywords,
  wordOf,
} from "#/src/formats/css/value-forms.ts";
import { backdropsOf, ownColours } from "#/src/formats/html/backdrops.ts";
import { type Cascade, type DeclaredStyle, noStyle } from "#/src/formats/html/cascade.ts";
import { fixedColumnWidth } from "#/src/formats/html/fixed-table.ts";
import { isFixedPitchFont, isFontOfSigns, isThinFont, leastFontSize } from "#/src/formats/html/fonts.ts";
import { hasColumns } from "#/src/formats/html/table-slots.ts";
import { attributeOf, type HtmlElement } from "#/src/formats/html/tree.ts";
import { defaultDisplay, defaultSpace, fontScale } from "#/src/formats/html/user-agent.ts";
import { resolveDeclared, variablesOf } from "#/src/formats/html/variables.ts";
import type { Doubt } from "#/src/model/removal.ts";
import { boxOf, cellsBeside } from "./boxes.ts";
import { type Box, initialValue, noValues, plainBox, type Style, type StyleValue } from "./computed-style.ts";
import { isFarIndent, outdentOf } from "./letters.ts";
import { relativeFree, surelyOutside } from "./places.ts";
import { isInOwnCell, isPartOfTable } from "./shares.ts";
import { hasOwnSpaces, isOwnSpaceSure, isReplaced, spacesOf } from "./spaces.ts";

export interface ElementStyle {
  readonly style: Style;
  readonly box: Box;
  readonly declared: DeclaredStyle;
}

const reaches = ["none", "inside", "moves", "pulls", "paints"] as const;

/** Cost of making one style, in steps of the work meter. */
const makeSteps = 560;

export function styleOf(element: HtmlElement, parent: Style, cascade: Cascade): ElementStyle {
  const declared = cascade.styleOf(element);
  const key = likenessOf(element, declared, parent);
  const known = key === undefined ? undefined : likes.get(parent)?.get(key);
  if (known !== undefined) return known;
  const made = makeStyle(element, parent, cascade, declared);
  if (key !== undefined) {
    const byKey = likes.get(parent);
    if (byKey === undefined) likes.set(parent, new Map([[key, made]]));
    else byKey.set(key, made);
  }
  return made;
}

/** A key with everything that the style depends on: children of one parent with the same key have the same style. undefined for an
 *  element whose style is not shared. */
function likenessOf(element: HtmlElement, declared: DeclaredStyle, parent: Style): string | undefined {
  const { name } = element;
  if (!element.isHtml || name === "body" || name === "html" || name === "dialog") return undefined;
  const isCell = name === "td" || name === "th" || declared.values.has("display");
  if (isCell && parent.isFixedTable) return undefined;
  const href = name === "a" && attributeOf(element, "href") !== undefined ? "@" : "";
  const mso =
    name !== "a" && declared.values.has("mso-hide") && attributeOf(element, "href") !== undefined ? "@" : "";
  const cells = isCell ? `${cellsBeside(element)}${hasColumns(element) ? "+" : ""}` : "";
  return `${name}${href}${mso} ${declared.id} ${cells} ${declared.id === 0 ? "" : element.parent?.name}`;
}

const likes = new WeakMap<Style, Map<string, ElementStyle>>();

function makeStyle(
  element: HtmlElement,
  parent: Style,
  cascade: Cascade,
  declared: DeclaredStyle,
): ElementStyle {
  if (isPlain(element, declared, parent, cascade.isQuirky)) return plainStyle(element, parent, declared);
  cascade.meter.spend(makeSteps);
  return new StyleMaker(element, declared, parent, cascade).make();
}

const neverPlain = new Set(
  "html body th mark button bdo pre listing xmp plaintext blockquote ul ol menu dir dl dd figure textarea center img hr details fieldset legend nobr".split(
    " ",
  ),
);

function isPlain(element: HtmlElement, declared: DeclaredStyle, parent: Style, isQuirky: boolean): boolean {
  return (
    declared === noStyle &&
    element.isHtml &&
    !neverPlain.has(element.name) &&
    fontScale(element) === 1 &&
    !raisedElements.has(element.name) &&
    parent.lineBackground === undefined &&
    parent.shownThrough === undefined &&
    element.name !== "caption" &&
    !(element.name === "td" && parent.isFixedTable) &&
    !(isQuirky && element.name === "table")
  );
}

const linedElements = new Set(["u", "ins", "s", "strike", "del", "abbr", "acronym"]);

/** Whether browsers by default draw a line below or through the letters. */
function isLined(element: HtmlElement): boolean {
  return (
    linedElements.has(element.name) || (element.name === "a" && attributeOf(element, "href") !== undefined)
  );
}

/** Thickness of an underline in pixels. */
function lineThickness(fontSize: number): number {
  return Math.max(1, fontSize / 10);
}

/** Elements that browsers raise or lower in their line by default. */
const raisedElements = new Set(["sub", "sup", "rt", "ruby"]);

const inlineBox: Box = { ...plainBox, isInline: true };

const absoluteUnits = new Set(["px", "pt", "pc", "in", "cm", "mm", "q"]);
const fixedPitchElements = new Set(["pre", "tt", "code", "kbd", "samp", "listing", "xmp", "plaintext"]);
/** Font size of buttons in browsers. Buttons do not inherit the font size. */
const buttonFontSize = 40 / 3;

/** The style of an element without declarations. */
function plainStyle(element: HtmlElement, parent: Style, declared: DeclaredStyle): ElementStyle {
  const { name } = element;
  const display = defaultDisplay(element);
  const hidden = parent.hidden ?? (isBoxless(display) ? "hidden-by-style" : undefined);
  const space = defaultSpace(element) * parent.fontSize;
  const gap = isOwnSpaceSure(element) ? defaultSpace(element) * leastFontSize(parent) : 0;
  const isCell = name === "td";
  const isLink = name === "a" && attributeOf(element, "href") !== undefined;
  const isSame =
    display === parent.display &&
    hidden === parent.hidden &&
    parent.values === noValues &&
    !isLined(element) &&
    space === 0 &&
    parent.above === 0 &&
    parent.below === 0 &&
    !isCell &&
    !isLink &&
    !fixedPitchElements.has(name) &&
    name !== "button" &&
    name !== "table" &&
    (parent.textIndent >= 0 || display === "inline");
  const style = isSame
    ? parent
    : {
        ...parent,
        display,
        hidden,
        above: space,
        below: space,
        values: noValues,
        fontSize: name === "button" ? buttonFontSize : parent.fontSize,
        isFixedPitch: name !== "button" && (parent.isFixedPitch || fixedPitchElements.has(name)),
        colour: isLink ? parent.linkColour : parent.colour,
        visitedColour: isLink ? parent.visitedLinkColour : parent.visitedColour,
        lined: parent.lined + (isLined(element) ? lineThickness(parent.fontSize) : 0),
        textIndent: name === "table" ? 0 : parent.textIndent,
        indentRoom: display === "inline" ? parent.indentRoom : 0,
        indentPadding: display === "inline" ? parent.indentPadding : 0,
        raised: display === "inline" ? parent.raised : 0,
        isFixedTable: name !== "table" && parent.isFixedTable,
        isGrowing: isCell ? !parent.isFixedTable : parent.isGrowing,
        width: isCell ? parent.width / cellsBeside(element) : parent.width,
        isShrunk:
          parent.isShrunk ||
          name === "table" ||
          (isCell && hasColumns(element)) ||
          isInOwnCell(display, parent.display),
      };
  if (display === "inline") return { style, box: inlineBox, declared };
  if (isCell) return { style, box: cellBox, declared };
  return {
    style,
    box:
      space === 0
        ? plainBox
        : { ...plainBox, spaceAbove: space, spaceBelow: space, gapAbove: gap, gapBelow: gap },
    declared,
  };
}

const cellBox: Box = { ...plainBox, isContext: true };

export function isBoxless(display: string): boolean {
  return display === "none" || display === "table-column" || display === "table-column-group";
}

/** Elements that preserve white space by default. */
const preBlocks = new Set(["pre", "listing", "xmp", "plaintext", "textarea"]);
const opacityMin = 0.1;
const opacityDoubtful = 0.4;

class StyleMaker {
  readonly #element: HtmlElement;
  readonly #declared: DeclaredStyle;
  readonly #parent: Style;
  readonly #cascade: Cascade;
  readonly #values = new Map<string, StyleValue>();
  /** Properties that a declaration inherits, also where browsers have a default for the element. */
  readonly #inherited = new Set<string>();
  #reach: Box["reach"] = "none";
  #doubt: Doubt | undefined;
  /** Properties for which another value, or a value that is not understood, may apply. */
  #unsure: ReadonlySet<string>;

  constructor(element: HtmlElement, declared: DeclaredStyle, parent: Style, cascade: Cascade) {
    this.#element = element;
    this.#declared = declared;
    this.#parent = parent;
    this.#cascade = cascade;
    this.#unsure = declared.unsure;
    for (const { reach, why } of declared.doubts) this.#doubts(reach, why);
  }

  #doubts(reach: Box["reach"], why: Doubt | undefined): void {
    this.#doubt ??= why;
    if (reaches.indexOf(reach) > reaches.indexOf(this.#reach)) this.#reach = reach;
  }

  #settle(variables: Style["variables"]): void {
    for (const [name, one] of this.#declared.values) {
      if (name.startsWith("--")) continue;
      const value = resolveDeclared(name, one, variables, this.#cascade.isQuirky);
      const { isInherited, reach } = understoodOf(name)!;
      const word = value === undefined ? "unset" : wordOf(value);
      if (isInherited && (word === "inherit" || word === "unset")) this.#inherited.add(name);
      if (word === "inherit" && name === "display") {
        this.#values.set(name, [{ type: "ident", value: this.#parent.display }]);
        continue;
      }
      if (weakerRuleKeywords.has(word) || value === unknownValue) {
        const isFar = name === "animation-name" && this.#cascade.sheets.hasFarAnimation;
        this.#doubts(isFar ? "paints" : reach, "style-not-understood");
        this.#unsure = new Set([...this.#unsure, name]);
      } else if (value === unknownInside) this.#doubts("inside", "style-not-understood");
      else if (!wideKeywords.has(word)) this.#values.set(name, value!);
      else if (word === "inherit") {
        const inherited = this.#parent.values.get(name);
        if (isInherited) continue;
        const above = this.#element.parent;
        // By default, browsers give boxes distances, and some boxes a background, which is painted wherever this box is.
        const isBackground = name.startsWith("background-");
        const hasOwn =
          above !== undefined && (isBackground ? ownColours.has(above.name) : hasOwnSpaces(above));
        const isOfBrowser = inherited === undefined && hasOwn;
        if (isOfBrowser && isBackground) this.#doubts("paints", "style-not-understood");
        if (isOfBrowser || (inherited !== undefined && inherited !== initialValue && isRelative(inherited)))
          this.#doubts(reach, "style-not-understood");
        else this.#values.set(name, inherited ?? initialValue);
      } else if (word === "initial" || (word === "unset" && !isInherited))
        this.#values.set(name, initialValue);
    }
  }

  #value(name: string): Value | undefined {
    const value = this.#values.get(name);
    return value === initialValue ? undefined : value;
  }

  #isInitial(name: string): boolean {
    return this.#values.get(name) === initialValue;
  }

  #word(name: string): string {
    const value = this.#value(name);
    return value === undefined ? "" : wordOf(value);
  }

  make(): ElementStyle {
    const parent = this.#parent;
    const element = this.#element;
    const { name } = element;
    const variables = variablesOf(this.#declared, parent.variables);
    this.#settle(variables);
    const isTableReset = name === "table" && this.#cascade.isQuirky;
    const fontSize = this.#fontSize(isTableReset);
    const rootFontSize = name === "html" ? fontSize : parent.rootFontSize;
    const { lineHeight, lineFactor } = this.#lineHeight(fontSize, rootFontSize, isTableReset);
    const position = this.#word("position");
    const isPlaced = position === "absolute" || position === "fixed";
    const float = this.#word("float");
    const isFloating = !isPlaced && float !== "" && float !== "none";
    const display = this.#display(isPlaced || isFloating);
    const isInline = display === "inline";
    const basis: LengthBasis = {
      fontSize,
      lineHeight,
      whole: parent.width,
      isQuirky: this.#cascade.isQuirky,
      rootFontSize,
    };
    const colour = this.#colour(isTableReset);
    const visitedColour = this.#visitedColour(isTableReset, colour, variables);
    const fill = this.#paint("-webkit-text-fill-color", colour, parent.fill);
    const stroke = this.#paint("-webkit-text-stroke-color", colour, parent.stroke);
    const strokeWidth = this.#inheritedLength("-webkit-text-stroke-width", basis, parent.strokeWidth);
    if (strokeWidth > 2) this.#doubts("paints", "style-not-understood");
    const isVisible = this.#isVisible();
    const opacity = parent.opacity * this.#opacity();
    const own = ownColours.get(name);
    const backgroundColour = this.#value("background-color");
    const image = this.#value("background-image");
    const isShowing = isVisible && display !== "contents";
    const background = {
      colour:
        backgroundColour === undefined
          ? own !== undefined && !this.#isInitial("background-color")
            ? own.background
            : transparent
          : (colourOf(backgroundColour, colour, this.#cascade.isQuirky) ?? transparent),
      image: isShowing ? image : undefined,
      isOnLetters: this.#word("background-clip") === "text",
      isPlaced:
        !["", "auto", "cover"].includes(this.#said("background-size", "?")) ||
        ["background-repeat", "background-position", "background-position-x", "background-position-y"].some(
          (one) => !["", "repeat"].includes(this.#said(one)),
        ),
    };
    const direction = this.#word("direction");
    const isRightToLeft =
      direction === "" ? !this.#isInitial("direction") && parent.isRightToLeft : direction === "rtl";
    const isSizeSaid = this.#isSizeSaid();
    const isFixedPitch = this.#isFixedPitch();
    const letters = leastFontSize({ fontSize, isSizeSaid, isFixedPitch });
    const spaces = spacesOf(this.#values, element, basis, {
      leastFontSize: letters,
      // If it may be a block, its margins above and below may count.
      isInline: isInline && !this.#unsure.has("display"),
      isRightToLeft,
      position,
      display,
      isFloating,
    });
    const box = boxOf(
      this.#values,
      spaces,
      element,
      { ...basis, fontSize: letters },
      {
        isInline,
        isFloating,
        position,
        display,
        parent,
        columnWidth:
          display === "table-cell" && parent.isFixedTable
            ? fixedColumnWidth(element, parent.width, 0, [], this.#cascade)
            : undefined,
      },
    );
    for (const { reach, why } of box.doubts) this.#doubts(reach, why);
    // A browser reads one of the two names, or both.
    const sizing = this.#word("-moz-box-sizing");
    const isSized = boxSizes.some((one) => this.#values.has(one));
    if (isSized && sizing !== "" && sizing !== (this.#word("box-sizing") || "content-box"))
      this.#doubts("moves", "style-not-understood");
    const isShrunk = parent.isShrunk || isInOwnCell(display, parent.display);
    const raise = this.#raise(fontSize, lineHeight);
    // A box that is wider than its parent is partly outside of the parent's background.
    const isWider =
      !isInline && !parent.isGrowing && box.width + spaces.left + spaces.right > parent.width + 1;
    const backdrops = backdropsOf(isShowing ? background : { ...background, colour: transparent }, parent, {
      isInline,
      isFloating:
        isFloating ||
        isWider ||
        // A legend lies on the border of its fieldset.
        name === "legend" ||
        display === "table-caption" ||
        box.isPulledBack ||
        box.moved > relativeFree,
      isRaised: raise > 0,
      isRoot: name === "html" || name === "body",
      current: colour,
      fontSize,
    });
    this.#cascade.meter.spend((backdrops.around.length * backdrops.backdrops.length) >> 3);
    // The background of a row leaves no space for the border of the row.
    const isPartBackground = /^table-(?:row|.*-group)/.test(display) && spaces.hasBorder;
    if (isPartBackground && (image !== undefined || this.#word("background-clip") === "padding-box"))
      this.#doubts("inside", "colours-may-match");
    if (!backdrops.isKnown) this.#doubts("inside", "colours-may-match");
    const isContext =
      isFloating ||
      isPlaced ||
      display === "table-cell" ||
      display.startsWith("inline-") ||
      display === "flow-root" ||
      display === "table-caption";
    const shadow = this.#value("box-shadow");
    const strength = shadow === undefined ? 0 : (shadowStrength(shadow) ?? 1);
    if (
      strength > 0.3 ||
      !["", "none"].includes(
        this.#word("text-shadow") || (this.#value("text-shadow") === undefined ? "" : "?"),
      )
    )
      this.#doubts("paints", "style-not-understood");
    if (strength > 0 && isInline) this.#doubts("paints", "may-be-covered");
    // The content of a button is centred vertically. Nobody can scroll to content that is cut off above.
    if (name === "button" && (box.cutsOff || box.scrolls)) this.#doubts("inside", "may-be-cut-off");
    if (ownBoxes.has(name) && !["block", "inline-block", "none", defaultDisplay(element)].includes(display))
      this.#doubts("moves", "style-not-understood");
    if (display === "contents") this.#doubts("inside", "style-not-understood");
    if (
      name === "rt" &&
      [...this.#values.keys()].some((one) => /^(?:margin|padding|border)-|height/.test(one))
    )
      this.#doubts("paints", "style-not-understood");
    if (name === "bdo") this.#doubts("inside", "order-may-differ");
    // A font of the author decides how high its lines are.
    if (this.#isOfSigns())
      this.#doubts(this.#cascade.sheets.ownFonts.size > 0 ? "paints" : "inside", "font-of-signs");
    const hidden =
      parent.hidden ??
      (isBoxless(display) || this.#word("content-visibility") === "hidden" || this.#isHiddenFromOutlook()
        ? "hidden-by-style"
        : opacity < opacityMin
          ? "hidden-by-style"
          : box.hidden);
    // With a line this high, the following content may be outside of the page.
    if (lineHeight > lineHeightMax) this.#doubts("paints", "may-be-off-screen");
    // The background of a row that is not visible is painted behind its visible cells.
    if (!isVisible && isPartOfTable(display) && (backgroundColour !== undefined || image !== undefined))
      this.#doubts("inside", "colours-may-match");
    if (opacity < opacityDoubtful) this.#doubts("inside", "colours-may-match");
    const whiteSpace = this.#whiteSpace(isTableReset);
    const width = box.width;
    const isOpaque = this.#opacity() >= 1;
    const textIndent = this.#textIndent(basis, isInline);
    const indentRoom = isInline ? parent.indentRoom : spaces.indentRoom;
    // A box in the first line moves with the indent of the line, and a box that is as wide as its lines grows.
    const isInLine =
      !isInline && !blocks.test(display) && !(isPartOfTable(display) && isPartOfTable(parent.display));
    const pulled = parent.pulled + (isInLine ? outdentOf(parent) : 0);
    if (!isInline && isFarIndent({ textIndent, indentRoom, pulled }))
      this.#doubts(
        textIndent > 0 ? "paints" : textIndent > -surelyOutside ? "moves" : "inside",
        "may-be-off-screen",
      );
    const style: Style = {
      hidden,
      doubt: parent.doubt ?? this.#doubt,
      display,
      isVisible,
      opacity,
      under: isOpaque ? parent.under : parent.opacity < 1 ? parent.under : parent.backdrops,
      fontSize,
      rootFontSize,
      isSizeSaid,
      isFixedPitch,
      lineHeight,
      lineFactor,
      isLineNormal: this.#isLineNormal(isTableReset),
      letterSpacing: this.#inheritedLength(
        "letter-spacing",
        { ...basis, whole: fontSize },
        parent.letterSpacing,
      ),
      wordSpacing: this.#inheritedLength("word-spacing", { ...basis, whole: fontSize }, parent.wordSpacing),
      textIndent,
      indentRoom,
      pulled,
      indentPadding: isInline ? parent.indentPadding : spaces.paddingLeft,
      moved: box.moved,
      lifted: box.lifted,
      raised: isInline ? parent.raised + raise : 0,
      sideBorder: parent.sideBorder + spaces.borderSide,
      borderBelow:
        isContext || box.cutsOff || display.startsWith("table") ? 0 : parent.borderBelow + spaces.borderBelow,
      isMeasured: parent.isMeasured || (box.height !== undefined && !box.scrolls),
      isTransformed: this.#isTransformed(),
      isThin: this.#isThin(),
      isHairline: this.#isThin(),
      breaksWords: this.#breaksWords(),
      isMarkInside: this.#isMarkInside(),
      lined: parent.lined + (this.#isLined() ? lineThickness(fontSize) : 0),
      isSizeUnsure: this.#isUnsure("font-size", parent.isSizeUnsure),
      isLineUnsure: this.#isUnsure("line-height", parent.isLineUnsure),
      hasHeight:
        parent.hasHeight ||
        (name !== "html" &&
          name !== "body" &&
          ["height", "min-height", "max-height"].some((one) => this.#values.has(one))),
      isShrunk: isInline
        ? parent.isShrunk
        : display === "table-cell"
          ? isShrunk || hasColumns(element) || !isPartOfTable(parent.display)
          : box.asked > 0 && !box.isFitted && !(box.isShare && isShrunk)
            ? false
            : isShrunk || box.isFitted || isFloating || display.startsWith("inline-") || display === "table",
      isSqueezed: parent.isSqueezed || (box.isShare && isShrunk),
      isEverFromRight: parent.isEverFromRight || isRightToLeft || this.#word("unicode-bidi") === "plaintext",
      spacing: display.endsWith("table") ? this.#spacing(basis) : parent.spacing,
      colour,
      fill,
      strokeWidth,
      stroke,
      linkColour: name === "body" ? this.#linkColourOfBody("link", parent.linkColour) : parent.linkColour,
      visitedColour,
      visitedLinkColour:
        name === "body"
          ? this.#linkColourOfBody("vlink", parent.visitedLinkColour)
          : parent.visitedLinkColour,
      bodyColour: name === "body" ? colour : parent.bodyColour,
      backdrops: backdrops.backdrops,
      around: backdrops.around,
      lineBackground: backdrops.lineBackground,
      shownThrough: backdrops.shownThrough,
      whiteSpace,
      isRightToLeft,
      width,
      isGrowing:
        display === "table-cell"
          ? !box.isFixedTable
          : isInline
            ? parent.isGrowing
            : parent.isGrowing && box.isFilling,
      hasShareBeside: parent.hasShareBeside || box.hasShareBeside,
      shiftLeft:
        parent.shiftLeft +
        spaces.shiftLeft +
        (display.startsWith("inline-") ? Math.max(0, parent.textIndent) : 0),
      shiftRight: parent.shiftRight + spaces.shiftRight,
      isScrolled: parent.isScrolled || box.scrolls,
      isClipped: box.cutsOff || (parent.isClipped && !box.scrolls),
      isFixedTable:
        display === "table" || display === "inline-table"
          ? this.#word("table-layout") === "fixed"
          : parent.isFixedTable,
      isMasked: this.#isMasked(),
      above: isInline ? 0 : spaces.above,
      below: isInline ? 0 : spaces.below,
      variables,
      values: this.#values.size === 0 ? noValues : this.#values,
    };
    const isPainting =
      isVisible &&
      opacity >= opacityMin &&
      (backdrops.paints ||
        (this.#unsure.size > 0 && [...this.#unsure].some((one) => /^(?:background|border)-/.test(one))) ||
        spaces.hasBorder ||
        strength > 0 ||
        paintedElements.has(name));
    return {
      style,
      declared: this.#declared,
      box: {
        ...plainBox,
        isInline,
        isContext,
        paints: isPainting,
        reach: this.#reach,
        linePaint: isInline && isPainting && name !== "img" ? spaces.linePaint : 0,
        lineBorder: spaces.lineBorder,
        height: box.height,
        leastHeight: box.leastHeight,
        isUnsure: box.isUnsure,
        isShareWide: box.isShareWide,
        isShareHigh: box.isShareHigh,
        cutsOff: box.cutsOff,
        scrolls: box.scrolls,
        corner: box.corner(backdrops.paints),
        gapAbove: spaces.gapAbove,
        gapBelow: spaces.gapBelow,
        spaceAbove: isInline && !isReplaced(name) ? 0 : spaces.above,
        spaceBelow: isInline && !isReplaced(name) ? 0 : spaces.below,
        shadow: strength,
        isFromRight: float === "right",
        mostWidth: box.mostWidth,
        isCleared:
          this.#word("clear") === "both" &&
          isClearing.test(display) &&
          !isFloating &&
          !isPlaced &&
          !this.#unsure.has("clear"),
        isStacked: (position !== "" && position !== "static") || opacity < 1,
        asked: box.asked,
        sides: spaces.left + spaces.right + box.movedRight,
        sideBefore: isRightToLeft ? spaces.right : spaces.left + box.movedRight,
        isOutOfFlow: isPlaced,
        isFloating,
        pullsLine: box.pullsLine,
      },
    };
  }

  /** How far the element is raised or lowered in its line, in pixels. */
  #raise(fontSize: number, lineHeight: number): number {
    const value = this.#value("vertical-align");
    if (value === undefined || this.#isInitial("vertical-align"))
      return raisedElements.has(this.#element.name) ? fontSize : 0;
    const word = wordOf(value);
    if (word === "baseline") return 0;
    if (word !== "") return fontSize / 2;
    const shift = lengthOf(value, {
      fontSize,
      lineHeight,
      whole: lineHeight,
      isQuirky: this.#cascade.isQuirky,
    });
    if (shift === undefined || Math.abs(shift) > fontSize) this.#doubts("moves", "may-be-covered");
    return Math.abs(shift ?? fontSize);
  }

  #isUnsure(name: string, inherited: boolean): boolean {
    return this.#unsure.has(name) || (inherited && !this.#values.has(name));
  }

  #isLined(): boolean {
    const value = this.#value("text-decoration-line");
    if (value === undefined) return !this.#isInitial("text-decoration-line") && isLined(this.#element);
    return wordOf(value) !== "none";
  }

  #isTransformed(): boolean {
    const names = ["text-transform", "font-variant", "font-variant-caps"];
    const said = names.filter((name) => this.#values.has(name));
    if (said.length === 0) return this.#parent.isTransformed;
    return said.some((name) => !["", "none", "normal", "lowercase"].includes(this.#said(name)));
  }

  #isSizeSaid(): boolean {
    const value = this.#value("font-size");
    if (value === undefined || this.#unsure.has("font-size"))
      return this.#parent.isSizeSaid && !this.#isInitial("font-size") && !this.#unsure.has("font-size");
    const [token] = value;
    if (value.length !== 1 || token?.type !== "dimension")
      return token?.type === "percent" && this.#parent.isSizeSaid;
    return absoluteUnits.has(token.unit.toLowerCase()) || this.#parent.isSizeSaid;
  }

  #isFixedPitch(): boolean {
    if (this.#unsure.has("font-family")) return true;
    const value = this.#value("font-family");
    if (value !== undefined) return isFixedPitchFont(value);
    if (fixedPitchElements.has(this.#element.name) && !this.#inherited.has("font-family")) return true;
    return this.#parent.isFixedPitch && !this.#isInitial("font-family");
  }

  #isThin(): boolean {
    const family = this.#value("font-family");
    if (this.#unsure.has("font-weight") || (family !== undefined && isThinFont(family))) return true;
    const value = this.#value("font-weight");
    if (value === undefined) return !this.#isInitial("font-weight") && this.#parent.isThin;
    return wordOf(value) === "lighter" || (numberOf(value, 1) ?? 400) < 400;
  }

  /** Whether a column may be as narrow as a letter. A declaration inside of it does not undo this. */
  #breaksWords(): boolean {
    return (
      this.#parent.breaksWords ||
      breakingValues.some(([name, pattern]) => pattern.test(this.#word(name)) || this.#unsure.has(name))
    );
  }

  /** Whether the marker of a list item is inside of its first line. */
  #isMarkInside(): boolean {
    const word = this.#word("list-style-position");
    if (word === "") return !this.#isInitial("list-style-position") && this.#parent.isMarkInside;
    return word === "inside";
  }

  #spacing(basis: LengthBasis): number {
    const value = this.#value("border-spacing");
    if (value === undefined) return 2;
    return componentsOf(value).reduce((most, part) => Math.max(most, lengthOf(part, basis) ?? 0), 0);
  }

  /** The value if it is one word, `zero` for the number 0, "?" for any other value, and "" without a value. */
  #said(name: string, zero = ""): string {
    const value = this.#value(name);
    if (value === undefined) return "";
    return (
      wordOf(value) ||
      (value.length === 1 && value[0]!.type === "number" && value[0]!.number === 0 ? zero : "?")
    );
  }

  #inheritedLength(name: string, basis: LengthBasis, inherited: number): number {
    if (this.#isInitial(name)) return 0;
    const value = this.#value(name);
    if (value === undefined) return inherited;
    const word = wordOf(value);
    if (word !== "") return word === "thin" ? 1 : word === "medium" ? 3 : 0;
    return lengthOf(value, basis) ?? 0;
  }

  #fontSize(isReset: boolean): number {
    const of = this.#parent.fontSize;
    const value = this.#value("font-size");
    if (this.#inherited.has("font-size")) return of;
    if (value === undefined && this.#element.name === "button" && !this.#isInitial("font-size"))
      return buttonFontSize;
    if (value === undefined)
      return this.#isInitial("font-size") || (isReset && !this.#declared.values.has("font-size"))
        ? initialFontSize
        : of * fontScale(this.#element);
    const word = wordOf(value);
    if (word === "smaller") return of / 1.2;
    if (word === "larger") return of * 1.2;
    return (
      namedSizes.get(word) ??
      lengthOf(value, {
        fontSize: of,
        lineHeight: this.#parent.lineHeight,
        whole: of,
        isQuirky: this.#cascade.isQuirky,
        rootFontSize: this.#element.name === "html" ? initialFontSize : this.#parent.rootFontSize,
      }) ??
      of
    );
  }

  #lineHeight(
    fontSize: number,
    rootFontSize: number,
    isReset: boolean,
  ): { readonly lineHeight: number; readonly lineFactor: number | undefined } {
    const value = this.#value("line-height");
    const byFactor = (lineFactor: number) => ({ lineHeight: lineFactor * fontSize, lineFactor });
    if (value === undefined) {
      if (this.#isInitial("line-height") || (isReset && !this.#declared.values.has("line-height")))
        return byFactor(1.2);
      const { lineFactor, lineHeight } = this.#parent;
      return lineFactor === undefined ? { lineHeight, lineFactor } : byFactor(lineFactor);
    }
    if (value[0]?.type === "number") return byFactor(numberOf(value, 1) ?? 1.2);
    const length = lengthOf(value, {
      fontSize,
      lineHeight: fontSize,
      whole: fontSize,
      isQuirky: false,
      rootFontSize,
    });
    return length === undefined ? byFactor(1.2) : { lineHeight: length, lineFactor: undefined };
  }

  #isLineNormal(isReset: boolean): boolean {
    const value = this.#value("line-height");
    if (value !== undefined) return wordOf(value) === "normal" || this.#unsure.has("line-height");
    const isOwn = this.#isInitial("line-height") || (isReset && !this.#declared.values.has("line-height"));
    return isOwn || this.#parent.isLineNormal;
  }

  #display(isBlocky: boolean): string {
    const normal = defaultDisplay(this.#element);
    const word = this.#word("display");
    const found = word === "" ? (this.#isInitial("display") ? "inline" : normal) : word;
    // An element that may be shown is judged like one that is shown.
    const display = found === "none" && this.#unsure.has("display") ? "block" : found;
    if (!isBlocky) return display;
    // CSS Display Level 3, section 2.7.
    if (display === "inline-table") return "table";
    return display.startsWith("inline") || display.startsWith("table-") ? "block" : display;
  }

  #isVisible(): boolean {
    if (this.#unsure.has("visibility")) return true;
    const word = this.#word("visibility");
    if (word === "") return this.#isInitial("visibility") || this.#parent.isVisible;
    return word === "visible";
  }

  #opacity(): number {
    if (this.#unsure.has("opacity")) return 1;
    return Math.max(0, Math.min(1, numberOf(this.#value("opacity") ?? [], 1) ?? 1));
  }

  #colour(isReset: boolean): Colour {
    const parent = this.#parent;
    const value = this.#value("color");
    if (value !== undefined) return colourOf(value, parent.colour, this.#cascade.isQuirky) ?? parent.colour;
    if (this.#isInitial("color")) return black;
    if (this.#inherited.has("color")) return parent.colour;
    const own = ownColours.get(this.#element.name);
    if (own !== undefined) return own.ink;
    if (isReset) return parent.bodyColour;
    const isLink = this.#element.name === "a" && attributeOf(this.#element, "href") !== undefined;
    return isLink && !this.#declared.values.has("color") ? parent.linkColour : parent.colour;
  }

  #paint(name: string, current: Colour, inherited: Colour | undefined): Colour | undefined {
    if (this.#isInitial(name)) return undefined;
    const value = this.#value(name);
    if (value === undefined) return inherited;
    return wordOf(value) === "currentcolor" ? undefined : colourOf(value, current, this.#cascade.isQuirky);
  }

  #linkColourOfBody(attribute: "link" | "vlink", otherwise: Colour): Colour {
    const colour = attributeOf(this.#element, attribute);
    return (colour === undefined ? undefined : legacyColour(colour)) ?? otherwise;
  }

  /** The colour of text in a visited link; undefined if it is the same colour. */
  #visitedColour(isReset: boolean, own: Colour, variables: Style["variables"]): Colour | undefined {
    const parent = this.#parent;
    const { visitedColour, values } = this.#declared;
    const isLink = this.#element.name === "a" && attributeOf(this.#element, "href") !== undefined;
    const other =
      visitedColour === undefined || visitedColour === "nothing"
        ? undefined
        : resolveDeclared("color", visitedColour, variables, this.#cascade.isQuirky);
    if (other !== undefined && !/^(?:inherit|unset)$/.test(wordOf(other))) {
      const colour = colourOf(other, parent.visitedColour ?? parent.colour, this.#cascade.isQuirky);
      if (colour === undefined) this.#doubts("inside", "colours-may-match");
      // It is at most as opaque as the colour of links that have not been visited.
      return colour && [colour[0], colour[1], colour[2], Math.min(colour[3], own[3])];
    }
    const isDeclared = visitedColour === undefined ? values.has("color") : visitedColour !== "nothing";
    if (isLink && !isDeclared) return parent.visitedLinkColour;
    if (visitedColour === undefined) {
      const value = this.#value("color");
      if (value !== undefined && wordOf(value) !== "currentcolor") return undefined;
      if (this.#inherited.has("color")) return parent.visitedColour;
      if (this.#isInitial("color") || ownColours.has(this.#element.name) || isReset) return undefined;
    }
    return parent.visitedColour ?? (visitedColour === undefined ? undefined : parent.colour);
  }

  #textIndent(basis: LengthBasis, isInline: boolean): number {
    if (this.#element.name === "table" && !this.#declared.values.has("text-indent")) return 0;
    if (isInline && this.#element.name !== "table") return this.#parent.textIndent;
    if (this.#isInitial("text-indent")) return 0;
    const value = this.#value("text-indent");
    if (value === undefined) return this.#parent.textIndent;
    return componentsOf(value).reduce<number>((found, part) => lengthOf(part, basis) ?? found, 0);
  }

  #whiteSpace(isReset: boolean): string {
    const own = this.#ownWhiteSpace(isReset);
    const collapse = this.#word("white-space-collapse");
    if (collapse === "") return own;
    if (collapse === "collapse") {
      if (own.startsWith("pre") || own === "break-spaces") this.#doubts("inside", "style-not-understood");
      return own;
    }
    if (own === "nowrap") return "pre";
    return own === "normal" ? (collapse === "preserve-breaks" ? "pre-line" : "pre-wrap") : own;
  }

  #ownWhiteSpace(isReset: boolean): string {
    const word = this.#word("white-space");
    if (word !== "") return word;
    if (this.#isInitial("white-space")) return "normal";
    if (this.#inherited.has("white-space")) return this.#parent.whiteSpace;
    const { name } = this.#element;
    if (preBlocks.has(name)) return "pre";
    if (name === "nobr") return "nowrap";
    return isReset ? "normal" : this.#parent.whiteSpace;
  }

  #isMasked(): boolean {
    const word = this.#word("-webkit-text-security");
    if (word === "") return !this.#isInitial("-webkit-text-security") && this.#parent.isMasked;
    return word !== "none";
  }

  #isOfSigns(): boolean {
    const value = this.#value("font-family");
    return value !== undefined && isFontOfSigns(value, this.#cascade.sheets.ownFonts);
  }

  /** Whether `mso-hide: all` hides the element in Outlook. On a link it does not count as hidden: Outlook mostly gets the same link in
   *  another form. */
  #isHiddenFromOutlook(): boolean {
    return this.#word("mso-hide") === "all" && attributeOf(this.#element, "href") === undefined;
  }
}

function shadowStrength(value: Value): number | undefined {
  let through = 1;
  for (const one of shadowsOf(value, black) ?? []) {
    if (one.isInset || [one.x, one.y, one.blur, one.spread].some((length) => Math.abs(length) > 30))
      return undefined;
    through *= 1 - one.colour[3];
  }
  return 1 - through;
}

/** Values of `display` whose boxes move below the floats before them. The following content is then below these floats too. */
const isClearing = /^(?:block|list-item|table|flow-root)$/;
const blocks = /^(?:block|list-item|table|flow-root)$/;
const lineHeightMax = 2000;
const boxSizes = ["width", "min-width", "max-width", "height", "min-height", "max-height"];

/** Values that allow a line break inside of a word. The word then counts as narrow as one of its letters. */
const breakingValues: readonly (readonly [name: string, pattern: RegExp])[] = [
  ["overflow-wrap", /^anywhere$/],
  ["word-break", /^break-/],
  ["line-break", /^anywhere$/],
  ["hyphens", /^auto$/],
  ["-moz-hyphens", /^auto$/],
];

/** Whether the computed size may differ from the written value. Children inherit the computed size. */
function isRelative(value: Value): boolean {
  return value.some(
    ({ type, ...token }) =>
      type === "percent" ||
      type === "function" ||
      (type === "dimension" && "unit" in token && token.unit !== "px"),
  );
}

/** Elements with a special kind of box, whatever their `display` is. */
const ownBoxes = new Set(["button", "fieldset", "legend"]);

/** Elements that paint something by default. */
const paintedElements = new Set(
  "img hr button fieldset meter progress svg video canvas iframe object embed input select textarea dialog marquee".split(
    " ",
  ),
);

const namedSizes: ReadonlyMap<string, number> = new Map([
  ["xx-small", 9],
  ["x-small", 10],
  ["small", 13],
  ["medium", 16],
  ["large", 18],
  ["x-large", 24],
  ["xx-large", 32],
  ["xxx-large", 48],
]);
