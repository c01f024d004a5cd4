/** Contrast: whether letters differ from everything that may be behind them. */
import { type Colour, over } from "#/src/formats/css/colour.ts";
import type { Style } from "./computed-style.ts";

export type Clarity = "clear" | "unclear" | "none";

/** Contrast (WCAG 2.2) below which letters melt into what is behind them, and that of large letters. */
const contrastMin = 1.5;
const largeContrastMin = 1.3;
const largeSize = 18;
/** Below this contrast letters are surely not seen. */
const noContrast = 1.15;
/** Of thin letters, which are drawn in a colour between theirs and that behind them. */
const thinContrastMin = 3;
/** Pixels of light letters whose strokes are a pixel wide. */
const lightLeast = 14;
/** Pixels of an outline that is surely drawn. */
const strokeMin = 0.5;
export function isDistinct(one: Colour, other: Colour, least = contrastMin): boolean {
  const [a, b] = [luminance(one), luminance(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) >= least;
}

function luminance([red, green, blue]: Colour): number {
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

/** Of a channel from 0 to 255; colours between two others are taken for the nearest whole one. */
function linear(value: number): number {
  return linearOf[Math.round(value)]!;
}

function toLinear(value: number): number {
  return value <= 10.31 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4;
}

const linearOf: readonly number[] = Array.from({ length: 256 }, (_, value) => toLinear(value));

/** "clear": every colour of the letters differs from each that may be behind. "none": from none of them. */
type Inked = Pick<
  Style,
  | "colour"
  | "visitedColour"
  | "fill"
  | "stroke"
  | "strokeWidth"
  | "shownThrough"
  | "backdrops"
  | "isThin"
  | "isHairline"
  | "opacity"
  | "fontSize"
  | "under"
>;

export function clarityOf(style: Inked, backdrops: readonly Colour[] = style.backdrops): Clarity {
  let isAll = true;
  let isAny = false;
  const least = style.fontSize >= largeSize ? largeContrastMin : contrastMin;
  for (const colour of style.visitedColour === undefined
    ? [style.colour]
    : [style.colour, style.visitedColour]) {
    const ink = style.fill ?? colour;
    const letters = style.shownThrough?.map((below) => over(ink, below)) ?? [ink];
    for (const behind of backdrops)
      for (const letter of letters) {
        const stroke = style.stroke ?? colour;
        if (isAll) isAll = isSeen(style, letter, behind, stroke, least);
        if (!isAny) isAny = isSeen(style, letter, behind, stroke, noContrast);
        if (style.isThin && isAll) isAll = isSeenThin(style, letter, behind, stroke, least);
      }
  }
  if (isAll) return "clear";
  return isAny ? "unclear" : "none";
}

/** A stroke of a light face takes 0.06 em: a pixel, which may lie on two, so each has half of its colour. */
function isSeenThin(style: Inked, letter: Colour, behind: Colour, stroke: Colour, least: number): boolean {
  const isLight = !style.isHairline && style.fontSize >= lightLeast;
  return isLight
    ? isSeen(style, mix(over(letter, behind), behind, 0.5), behind, stroke, least)
    : isSeen(style, letter, behind, stroke, thinContrastMin);
}

function isSeen(
  { opacity, under, strokeWidth }: Inked,
  letter: Colour,
  behind: Colour,
  stroke: Colour,
  least: number,
): boolean {
  const inside = over(letter, behind);
  if (opacity >= 1 && strokeWidth <= 0) return isDistinct(inside, behind, least);
  // The outline is drawn over the letter: it is seen, or it leaves the letter as it is. A thin one may do neither.
  const shown = [
    ...(strokeWidth < strokeMin ? [inside] : []),
    ...(strokeWidth > 0 ? [over(stroke, behind)] : []),
  ];
  if (opacity >= 1) return shown.every((one) => isDistinct(one, behind, least));
  return shown.every((one) =>
    under.every((below) => isDistinct(mix(one, below, opacity), mix(behind, below, opacity), least)),
  );
}

/** The colour that is mixed into another by its share. */
export function mix(top: Colour, under: Colour, opacity: number): Colour {
  return over([top[0], top[1], top[2], 1], under, opacity);
}

/** Sets stay small: more colours than that are taken for not known. */
export const coloursMax = 48;

export function union(one: readonly Colour[], other: readonly Colour[]): readonly Colour[] {
  if (other.every((colour) => holds(one, colour))) return one;
  const all = [...one];
  for (const colour of other) if (!holds(all, colour)) all.push(colour);
  return all;
}

export function holds(colours: readonly Colour[], [red, green, blue]: Colour): boolean {
  for (const one of colours)
    if (Math.abs(one[0] - red) < 1 && Math.abs(one[1] - green) < 1 && Math.abs(one[2] - blue) < 1)
      return true;
  return false;
}
