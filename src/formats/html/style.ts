/** What of an element's style decides whether its text is seen, as far as it can be told without laying out the page. Images
 *  count as not loaded, the window is that of `media.ts`, and nothing has been clicked. */
import { black, type Colour, colourOf, over, transparent } from "#/src/formats/css/colour.ts";
import { initialFontSize, type LengthBasis, lengthOf, numberOf } from "#/src/formats/css/length.ts";
import {
  componentsOf,
  gradientStops,
  isGradient,
  isInheritedProperty,
  type Value,
  wideKeywords,
  wordOf,
} from "#/src/formats/css/properties.ts";
import { splitByComma } from "#/src/formats/css/tokens.ts";
import { boxOf, isPositioned, placeOf, spacingOf } from "./box.ts";
import type { Cascade, Declared, DeclaredStyle } from "./cascade.ts";
import { noBox, noValues, type Style } from "./computed-style.ts";
import { isClippedAway, transformOf } from "./shape.ts";
import { attributeOf, type HtmlElement } from "./tree.ts";
import { defaultDisplay, fontScale } from "./user-agent.ts";
import { resolveDeclared, type Variables, variablesOf } from "./variables.ts";

const flexDisplays = new Set([
  "flex",
  "inline-flex",
  "grid",
  "inline-grid",
  "-webkit-box",
  "-webkit-flex",
  "-ms-flexbox",
]);

export function styleOf(element: HtmlElement, parent: Style, cascade: Cascade): Style {
  let declared = cascade.styleOf(element);
  const display = defaultDisplay(element);
  const isLink = element.name === "a" && attributeOf(element, "href") !== undefined;
  const scaleOfFont = fontScale(element);
  const isPlain =
    declared.size === 0 && !isLink && scaleOfFont === 1 && element.name !== "mark" && element.name !== "body";
  if (isPlain && !parent.values.has("-webkit-text-fill-color")) return plainStyle(element, parent, display);
  declared = withAnimation(declared, cascade);
  return new StyleMaker(element, declared, parent, cascade.isQuirky).make(display, isLink, scaleOfFont);
}

/** Of an element that nothing is declared for. */
function plainStyle(element: HtmlElement, parent: Style, display: string): Style {
  const shown = flexDisplays.has(parent.display) && display === "inline" ? "block" : display;
  const hidden = parent.hidden ?? (isBoxless(shown) ? "hidden-by-style" : undefined);
  const whiteSpace = element.name === "pre" ? "pre" : parent.whiteSpace;
  if (
    shown === parent.display &&
    hidden === parent.hidden &&
    whiteSpace === parent.whiteSpace &&
    parent.values === noValues
  )
    return parent;
  return { ...parent, ...noBox, display: shown, hidden, whiteSpace, values: noValues };
}

/** What an animation leaves when it is over and its end stays. */
function withAnimation(declared: DeclaredStyle, cascade: Cascade): DeclaredStyle {
  const names = declared.get("animation-name")?.value ?? [];
  const mode = declared.get("animation-fill-mode")?.value ?? [];
  const stays = mode.some((token) => token.type === "ident" && /^(?:forwards|both)$/i.test(token.value));
  if (names.length === 0 || !stays) return declared;
  const result = new Map<string, Declared>(declared);
  for (const token of names)
    if (token.type === "ident" || token.type === "string")
      for (const { property, value } of cascade.keyframesOf(token.value) ?? [])
        result.set(property, { property, value });
  return result;
}

function isBoxless(display: string): boolean {
  return display === "none" || display === "table-column" || display === "table-column-group";
}

class StyleMaker {
  readonly #element: HtmlElement;
  readonly #parent: Style;
  readonly #isQuirky: boolean;
  readonly #variables: Variables;
  readonly #values = new Map<string, Value>();
  readonly #initial = new Set<string>();

  constructor(element: HtmlElement, declared: DeclaredStyle, parent: Style, isQuirky: boolean) {
    this.#element = element;
    this.#parent = parent;
    this.#isQuirky = isQuirky;
    this.#variables = variablesOf(declared, parent.variables);
    for (const [name, one] of declared) if (!name.startsWith("--")) this.#settle(name, one);
  }

  #settle(name: string, one: Declared): void {
    const value = resolveDeclared(name, one, this.#variables, this.#isQuirky);
    const word = value === undefined ? "unset" : wordOf(value);
    if (!wideKeywords.has(word)) this.#values.set(name, value!);
    else if (word === "inherit") {
      const inherited = this.#parent.values.get(name);
      if (inherited !== undefined) this.#values.set(name, inherited);
      else if (!isInheritedProperty(name)) this.#initial.add(name);
    } else if (word === "initial" || (word === "unset" && !isInheritedProperty(name)))
      this.#initial.add(name);
  }

  #word(name: string): string {
    const value = this.#values.get(name);
    return value === undefined ? "" : wordOf(value);
  }

  make(display: string, isLink: boolean, fontScaling: number): Style {
    const parent = this.#parent;
    const fontSize = this.#fontSize(fontScaling);
    const position = this.#word("position");
    const isPlaced = position === "absolute" || position === "fixed";
    const isFloating = !["", "none"].includes(this.#word("float"));
    const shown = this.#display(display, isPlaced || isFloating || flexDisplays.has(parent.display));
    const isInline = shown === "inline" || shown === "contents";
    const lineHeight = this.#lineHeight(fontSize);
    const basis: LengthBasis = { fontSize, lineHeight, whole: parent.width, isQuirky: this.#isQuirky };
    const zoom = numberOf(this.#values.get("zoom") ?? [], 1);
    const opacity = parent.opacity * this.#opacity();
    const colour = this.#colour(isLink);
    const backdrops = this.#backdrops(colour);
    const box = boxOf(this.#values, parent, isInline, shown, basis);
    const transform = isInline ? undefined : transformOf(this.#values, { ...basis, whole: box.width });
    const place = placeOf(this.#values, parent, position, isInline, basis);
    const isStacking =
      opacity < parent.opacity ||
      transform !== undefined ||
      position === "fixed" ||
      this.#values.has("filter") ||
      (isPositioned(position) && !["", "auto"].includes(this.#word("z-index")));
    const zIndex = numberOf(this.#values.get("z-index") ?? [], 1);
    const isBelow = isPositioned(position) && zIndex !== undefined && zIndex < 0 && parent.isOverBackground;
    const hasBackground = backdrops !== parent.backdrops && !["html", "body"].includes(this.#element.name);
    const dx = place.dx + (transform?.dx ?? 0);
    const dy = place.dy + (transform?.dy ?? 0);
    return {
      hidden:
        parent.hidden ??
        (isBoxless(shown) ||
        isBelow ||
        this.#word("content-visibility") === "hidden" ||
        this.#isBlurred(fontSize) ||
        transform?.isGone === true ||
        isClippedAway(this.#values, isPlaced, basis)
          ? "hidden-by-style"
          : this.#isHiddenFromOutlook()
            ? "hidden-by-style"
            : box.isNothing
              ? "zero-size-text"
              : undefined),
      display: shown,
      isVisible: this.#isVisible(),
      opacity,
      fontSize,
      scale: parent.scale * (transform?.scale ?? 1) * (zoom === undefined || zoom === 0 ? 1 : zoom),
      lineHeight,
      letterSpacing:
        this.#length("letter-spacing", { ...basis, whole: fontSize }) ??
        (this.#values.has("letter-spacing") ? 0 : parent.letterSpacing),
      textIndent: isInline ? parent.textIndent : this.#textIndent({ ...basis, whole: box.width }),
      colour,
      linkColour: this.#element.name === "body" ? this.#bodyLinkColour() : parent.linkColour,
      backdrops,
      whiteSpace: this.#word("white-space") || (this.#element.name === "pre" ? "pre" : parent.whiteSpace),
      isMasked: ["disc", "circle", "square"].includes(this.#word("-webkit-text-security"))
        ? true
        : this.#values.has("-webkit-text-security")
          ? false
          : parent.isMasked,
      dx,
      dy,
      isExactX: place.isExactX,
      isExactY: place.isExactY,
      block:
        isPositioned(position) || transform !== undefined
          ? {
              dx,
              dy,
              isWindow: position === "fixed" || (position === "absolute" && place.isExactX && place.isExactY),
            }
          : parent.block,
      width: box.width,
      clipsX: box.clipsX || parent.clipsX,
      clipsLines: box.clipsLines || (parent.clipsLines && box.height === undefined),
      isOverBackground: isStacking ? false : parent.isOverBackground || hasBackground,
      ...(isInline ? noBox : spacingOf(this.#values, basis)),
      height: box.height,
      cutsHeight: box.height !== undefined && box.cutsY,
      variables: this.#variables,
      values: this.#values.size === 0 ? noValues : this.#values,
    };
  }

  #length(name: string, basis: LengthBasis): number | undefined {
    const value = this.#values.get(name);
    return value === undefined ? undefined : lengthOf(value, basis);
  }

  #fontSize(scaling: number): number {
    const of = this.#parent.fontSize;
    const adjust = numberOf(this.#values.get("font-size-adjust") ?? [], 1);
    if (adjust === 0) return 0;
    const value = this.#values.get("font-size");
    if (value === undefined) return this.#initial.has("font-size") ? initialFontSize : of * scaling;
    const word = wordOf(value);
    if (word === "smaller") return of / 1.2;
    if (word === "larger") return of * 1.2;
    const named = namedSizes[word];
    if (named !== undefined) return named;
    return (
      lengthOf(value, {
        fontSize: of,
        lineHeight: this.#parent.lineHeight,
        whole: of,
        isQuirky: this.#isQuirky,
      }) ?? of
    );
  }

  #lineHeight(fontSize: number): number {
    const value = this.#values.get("line-height");
    if (value === undefined) {
      const { lineHeight, fontSize: of } = this.#parent;
      return of === 0 ? lineHeight : (lineHeight * fontSize) / of;
    }
    const times = value[0]?.type === "number" ? numberOf(value, 1) : undefined;
    if (times !== undefined) return times * fontSize;
    return (
      lengthOf(value, { fontSize, lineHeight: this.#parent.lineHeight, whole: fontSize, isQuirky: false }) ??
      fontSize * 1.2
    );
  }

  #display(normal: string, isBlocky: boolean): string {
    const value = this.#values.get("display");
    const words = (value ?? []).flatMap((token) =>
      token.type === "ident" ? [token.value.toLowerCase()] : [],
    );
    const display =
      value === undefined
        ? this.#initial.has("display")
          ? "inline"
          : normal
        : words.length > 1
          ? twoWords(words)
          : words[0]!;
    return isBlocky && (display === "inline" || display === "inline-block") ? "block" : display;
  }

  #isVisible(): boolean {
    const word = this.#word("visibility");
    if (word === "") return this.#initial.has("visibility") || this.#parent.isVisible;
    return word === "visible";
  }

  #opacity(): number {
    let opacity = numberOf(this.#values.get("opacity") ?? [], 1) ?? 1;
    for (const part of componentsOf(this.#values.get("filter") ?? [])) {
      const [token] = part;
      if (token?.type === "function" && token.value.toLowerCase() === "opacity")
        opacity *= numberOf(part.slice(1, -1), 1) ?? 1;
    }
    return Math.max(0, Math.min(1, opacity));
  }

  #isBlurred(fontSize: number): boolean {
    return componentsOf(this.#values.get("filter") ?? []).some(([token, ...rest]) => {
      if (token?.type !== "function") return false;
      const name = token.value.toLowerCase();
      if (name === "contrast") return numberOf(rest.slice(0, -1), 1) === 0;
      if (name !== "blur") return false;
      const radius = lengthOf(rest.slice(0, -1), {
        fontSize,
        lineHeight: fontSize,
        whole: 0,
        isQuirky: false,
      });
      return radius !== undefined && radius >= fontSize * 0.4;
    });
  }

  #colour(isLink: boolean): Colour {
    const parent = this.#parent;
    const fill = this.#values.get("-webkit-text-fill-color") ?? parent.values.get("-webkit-text-fill-color");
    if (fill !== undefined) {
      this.#values.set("-webkit-text-fill-color", fill);
      return colourOf(fill, parent.colour, this.#isQuirky) ?? parent.colour;
    }
    const value = this.#values.get("color");
    if (value !== undefined) return colourOf(value, parent.colour, this.#isQuirky) ?? parent.colour;
    if (this.#initial.has("color") || this.#element.name === "mark") return black;
    return isLink ? parent.linkColour : parent.colour;
  }

  #bodyLinkColour(): Colour {
    const link = attributeOf(this.#element, "link");
    const token = link === undefined ? undefined : link.trim().replace(/^#/, "");
    const colour = token && colourOf([{ type: "hash", value: token }], black, true);
    return (
      colour || (token && colourOf([{ type: "ident", value: token }], black, true)) || this.#parent.linkColour
    );
  }

  #backdrops(colour: Colour): readonly Colour[] {
    const value = this.#values.get("background-color");
    const own =
      value === undefined
        ? this.#element.name === "mark"
          ? ([255, 255, 0, 1] as const)
          : transparent
        : (colourOf(value, colour, this.#isQuirky) ?? transparent);
    const image = this.#values.get("background-image");
    // The letters show the background, and what is behind them is the parent's.
    if (wordOf(this.#values.get("background-clip") ?? []) === "text") return this.#parent.backdrops;
    if (own[3] === 0 && image === undefined) return this.#parent.backdrops;
    let backdrops = this.#parent.backdrops.map((under) => over(own, under));
    if (image === undefined) return backdrops;
    const sizes = splitByComma(this.#values.get("background-size") ?? []);
    for (const [index, layer] of [...splitByComma(image).entries()].reverse()) {
      const size = sizes[index] ?? sizes[0] ?? [];
      if (!isGradient(layer) || (size.length > 0 && !["auto", "cover"].includes(wordOf(size)))) continue;
      const stops = gradientStops(layer, colour);
      if (stops.length > 0)
        backdrops = stops
          .slice(0, 8)
          .flatMap((stop) => backdrops.slice(0, 8).map((under) => over(stop, under)));
    }
    return backdrops;
  }

  #textIndent(basis: LengthBasis): number {
    const value = this.#values.get("text-indent");
    if (value === undefined) return this.#initial.has("text-indent") ? 0 : this.#parent.textIndent;
    return componentsOf(value).reduce<number>((found, part) => lengthOf(part, basis) ?? found, 0);
  }

  /** `mso-hide: all` hides from Outlook what links mostly do in another way there. */
  #isHiddenFromOutlook(): boolean {
    return this.#word("mso-hide") === "all" && attributeOf(this.#element, "href") === undefined;
  }
}

function twoWords(words: readonly string[]): string {
  const isInline = words.includes("inline");
  const inner = words.find((word) => ["flex", "grid", "table", "flow-root"].includes(word));
  if (inner !== undefined)
    return isInline && inner !== "flow-root"
      ? `inline-${inner}`
      : isInline
        ? "inline-block"
        : inner === "flow-root"
          ? "block"
          : inner;
  return isInline ? "inline" : "block";
}

const namedSizes: Readonly<Record<string, number>> = {
  __proto__: null as never,
  "xx-small": 9,
  "x-small": 10,
  small: 13,
  medium: 16,
  large: 18,
  "x-large": 24,
  "xx-large": 32,
  "xxx-large": 48,
};
