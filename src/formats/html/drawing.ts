/** The words of a plain drawing in the page (SVG 2): figures of colours that cover, then texts above them, each in its own place in the
 *  drawing. What a drawing has beside that, or moves, makes all of its words unknown. Lengths are in CSS pixels. */
import { asciiTrim } from "#/src/formats/css/ascii-case.ts";
import { type Colour, colourOf } from "#/src/formats/css/colour.ts";
import { saysPaint } from "#/src/formats/css/neutral.ts";
import { tokenizeCss } from "#/src/formats/css/tokens.ts";
import { words } from "#/src/formats/css/value-forms.ts";
import { type Cascade, noStyle } from "./cascade.ts";
import type { Style } from "./computed-style.ts";
import { coloursMax, union } from "./contrast.ts";
import { isBlank, isFontOfSigns, isHairlineFont, isThinFont, widthOf } from "./fonts.ts";
import { isReadFromRight, turnsOrder } from "./order.ts";
import type { Part } from "./part.ts";
import { attributeOf, type HtmlElement } from "./tree.ts";

interface Drawn {
  readonly words: string;
  readonly style: Style;
}

/** `covers`: whether its fill is behind all of a place. */
interface Figure {
  readonly fill: Colour | undefined;
  readonly stroke: Colour | undefined;
  covers(place: Place): boolean;
}

interface Place {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

interface Placed extends Drawn, Place {}

const ofAll = "id class role focusable aria-hidden aria-label aria-labelledby fill";
const ofDrawing = words(`${ofAll} xmlns version width height viewBox style`);
const figures: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    rect: "x y width height rx ry",
    circle: "cx cy r",
    ellipse: "cx cy rx ry",
    path: "d fill-rule clip-rule",
    polygon: "points fill-rule clip-rule",
    line: "x1 y1 x2 y2 stroke-linecap",
  }).map(([name, own]) => [name, words(`${ofAll} ${own} stroke stroke-width stroke-linejoin`)]),
);
const ofText = words(`${ofAll} x y font-size font-family font-weight text-anchor`);
/** How far letters reach above and below the line that they stand on, in em. */
const [above, below] = [1, 0.4];

/** `isPlain`: style changes nothing of the drawing but its place. */
export function wordsOfDrawing(
  drawing: HtmlElement,
  part: Part,
  cascade: Cascade,
  isPlain: boolean,
): readonly Drawn[] {
  const { style } = part;
  const size = (name: "width" | "height"): number => numberOf(attributeOf(drawing, name));
  const [wide, high] = [size("width"), size("height")];
  const box = (attributeOf(drawing, "viewBox") ?? `0 0 ${wide} ${high}`)
    .split(/[ ,]+/)
    .map((one) => (one.endsWith("x") ? Number.NaN : numberOf(one)));
  const scale = wide / box[2]!;
  const isWhole = box.length === 4 && box[0] === 0 && box[1] === 0 && scale > 0;
  const isEven = isWhole && Math.abs(scale - high / box[3]!) < scale / 100;
  // Lengths of style are those of the drawing, and blanks that are kept move its letters.
  const isSpaced = style.letterSpacing !== 0 || style.wordSpacing !== 0 || !blanksGo.test(style.whiteSpace);
  if (!isPlain || !isEven || isSpaced || part.flaws.length > 0 || style.isRightToLeft) return [];
  if (drawing.children.length > childrenMost || !hasOnly(drawing, ofDrawing)) return [];
  if (cascade.saysPaint || isPaintSaidAround(drawing)) return [];
  const around = colour(attributeOf(drawing, "fill") ?? "black");
  const behind: Figure[] = [];
  const texts: Placed[] = [];
  for (const child of drawing.children) {
    if (child.kind === "comment" || (child.kind === "text" && isBlank(child.text))) continue;
    if (child.kind === "text") return [];
    if (child.name === "title" || child.name === "desc") continue;
    // What is drawn after words may lie on them.
    const figure = texts.length === 0 ? figureOf(child) : undefined;
    const text = figure === undefined ? textOf(child) : undefined;
    if (figure !== undefined) behind.push(figure);
    else if (text === undefined || texts.some((one) => meet(one, text))) return [];
    else texts.push(text);
  }
  return texts.flatMap((text) => {
    let backdrops: readonly Colour[] = style.backdrops;
    for (const { fill, stroke, covers } of behind)
      backdrops = union(
        covers(text) ? [] : backdrops,
        [fill, stroke].filter((one) => one !== undefined),
      );
    return backdrops.length > coloursMax ? [] : [{ words: text.words, style: { ...text.style, backdrops } }];
  });

  function figureOf(element: HtmlElement): Figure | undefined {
    const known = figures.get(element.name);
    if (known === undefined || element.children.length > 0 || !isBare(element, known)) return undefined;
    const fill = colour(attributeOf(element, "fill"), around);
    const stroke = colour(attributeOf(element, "stroke") ?? "none");
    if ([fill, stroke].some((one) => one === undefined || (one !== "none" && one[3] < 1))) return undefined;
    const isFilled = fill !== "none" && element.name !== "line";
    const at = (name: string, usual: number, whole = Number.NaN): number => {
      const said = attributeOf(element, name);
      return said === undefined ? usual : said === "100%" ? whole : numberOf(said) * scale;
    };
    const [x, y, wider, higher] = [at("x", 0), at("y", 0), at("width", 0, wide), at("height", 0, high)];
    const corner = Math.max(at("rx", 0), at("ry", 0));
    const [middle, line, radius] = [at("cx", 0), at("cy", 0), at("r", 0)];
    return {
      fill: isFilled ? (fill as Colour) : undefined,
      stroke: stroke === "none" ? undefined : (stroke as Colour),
      covers({ left, right, top, bottom }) {
        if (!isFilled) return false;
        if (element.name === "circle")
          return [left, right].every((one) =>
            [top, bottom].every((other) => Math.hypot(one - middle, other - line) <= radius),
          );
        const isBeside = x + corner <= left && right <= x + wider - corner;
        return element.name === "rect" && isBeside && y <= top && bottom <= y + higher;
      },
    };
  }

  function textOf(element: HtmlElement): Placed | undefined {
    const [node] = element.children;
    if (element.name !== "text" || element.children.length !== 1 || node?.kind !== "text") return undefined;
    if (!isBare(element, ofText)) return undefined;
    const at = (name: string, usual: string): number => numberOf(attributeOf(element, name) ?? usual) * scale;
    const ink = colour(attributeOf(element, "fill"), around);
    const fontSize = at("font-size", `${style.fontSize}`);
    const family = tokenizeCss(attributeOf(element, "font-family") ?? "", tokensMax);
    const anchor = ["start", "middle", "end"].indexOf(attributeOf(element, "text-anchor") ?? "start");
    const said = asciiTrim(node.text.replace(/[ \t\n\f\r]+/g, " "));
    if (ink === undefined || ink === "none" || anchor < 0 || isBlank(said)) return undefined;
    if (!/^(?:normal|bold|[4-9]00)$/.test(attributeOf(element, "font-weight") ?? "normal")) return undefined;
    if (family.isCut || isFontOfSigns(family.tokens, cascade.sheets.ownFonts)) return undefined;
    if (isReadFromRight(said) || turnsOrder(said)) return undefined;
    const letters: Style = {
      ...style,
      isThin: style.isThin || isThinFont(family.tokens),
      isHairline: style.isHairline || isHairlineFont(family.tokens),
      fontSize,
      lineHeight: fontSize * 1.2,
      isSizeSaid: style.isSizeSaid || attributeOf(element, "font-size") !== undefined,
      isFixedPitch: true,
      colour: ink,
      fill: undefined,
      visitedColour: undefined,
    };
    const across = widthOf(said, letters);
    const left = at("x", "0") - (across * anchor) / 2;
    const line = at("y", "0");
    const place = {
      left,
      right: left + across,
      top: line - above * fontSize,
      bottom: line + below * fontSize,
    };
    const isInside = left >= 0 && place.top >= 0 && place.right <= wide && place.bottom <= high;
    return isInside ? { words: said, style: letters, ...place } : undefined;
  }

  function isBare(element: HtmlElement, known: ReadonlySet<string>): boolean {
    return hasOnly(element, known) && cascade.styleOf(element) === noStyle;
  }

  /** `usual`: where none is said. Undefined for a colour that is not known. */
  function colour(said: string | undefined, usual?: Colour | "none"): Colour | "none" | undefined {
    if (said === undefined) return usual;
    if (said === "none") return "none";
    if (style.visitedColour !== undefined && /current|\\/i.test(said)) return undefined;
    const { tokens, isCut } = tokenizeCss(said, tokensMax);
    return isCut ? undefined : colourOf(tokens, style.colour, false);
  }
}

const tokensMax = 50;
/** Each text is compared with each figure behind it, and with each other text. */
const childrenMost = 200;
const blanksGo = /^(?:normal|nowrap)$/;

function numberOf(said: string | undefined): number {
  const [, number] = /^(\d+(?:\.\d+)?)(?:px)?$/.exec(said ?? "") ?? [];
  return number === undefined ? Number.NaN : Number(number);
}

function hasOnly({ attributes }: HtmlElement, known: ReadonlySet<string>): boolean {
  return attributes.every(({ name }) => known.has(name));
}

/** Style of boxes around says paint, which what is in a drawing inherits. */
function isPaintSaidAround(element: HtmlElement): boolean {
  const way: HtmlElement[] = [];
  let isSaid: boolean | undefined;
  for (let at: HtmlElement | undefined = element; at !== undefined && isSaid === undefined; at = at.parent) {
    way.push(at);
    isSaid = saidAround.get(at);
  }
  for (const one of way.reverse()) {
    isSaid ||= saysPaint(attributeOf(one, "style") ?? "");
    saidAround.set(one, isSaid);
  }
  return isSaid === true;
}

/** Of each box, so that the style of one around many drawings is read once. */
const saidAround = new WeakMap<HtmlElement, boolean>();

function meet(one: Place, other: Place): boolean {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}
