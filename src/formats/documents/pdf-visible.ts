/** Which text of a page of a PDF a person sees. A text is given if it lies on the page, is not cut, is of a readable size, differs in
 *  colour from all that may be behind it, and nothing is painted over it. What cannot be told is doubtful: text on pictures, text that
 *  nobody is shown over a picture of the page (a scan that was read by a program), cuts that are no boxes, masks, fonts of drawings. */
import { isDistinct } from "#/src/formats/html/contrast.ts";
import type { Doubt, Removal } from "#/src/model/removal.ts";
import { type Box, intersection } from "./pdf-geometry.ts";
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
/** A paint that lets so much through hides no letters. */
const thinAlpha = 0.5;
/** A line of this share of an em hides no letters, if it is alone. */
const thinLine = 0.15;
const thinLinesMax = 3;
/** A picture of this share of the page is a picture of the page. */
const scanShare = 0.5;
/** Letters may reach so many points over an edge. */
const edge = 1.5;
/** Comparisons of pieces of text with what is painted, for a page. */
const comparisonsMax = 30_000_000;

/** Judges each item of a page. `view`: left, bottom, right and top of what is shown of the page. */
export function judgeItems(
  items: readonly TextItem[],
  page: PagePaint,
  view: readonly number[],
): readonly Seen[] {
  const { runs, paints } = page;
  if (runs.length * (paints.length + items.length) > comparisonsMax)
    return items.map(() => ({ why: "whole-document" }));
  const shown = { left: view[0]!, bottom: view[1]!, right: view[2]!, top: view[3]! };
  const isScan = paints.some(
    ({ kind, box }) => kind === "picture" && area(intersection(box, shown)) >= scanShare * area(shown),
  );
  const verdicts = runs.map((run) => verdictOf(run, paints, shown, isScan));
  return items.map((item) => (item.str.trim() === "" ? "visible" : itemVerdict(item, runs, verdicts)));
}

/** An item is made of the runs that lie along it. It is visible if all of them are, and if its letters are among theirs. */
function itemVerdict(item: TextItem, runs: readonly TextRun[], verdicts: readonly Seen[]): Seen {
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
    for (const letter of run.text.normalize("NFKC")) letters.add(letter);
  }
  const isWhole = [...item.str.normalize("NFKC")].every(
    (letter) => letter.trim() === "" || letters.has(letter),
  );
  return isWhole ? "visible" : { why: "style-not-understood" };
}

function verdictOf(run: TextRun, paints: readonly Paint[], shown: Box, isScan: boolean): Seen {
  if (run.isLayerOff) return "hidden-element";
  if (run.mode === 3 || run.mode === 7) return isScan ? { why: "font-of-signs" } : "hidden-by-style";
  if (run.size < leastSize) return "zero-size-text";
  if (run.alpha < leastAlpha) return "hidden-by-style";
  if (intersection(run.box, shown) === undefined) return "off-screen";
  if (intersection(run.box, run.clip) === undefined) return "hidden-by-style";
  if (!isInside(run.box, shown)) return { why: "may-be-off-screen" };
  if (!isInside(run.box, run.clip)) return { why: "may-be-cut-off" };
  if (run.isUnclear || run.isSqueezed) return { why: "style-not-understood" };
  if (run.colour === undefined || run.alpha < clearAlpha) return { why: "colours-may-match" };
  return coverOf(run, paints) ?? backdropOf(run, run.colour, paints);
}

/** What is painted over the text later. */
function coverOf(run: TextRun, paints: readonly Paint[]): Seen | undefined {
  let lines = 0;
  for (const one of paints) {
    if (one.at <= run.at || one.alpha <= thinAlpha) continue;
    const over = intersection(one.box, run.box);
    if (over === undefined) continue;
    if (one.kind === "line" && one.size <= thinLine * run.size && ++lines <= thinLinesMax) continue;
    // Letters that are printed twice, to look bold.
    if (one.kind === "text" && (one.text === run.text || area(over) < 0.2 * area(run.box))) continue;
    if (one.kind === "fill" && thinness(one.box) <= thinLine * run.size && ++lines <= thinLinesMax) continue;
    const isWhole = one.isWhole && isInside(run.box, one.box);
    return isWhole ? "hidden-by-style" : { why: "may-be-covered" };
  }
  return undefined;
}

/** Whether the letters differ from all that may be behind them. */
function backdropOf(run: TextRun, colour: string, paints: readonly Paint[]): Seen {
  const behind: string[] = [];
  let isPaper = true;
  for (let index = paints.length - 1; index >= 0; index--) {
    const one = paints[index]!;
    if (one.at >= run.at || intersection(one.box, run.box) === undefined) continue;
    if (one.kind === "line" && one.size <= thinLine * run.size) continue;
    if (one.kind === "text" && one.size <= 1.5 * run.size) continue;
    if (one.colour === undefined) return { why: "colours-may-match" };
    behind.push(one.colour);
    if (one.alpha < 1) behind.push(mixed(one.colour, one.alpha));
    if (one.isWhole && one.alpha === 1 && isInside(run.box, one.box)) {
      isPaper = false;
      break;
    }
  }
  if (isPaper) behind.push("#ffffff");
  const least = run.size >= 18 ? 1.3 : 1.5;
  const distinct = behind.filter((one) => isDistinct(channels(colour), channels(one), least)).length;
  if (distinct === behind.length) return "visible";
  return distinct === 0 ? "invisible-colour" : { why: "colours-may-match" };
}

function channels(colour: string): [number, number, number, number] {
  const at = (from: number): number => Number.parseInt(colour.slice(from, from + 2), 16);
  return [at(1), at(3), at(5), 1];
}

/** The colour on paper. */
function mixed(colour: string, alpha: number): string {
  const [red, green, blue] = channels(colour);
  return `#${[red, green, blue]
    .map((one) =>
      Math.round(one * alpha + 255 * (1 - alpha))
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
