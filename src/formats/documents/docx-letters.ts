/** Whether a person sees letters of a Word document: hidden, doubtful, or undefined for those that are seen. */
import { isDistinct } from "#/src/formats/html/contrast.ts";
import type { Doubt, Removal } from "#/src/model/removal.ts";
import type { Ground } from "./docx-covers.ts";
import type { LineForm } from "./docx-lines.ts";
import type { LetterProperties } from "./docx-style.ts";

export type Unseen = Exclude<Removal, "doubtful"> | { readonly why: Doubt };

/** Smallest font size that is read, in half points, and smallest width in per cent. */
const sizeMin = 6;
const widthMin = 33;
/** Letters that stand closer than so much of their size stand on each other. */
const condensedMost = 0.25;
/** Lines that are set in less than so many 240ths of their height stand on each other. */
const lineLeast = 150;
/** Points of a letter, of a line, and before or behind a paragraph: more of them leave a page. */
const heightMost = 400;
/** Half points over or under the line. */
const raiseMost = 80;
/** Twentieths of a point: indents of this much leave a page, of a paragraph or of a level of a list. */
export const indentMost = 8000;
export const outdentMost = 1500;
/** Where a tab or a column begins that may be on a page that lies on its side. */
export const acrossMost = 16_000;
/** Fonts of signs that come with programs, in small letters. */
const fontsOfSigns =
  /^(?:symbol|webdings|wingdings(?: [23])?|zapfdingbats|zapf dingbats|marlett|bookshelf symbol 7|mt extra|ms outlook|ms reference specialty)$/;

export interface Surroundings {
  readonly paper: readonly string[];
  /** They stand on a shape, whose colour does not decide whether letters without one are black. */
  readonly isOnShape: boolean;
  /** Fonts that the document brings along, in small letters, and names of the theme for such: they may draw anything. */
  readonly ownFonts: ReadonlySet<string>;
  /** A list of the document moves its paragraphs off the page. */
  readonly hasFarLists: boolean;
  /** Tabs without a stop of their own lead off the page. */
  readonly hasFarTabs: boolean;
}

/** Of letters with one of these sets of properties. */
export function unseenOf(possible: readonly LetterProperties[], around: Surroundings): Unseen | undefined {
  const verdicts = possible.map((one) => verdictOf(one, around));
  if (verdicts.every((one) => one === undefined)) return undefined;
  if (verdicts.every((one) => typeof one === "string")) return verdicts[0];
  return verdicts.find((one) => typeof one === "object") ?? { why: "rule-may-apply" };
}

function verdictOf(said: LetterProperties, around: Surroundings): Unseen | undefined {
  const { isVanished = false, halfPoints = 20, width = 100, spacing = 0, raise = 0 } = said;
  const { lowered = 1, capitals = 1, gap = 0 } = said;
  const size = Math.min(halfPoints, said.otherHalfPoints ?? halfPoints) * lowered * capitals;
  if (isVanished || said.isUnfilled === true) return "hidden-by-style";
  if (size < sizeMin || width < widthMin) return "zero-size-text";
  // Twentieths of a point against half points.
  if (spacing < -condensedMost * size * 10 || said.isFitted === true) return { why: "may-be-covered" };
  if (said.isExact === true && (said.line ?? 240) < 0.8 * halfPoints * 10) return { why: "may-be-cut-off" };
  // A line of an exact height cuts what is raised out of it.
  if (said.isExact === true && (said.line ?? 240) < 5 * halfPoints + 10 * Math.abs(raise))
    return { why: "may-be-cut-off" };
  if (Math.max(halfPoints / 2, linePoints([said]), gap / 20) > heightMost)
    return { why: "may-be-off-screen" };
  if (said.isExact !== true && said.isAtLeast !== true && (said.line ?? 240) < lineLeast)
    return { why: "may-be-covered" };
  if (Math.abs(raise) > raiseMost) return { why: "may-be-off-screen" };
  if (isIndentedAway(said) || (said.isNumbered === true && around.hasFarLists))
    return { why: "may-be-off-screen" };
  if (said.isTabbed === true && (around.hasFarTabs || isAcross(said.tabStop)))
    return { why: "may-be-off-screen" };
  if (said.frame !== undefined) return { why: said.frame };
  const { asciiFont, hAnsiFont, csFont, eastAsiaFont } = said;
  if ([asciiFont, hAnsiFont, csFont, eastAsiaFont].some((font) => isOfSigns(font, around.ownFonts)))
    return { why: "font-of-signs" };
  if (said.isUnclear === true) return { why: "element-not-understood" };
  if (said.isFilledUnclearly === true) return { why: "colours-may-match" };
  const differs = contrasts(said, around);
  if (differs.every(Boolean)) return undefined;
  return differs.some(Boolean) ? { why: "colours-may-match" } : "invisible-colour";
}

/** Points of the lines in which letters stand. */
export function linePoints(letters: readonly LetterProperties[]): number {
  return Math.max(
    ...letters.map(({ halfPoints = 20, line = 240, isExact, isAtLeast }) => {
      if (isExact === true) return line / 20;
      return isAtLeast === true
        ? Math.max(halfPoints / 2, line / 20)
        : (halfPoints / 2) * Math.max(1, line / 240);
    }),
  );
}

/** Of a line of such letters. */
export function lineForm(letters: readonly LetterProperties[]): LineForm {
  const most = (gaps: readonly (number | undefined)[]): number =>
    Math.max(...gaps.map((gap = 0) => gap)) / 20;
  return {
    points: linePoints(letters),
    before: most(letters.map(({ before }) => before)),
    after: most(letters.map(({ after }) => after)),
  };
}

/** Where letters begin, behind a tab or by their indent, of a cell that begins `across`, or at the right end of what they stand in. */
export function beginOf(
  { isTabbed, tabStop = 0, left = 0, first = 0, isAside }: LetterProperties,
  across: number,
  right: number | undefined,
): number {
  const end = isAside === true ? (right ?? 0) : 0;
  return Math.max(across + Math.max(isTabbed === true ? tabStop : 0, 0, left, left + first), end);
}

/** Points that letters stand left of the margin at most, or right of it at the end of a line. */
export function outOf({ left = 0, first = 0, right = 0, isAside }: LetterProperties): number {
  return Math.max(0, -left, -left - first, isAside === true ? -right : 0) / 20;
}

function isAcross(place = 0): boolean {
  return place > acrossMost || place < -outdentMost;
}

function isIndentedAway({ left = 0, right = 0, first = 0 }: LetterProperties): boolean {
  return (
    [left, right, left + right, left + first].some((one) => one > indentMost) ||
    [left, right, left + first].some((one) => one < -outdentMost)
  );
}

/** `font`: in small letters. */
export function isFontOfSigns(font: string): boolean {
  return fontsOfSigns.test(font);
}

function isOfSigns(font: string | undefined, own: ReadonlySet<string>): boolean {
  return font !== undefined && (isFontOfSigns(font) || own.has(font));
}

/** For each colour that the letters may have, and each that may be behind them, whether they differ. */
function contrasts(said: LetterProperties, { paper, isOnShape }: Surroundings): readonly boolean[] {
  const { colours = ["auto"], fills = paper, highlight = "" } = said;
  const behind = highlight === "" ? fills : [highlight];
  return colours.flatMap((colour) => {
    // Letters without a colour are black or white by what shades them, and black on a highlight.
    if (colour === "auto" && highlight === "" && (!isOnShape || said.fills !== undefined)) return [true];
    const drawn = colour === "auto" ? "000000" : colour;
    return behind.map((one) => isDistinct(channels(drawn), channels(one)));
  });
}

/** The colours of letters that have no ground of their own; undefined of others. `paper`: all that may be behind them. */
export function inksOf(
  possible: readonly LetterProperties[],
  paper: readonly string[],
): readonly string[] | undefined {
  const bare = possible.filter(({ fills, highlight = "" }) => fills === undefined && highlight === "");
  const automatic = paper.every((one) => one === "ffffff") ? ["000000"] : ["000000", "ffffff"];
  const inks = bare.flatMap(({ colours = ["auto"] }) =>
    colours.flatMap((one) => (one === "auto" ? automatic : [one])),
  );
  return inks.length === 0 ? undefined : [...new Set(inks)].sort();
}

export function differ(inks: readonly string[], ground: Ground): boolean {
  return (
    ground !== "any" && inks.every((ink) => ground.every((one) => isDistinct(channels(ink), channels(one))))
  );
}

function channels(colour: string): [number, number, number, number] {
  const at = (from: number): number => Number.parseInt(colour.slice(from, from + 2), 16);
  return [at(0), at(2), at(4), 1];
}

/** Letters with a ground of their own, and those of the colour of the paper, cover what is behind them. */
export function paintsOver({ fills, highlight = "" }: LetterProperties): boolean {
  return fills !== undefined || highlight !== "";
}

export function isOfColours(unseen: Unseen | undefined): boolean {
  return unseen === "invisible-colour" || (typeof unseen === "object" && unseen.why === "colours-may-match");
}
