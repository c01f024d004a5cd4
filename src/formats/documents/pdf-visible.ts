/** Which text of a page of a PDF a person sees. A text is given if it lies on the page, is not cut, is of a readable size, differs in
 *  colour from all that may be behind it, and nothing is painted over it. What cannot be told is doubtful: text on pictures, text that
 *  nobody is shown over a picture of the page (a scan that was read by a program), cuts that are no boxes, masks, fonts of drawings. */
import { isDistinct } from "#/src/formats/html/contrast.ts";
import type { Doubt, Removal } from "#/src/model/removal.ts";
import { type Box, boxOf, intersection } from "./pdf-geometry.ts";
import type { LetterJudge } from "./pdf-letters.ts";
import type { PagePaint, Paint, TextRun } from "./pdf-paint.ts";

export type Seen = "visible" | Exclude<Removal, "doubtful"> | { readonly why: Doubt };

/** A piece of text as pdf.js joins it. */
export interface TextItem {
  readonly str: string;
  readonly transform: readonly number[];
  readonly width: number;
  readonly height: number;
}

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
/** Letters of a page that are looked at to find those of an item. */
const lettersLookedMax = 500_000;
/** A line of this share of an em hides no letters, if it is alone. */
const thinLine = 0.15;
const thinLinesMax = 3;
/** A picture of this share of the page is a picture of the page. */
const scanShare = 0.5;
/** Letters may reach so many points over an edge. */
const edge = 1.5;
/** Comparisons of pieces of text with what is painted, for a page. */
const comparisonsMax = 30_000_000;

export interface PageView {
  /** Left, bottom, right and top of what is shown of the page. */
  readonly view: readonly number[];
  /** Points of a unit of the page. */
  readonly unit: number;
  /** Places of annotations that programs may paint. */
  readonly annotated: readonly Box[];
  readonly letters: LetterJudge;
}

export function judgeItems(items: readonly TextItem[], page: PagePaint, view: PageView): readonly Seen[] {
  const { runs } = page;
  const paints = [...page.paints, ...view.annotated.map(overAll)];
  if (runs.length * (paints.length + items.length) > comparisonsMax)
    return items.map(() => ({ why: "whole-document" }));
  for (const { font, letters } of runs)
    if (font !== undefined) for (const letter of letters) view.letters.note(font, letter);
  const shown = boxOf(view.view);
  const isScan = paints.some(
    ({ kind, box }) => kind === "picture" && area(intersection(box, shown)) >= scanShare * area(shown),
  );
  const least = Math.max(
    leastSize / view.unit,
    Math.max(shown.right - shown.left, shown.top - shown.bottom) / sizesOfPage,
  );
  const odd = runsOfOddLetters(runs, view.letters);
  const verdicts = runs.map((run): Seen => {
    const verdict = verdictOf(run, paints, { shown, isScan, least, letters: view.letters });
    return verdict === "visible" && odd.has(run) ? { why: "font-of-signs" } : verdict;
  });
  const inOrder = verdictsInOrder(items, runs, verdicts);
  return items.map((item, at) => {
    const verdict = inOrder[at]!;
    return verdict === "visible" && item.str.trim() !== "" ? inPlace(item, runs, verdicts) : verdict;
  });
}

function overAll(box: Box): Paint {
  return {
    kind: "picture",
    box,
    colour: undefined,
    alpha: 1,
    isWhole: false,
    at: Number.POSITIVE_INFINITY,
    size: 0,
  };
}

/** Letters of a text, each by itself, as all forms of the text have them. */
function lettersOf(text: string): readonly string[] {
  return [...text.normalize("NFKD")].filter((letter) => letter.trim() !== "" && !/\p{Cf}/u.test(letter));
}

/** Items have the letters of the runs, in their order, except that the letters of one item may be turned around (of scripts that are written
 *  from right to left) and that runs may be in no item. An item is as visible as all runs whose letters it has. */
function verdictsInOrder(
  items: readonly TextItem[],
  runs: readonly TextRun[],
  verdicts: readonly Seen[],
): readonly Seen[] {
  const letters: string[] = [];
  const owners: number[] = [];
  for (const [at, run] of runs.entries())
    for (const letter of lettersOf(run.text)) {
      letters.push(letter);
      owners.push(at);
    }
  let at = 0;
  let looked = 0;
  return items.map(({ str }) => {
    const wanted = lettersOf(str);
    if (wanted.length === 0) return "visible";
    const missing = new Map<string, number>();
    const count = (letter: string | undefined, by: number): void => {
      if (letter === undefined) return;
      const now = (missing.get(letter) ?? 0) + by;
      if (now === 0) missing.delete(letter);
      else missing.set(letter, now);
    };
    for (const letter of wanted) count(letter, 1);
    for (let to = at; to < at + wanted.length; to++) count(letters[to], -1);
    for (let from = at; from + wanted.length <= letters.length; from++) {
      if (missing.size === 0) {
        at = from + wanted.length;
        const seen = new Set(owners.slice(from, at));
        return verdicts[[...seen].find((owner) => verdicts[owner] !== "visible") ?? owners[from]!]!;
      }
      if (++looked > lettersLookedMax) break;
      count(letters[from], 1);
      count(letters[from + wanted.length], -1);
    }
    return { why: "order-may-differ" };
  });
}

/** Whether all runs along an item are visible. */
function inPlace(item: TextItem, runs: readonly TextRun[], verdicts: readonly Seen[]): Seen {
  const [a = 1, b = 0, , , x = 0, y = 0] = item.transform;
  const length = Math.hypot(a, b) || 1;
  const [ux, uy] = [a / length, b / length];
  const along = ([px, py]: readonly [number, number]): number => (px - x) * ux + (py - y) * uy;
  const beside = ([px, py]: readonly [number, number]): number => Math.abs((py - y) * ux - (px - x) * uy);
  const tall = Math.max(item.height, length);
  const letters = new Set<string>();
  for (const [at, run] of runs.entries()) {
    if (beside(run.from) > 0.5 * tall) continue;
    const [one, other] = [along(run.from), along(run.to)];
    const shared = Math.min(Math.max(one, other), item.width) - Math.max(Math.min(one, other), 0);
    if (shared <= 0.02 * Math.min(Math.abs(other - one), item.width)) continue;
    const verdict = verdicts[at]!;
    if (verdict !== "visible") return verdict;
    for (const letter of lettersOf(run.text)) letters.add(letter);
  }
  return lettersOf(item.str).every((letter) => letters.has(letter))
    ? "visible"
    : { why: "style-not-understood" };
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

interface Facts {
  readonly shown: Box;
  readonly isScan: boolean;
  /** Units of an em that is read. */
  readonly least: number;
  readonly letters: LetterJudge;
}

function verdictOf(run: TextRun, paints: readonly Paint[], { shown, isScan, least, letters }: Facts): Seen {
  if (run.isLayerOff) return "hidden-element";
  if (run.mode === 3 || run.mode === 7) return isScan ? { why: "font-of-signs" } : "hidden-by-style";
  if (run.size < least) return "zero-size-text";
  if (run.alpha < leastAlpha) return "hidden-by-style";
  if (intersection(run.box, shown) === undefined) return "off-screen";
  if (intersection(run.box, run.clip) === undefined) return "hidden-by-style";
  if (!isInside(run.box, shown)) return { why: "may-be-off-screen" };
  if (!isInside(run.box, run.clip)) return { why: "may-be-cut-off" };
  if (run.isUnclear || run.isDistorted) return { why: "style-not-understood" };
  if (run.colour === undefined || run.alpha < clearAlpha) return { why: "colours-may-match" };
  const cover = coverOf(run, paints);
  if (typeof cover !== "number") return cover;
  return unseenLetters(run, letters) ?? backdropOf(run, run.colour, cover, paints);
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
function coverOf(run: TextRun, paints: readonly Paint[]): Seen | number {
  let lines = 0;
  let through = 1;
  let overLetters = 0;
  for (const one of paints) {
    if (one.at <= run.at) continue;
    const over = intersection(one.box, run.box);
    if (over === undefined) continue;
    if (one.kind === "line" && one.size <= thinLine * run.size && ++lines <= thinLinesMax) continue;
    if (one.kind === "fill" && thinness(one.box) <= thinLine * run.size && ++lines <= thinLinesMax) continue;
    if (one.kind === "text") {
      // Letters that are printed twice, to look bold.
      if (one.text === run.text && one.colour === run.colour) continue;
      overLetters += area(over);
      if (overLetters < shareOver(one, run) * area(run.box)) continue;
    }
    through *= 1 - one.alpha;
    if (through >= thinAlpha) continue;
    const isWhole = one.isWhole && isInside(run.box, one.box);
    return isWhole && one.alpha >= wholeAlpha ? "hidden-by-style" : { why: "may-be-covered" };
  }
  return through;
}

/** Whether the letters differ from all that may be behind them. `through`: so much of both is seen. */
function backdropOf(run: TextRun, colour: string, through: number, paints: readonly Paint[]): Seen {
  const behind: string[] = [];
  let isPaper = true;
  for (let index = paints.length - 1; index >= 0; index--) {
    const one = paints[index]!;
    if (one.at >= run.at || intersection(one.box, run.box) === undefined) continue;
    if (one.kind === "line" && one.size <= thinLine * run.size) continue;
    if (
      one.kind === "text" &&
      one.size <= 1.5 * run.size &&
      area(intersection(one.box, run.box)) < shareOver(one, run) * area(run.box)
    )
      continue;
    if (one.kind === "text" && one.text === run.text) continue;
    if (one.colour === undefined) return { why: "colours-may-match" };
    behind.push(one.colour);
    if (one.alpha < 1) behind.push(mixed(one.colour, one.alpha, "#ffffff"));
    if (one.isWhole && one.alpha === 1 && isInside(run.box, one.box)) {
      isPaper = false;
      break;
    }
  }
  if (isPaper) behind.push("#ffffff");
  const least = 1 + ((run.size >= 18 ? 1.3 : 1.5) - 1) / through;
  const distinct = behind.filter((one) =>
    isDistinct(channels(mixed(colour, run.alpha, one)), channels(one), least),
  ).length;
  if (distinct === behind.length) return "visible";
  return distinct === 0 ? "invisible-colour" : { why: "colours-may-match" };
}

function channels(colour: string): [number, number, number, number] {
  const at = (from: number): number => Number.parseInt(colour.slice(from, from + 2), 16);
  return [at(1), at(3), at(5), 1];
}

/** A colour on another one. */
function mixed(colour: string, alpha: number, behind: string): string {
  const under = channels(behind);
  return `#${channels(colour)
    .slice(0, 3)
    .map((one, at) =>
      Math.round(one * alpha + under[at]! * (1 - alpha))
        .toString(16)
        .padStart(2, "0"),
    )
    .join("")}`;
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
