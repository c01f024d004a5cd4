/** Which text of a page of a PDF a person sees. A text is given if it lies on the page, is not cut, is of a readable size, differs in
 *  colour from all that may be behind it, and nothing is painted over it. What cannot be told is doubtful: text on pictures, text that
 *  nobody is shown over a picture of the page (a scan that was read by a program), text that the edge of a cut meets, masks, fonts of
 *  drawings that are more than outlines. */
import { isDistinct } from "#/src/formats/html/contrast.ts";
import type { Doubt, Removal } from "#/src/model/removal.ts";
import { type Box, boxOf, intersection } from "./pdf-geometry.ts";
import type { LetterJudge } from "./pdf-letters.ts";
import type { PagePaint, Paint, TextRun } from "./pdf-painted.ts";
import { placeIn, type Shape } from "./pdf-shapes.ts";
import { channels, mixed } from "./pdf-state.ts";

export type Seen = "visible" | Exclude<Removal, "doubtful"> | { readonly why: Doubt };

/** Points of an em; smaller letters are not read. */
const leastSize = 3;
const leastAlpha = 0.1;
const clearAlpha = 0.4;
/** Paints that let so much through hide no letters. */
const thinAlpha = 0.5;
const wholeAlpha = 0.9;
/** Other letters over this share of a text may hide it; those beside it that have its colour may reach over more of a narrow one. */
const lettersOver = 0.2;
const alikeOver = 0.6;
/** A page is as long as so many ems at most, for letters that are read when all of it is shown. */
const sizesOfPage = 1200;
/** Letters that are looked at together, and how many different ones look like others. */
const oddAround = 10;
const oddLeast = 3;
/** A line of this share of an em is thin. Lines that have less together hide no letters, and so do lines straight across a word of this share
 *  of its length. */
const thinLine = 0.15;
const thinAlong = 0.2;
const thinAcross = 0.05;
/** A picture of this share of the page is a picture of the page. */
const scanShare = 0.5;
/** Letters may reach so many points over an edge. */
const edge = 1.5;
/** Comparisons of pieces of text with what is painted, for a page. */
const comparisonsMax = 30_000_000;
/** Pieces of shapes that boxes are compared with, for a page. */
const piecesMax = 50_000_000;
/** Units that a band of a page is high, and bands of a paint that is in all of them. */
const bandHeight = 24;
const bandsMost = 40;

export interface PageView {
  /** Left, bottom, right and top of what is shown of the page. */
  readonly view: readonly number[];
  /** Points of a unit of the page. */
  readonly unit: number;
  /** Places of annotations that programs may paint. */
  readonly annotated: readonly Paint[];
  readonly letters: LetterJudge;
}

/** Of each piece of text, whether a person sees it. */
export function judgeRuns({ runs, paints: painted }: PagePaint, view: PageView): readonly Seen[] {
  const near = nearness([...painted, ...view.annotated]);
  for (const { font, letters } of runs)
    if (font !== undefined) for (const letter of letters) view.letters.note(font, letter);
  const shown = boxOf(view.view);
  const isScan = painted.some(
    ({ kind, box }) => kind === "picture" && area(intersection(box, shown)) >= scanShare * area(shown),
  );
  const least = Math.max(
    leastSize / view.unit,
    Math.max(shown.right - shown.left, shown.top - shown.bottom) / sizesOfPage,
  );
  const odd = runsOfOddLetters(runs, view.letters);
  const work: Work = { pieces: 0 };
  let compared = 0;
  return runs.map((run): Seen => {
    if (compared > comparisonsMax || work.pieces > piecesMax) return tooMuch;
    const paints = near(run.box);
    compared += paints.length;
    const verdict = verdictOf(run, paints, { shown, isScan, least, letters: view.letters, work });
    return verdict === "visible" && odd.has(run) ? { why: "font-of-signs" } : verdict;
  });
}

/** Finds the paints that a box may touch, in their order. */
function nearness(paints: readonly Paint[]): (box: Box) => readonly Paint[] {
  const bands = new Map<number, Paint[]>();
  const tall: Paint[] = [];
  const bandOf = (y: number): number => Math.floor(y / bandHeight);
  for (const paint of paints) {
    const [from, to] = [bandOf(paint.box.bottom), bandOf(paint.box.top)];
    if (!(to - from < bandsMost)) tall.push(paint);
    else
      for (let band = from; band <= to; band++) {
        const all = bands.get(band);
        if (all === undefined) bands.set(band, [paint]);
        else all.push(paint);
      }
  }
  return (box) => {
    const found = new Set(tall);
    const [from, to] = [bandOf(box.bottom), bandOf(box.top)];
    if (!(to - from < bandsMost)) return paints;
    for (let band = from; band <= to; band++)
      for (const paint of bands.get(band) ?? []) if (touches(paint.box, box)) found.add(paint);
    return [...found].sort((one, other) => (one.at === other.at ? 0 : one.at - other.at));
  };
}

function touches(one: Box, other: Box): boolean {
  return one.left < other.right && other.left < one.right && one.bottom < other.top && other.bottom < one.top;
}

/** Runs with letters that look like others where most letters around do so: each of many fonts may have one. */
function runsOfOddLetters(runs: readonly TextRun[], judge: LetterJudge): ReadonlySet<TextRun> {
  const all = runs.flatMap((run) => {
    const { font } = run;
    return font === undefined
      ? []
      : run.letters.map((letter) => ({ run, said: letter.unicode, isOdd: judge.isOdd(font, letter) }));
  });
  const found = new Set<TextRun>();
  for (let from = 0; from < all.length; from++) {
    if (!all[from]!.isOdd) continue;
    const near = all.slice(from, from + oddAround).filter(({ isOdd }) => isOdd);
    if (near.length <= Math.min(oddAround, all.length - from) / 2) continue;
    if (new Set(near.map(({ said }) => said)).size < oddLeast) continue;
    for (const { run } of near) found.add(run);
  }
  return found;
}

const tooMuch: Seen = { why: "whole-document" };

/** Pieces of shapes that were compared so far. */
interface Work {
  pieces: number;
}

interface Facts {
  readonly work: Work;
  readonly shown: Box;
  readonly isScan: boolean;
  /** Units of an em that is read. */
  readonly least: number;
  readonly letters: LetterJudge;
}

function verdictOf(
  run: TextRun,
  paints: readonly Paint[],
  { shown, isScan, least, letters, work }: Facts,
): Seen {
  if (run.isLayerOff) return "hidden-element";
  if (run.mode === 3 || run.mode === 7) return isScan ? { why: "font-of-signs" } : "hidden-by-style";
  if (run.size < least) return "zero-size-text";
  if (run.alpha < leastAlpha) return "hidden-by-style";
  if (intersection(run.box, shown) === undefined) return "off-screen";
  if (intersection(run.box, run.clip) === undefined) return "hidden-by-style";
  if (!isInside(run.box, shown)) return { why: "may-be-off-screen" };
  if (!isInside(run.box, run.clip)) return { why: "may-be-cut-off" };
  if (run.cuts.some((cut) => placeOf(cut, run.box, work) !== "inside")) return { why: "may-be-cut-off" };
  if (run.isUnclear || run.isDistorted) return { why: "style-not-understood" };
  if (run.colour === undefined || run.alpha < clearAlpha) return { why: "colours-may-match" };
  const cover = coverOf(run, paints, work);
  if (typeof cover !== "number") return cover;
  return unseenLetters(run, letters) ?? backdropOf(run, run.colour, cover, paints, work);
}

/** What the font draws for the letters. */
function unseenLetters({ font, letters }: TextRun, judge: LetterJudge): Seen | undefined {
  if (font === undefined) return undefined;
  const drawn = letters.map((letter) => judge.drawn(font, letter));
  if (drawn.every((one) => one === "as-said") && !font.isOfSigns) return undefined;
  return drawn.every((one) => one === "not-drawn") ? "hidden-by-style" : { why: "font-of-signs" };
}

function shareOver(letters: Paint, run: TextRun): number {
  return letters.colour === run.colour ? alikeOver : lettersOver;
}

/** What is painted over the text later. A number: so much of the text is seen through it. */
function coverOf(run: TextRun, paints: readonly Paint[], work: Work): Seen | number {
  const areThin = thinLines(run);
  let through = 1;
  let overLetters = 0;
  for (const one of paints) {
    if (one.at <= run.at) continue;
    if (work.pieces > piecesMax) return tooMuch;
    if (one.at === Number.POSITIVE_INFINITY && one.annotation === run.annotation) continue;
    const over = intersection(one.box, run.box);
    if (over === undefined || isElsewhere(one, run.box, work)) continue;
    if (!run.inks.some((ink) => touches(ink, one.box) && !isElsewhere(one, ink, work))) continue;
    if (areThin(one)) continue;
    if (one.kind === "text") {
      // Letters that are printed twice, to look bold.
      if (one.text === run.text && one.colour === run.colour) continue;
      overLetters += area(over);
      if (overLetters < shareOver(one, run) * area(run.box)) continue;
    }
    through *= 1 - one.alpha;
    if (through >= thinAlpha) continue;
    return isBehind(run.box, one, work) && one.alpha >= wholeAlpha
      ? "hidden-by-style"
      : { why: "may-be-covered" };
  }
  return through;
}

/** Of one paint after the other, whether it is a thin line, and all of them together hide no letters. */
function thinLines(run: TextRun): (paint: Paint) => boolean {
  let along = 0;
  let across = 0;
  return (paint) => {
    const line = thinOf(paint, run);
    if (line === undefined) return false;
    if (line.isAcross) across += line.size;
    else along += line.size;
    return line.isAcross ? across <= thinAcross * lengthOf(run) : along <= thinAlong * run.size;
  };
}

/** Of a thin line or box: how thin, and whether it lies straight across the text. */
function thinOf(
  { kind, box, size }: Paint,
  run: TextRun,
): { readonly size: number; readonly isAcross: boolean } | undefined {
  if (kind !== "line" && kind !== "fill") return undefined;
  const thin = thinness(box);
  // A line that slants has a box that is not thin.
  const thick = kind === "fill" ? thin : thin > 2 * size ? 2 * size : Math.min(size, thin);
  if (thick > thinLine * run.size) return undefined;
  const isStraight = thin <= thinLine * run.size;
  const isLevel = box.right - box.left >= box.top - box.bottom;
  const [ux, uy] = run.along.map(Math.abs) as [number, number];
  return { size: thick, isAcross: isStraight && (isLevel ? uy : ux) > 0.99 };
}

function lengthOf({ from, to }: TextRun): number {
  return Math.hypot(to[0] - from[0], to[1] - from[1]);
}

/** A paint does not reach this box. */
function isElsewhere({ shape, cuts }: Paint, box: Box, work: Work): boolean {
  return (
    (shape !== undefined && placeOf(shape, box, work) === "outside") ||
    cuts.some((cut) => placeOf(cut, box, work) === "outside")
  );
}

function placeOf(shape: Shape, box: Box, work: Work): ReturnType<typeof placeIn> {
  work.pieces += shape.pieces.length;
  return placeIn(shape, box);
}

/** A paint fills all of this box. */
function isBehind(box: Box, { isWhole, shape, cuts, box: painted }: Paint, work: Work): boolean {
  const isFilled = isWhole
    ? isInside(box, painted)
    : shape !== undefined && placeOf(shape, box, work) === "inside";
  return isFilled && isInside(box, painted) && cuts.every((cut) => placeOf(cut, box, work) === "inside");
}

/** Colours that may be behind one text; of more it is not known whether it differs. */
const colourMost = 500;

/** Whether the letters differ from all that may be behind them. `through`: so much of both is seen. */
function backdropOf(
  run: TextRun,
  colour: string,
  through: number,
  paints: readonly Paint[],
  work: Work,
): Seen {
  const layers: { readonly colours: readonly string[]; readonly alpha: number; readonly isAll: boolean }[] =
    [];
  const areThin = thinLines(run);
  for (let index = paints.length - 1; index >= 0; index--) {
    const one = paints[index]!;
    if (one.at >= run.at || intersection(one.box, run.box) === undefined) continue;
    if (work.pieces > piecesMax) return tooMuch;
    if (isElsewhere(one, run.box, work)) continue;
    if (one.kind === "line") {
      const isOnLetters = run.inks.some((ink) => touches(ink, one.box));
      if (one.size <= thinLine * run.size && (!isOnLetters || areThin(one))) continue;
    }
    if (
      one.kind === "text" &&
      one.size <= 1.5 * run.size &&
      area(intersection(one.box, run.box)) < shareOver(one, run) * area(run.box)
    )
      continue;
    if (one.kind === "text" && one.text === run.text) continue;
    const colours = one.gradient?.colours ?? (one.colour === undefined ? undefined : [one.colour]);
    if (colours === undefined) return { why: "colours-may-match" };
    const isAll = isBehind(run.box, one, work);
    layers.push({ colours, alpha: one.alpha, isAll });
    if (one.alpha === 1 && isAll) break;
  }
  // From the lowest layer to the highest one, over paper.
  let behind: ReadonlySet<string> = new Set(["#ffffff"]);
  for (const { colours, alpha, isAll } of layers.toReversed()) {
    const under = alpha === 1 ? ["#ffffff"] : [...behind];
    const over = under.flatMap((one) => colours.map((each) => mixed(each, alpha, one)));
    behind = new Set(isAll ? over : [...behind, ...over]);
    if (behind.size > colourMost) return { why: "colours-may-match" };
  }
  const least = 1 + ((run.size >= 18 ? 1.3 : 1.5) - 1) / through;
  const distinct = [...behind].filter((one) =>
    isDistinct(channels(mixed(colour, run.alpha, one)), channels(one), least),
  ).length;
  if (distinct === behind.size) return "visible";
  return distinct === 0 ? "invisible-colour" : { why: "colours-may-match" };
}

function isInside(inner: Box, outer: Box): boolean {
  return (
    inner.left >= outer.left - edge &&
    inner.right <= outer.right + edge &&
    inner.bottom >= outer.bottom - edge &&
    inner.top <= outer.top + edge
  );
}

function thinness({ left, bottom, right, top }: Box): number {
  return Math.min(right - left, top - bottom);
}

function area(box: Box | undefined): number {
  return box === undefined ? 0 : (box.right - box.left) * (box.top - box.bottom);
}
