/** Whether a person sees letters of a Word document: hidden, doubtful, or undefined for those that are seen. */
import { isDistinct } from "#/src/formats/html/contrast.ts";
import type { Doubt, Removal } from "#/src/model/removal.ts";
import type { LetterProperties } from "./docx-style.ts";

export type Unseen = Exclude<Removal, "doubtful"> | { readonly why: Doubt };

/** Smallest font size that is read, in half points, and smallest width in per cent. */
const sizeMin = 6;
const widthMin = 33;
/** Letters that stand closer than so much of their size stand on each other. */
const condensedMost = 0.25;
/** Half points over or under the line. */
const raiseMost = 80;
/** Twentieths of a point: indents of this much leave a page. */
const indentMost = 8000;
const outdentMost = 1500;

/** Of letters with one of these sets of properties. `isOnShape`: they stand on a shape, whose colour does not decide whether letters
 *  without one are black. */
export function unseenOf(
  possible: readonly LetterProperties[],
  paper: readonly string[],
  isOnShape: boolean,
): Unseen | undefined {
  const verdicts = possible.map((one) => verdictOf(one, paper, isOnShape));
  if (verdicts.every((one) => one === undefined)) return undefined;
  if (verdicts.every((one) => typeof one === "string")) return verdicts[0];
  return verdicts.find((one) => typeof one === "object") ?? { why: "rule-may-apply" };
}

function verdictOf(said: LetterProperties, paper: readonly string[], isOnShape: boolean): Unseen | undefined {
  const { isVanished = false, halfPoints = 20, width = 100, spacing = 0, raise = 0 } = said;
  if (isVanished || said.isUnfilled === true) return "hidden-by-style";
  if (halfPoints < sizeMin || width < widthMin) return "zero-size-text";
  // Twentieths of a point against half points.
  if (spacing < -condensedMost * halfPoints * 10) return { why: "may-be-covered" };
  if (said.exactLine !== undefined && said.exactLine < 0.8 * halfPoints * 10)
    return { why: "may-be-cut-off" };
  if (Math.abs(raise) > raiseMost) return { why: "may-be-off-screen" };
  const indents = said.indents ?? [];
  if (indents.some((one) => one > indentMost || one < -outdentMost)) return { why: "may-be-off-screen" };
  if (said.isFilledUnclearly === true) return { why: "colours-may-match" };
  const differs = contrasts(said, paper, isOnShape);
  if (differs.every(Boolean)) return undefined;
  return differs.some(Boolean) ? { why: "colours-may-match" } : "invisible-colour";
}

/** For each colour that the letters may have, and each that may be behind them, whether they differ. */
function contrasts(said: LetterProperties, paper: readonly string[], isOnShape: boolean): readonly boolean[] {
  const { colours = ["auto"], fills = paper, highlight = "" } = said;
  const behind = highlight === "" ? fills : [highlight];
  return colours.flatMap((colour) => {
    // Letters without a colour are black or white by what shades them, and black on a highlight.
    if (colour === "auto" && highlight === "" && (!isOnShape || said.fills !== undefined)) return [true];
    const drawn = colour === "auto" ? "000000" : colour;
    return behind.map((one) => isDistinct(channels(drawn), channels(one)));
  });
}

function channels(colour: string): [number, number, number, number] {
  const at = (from: number): number => Number.parseInt(colour.slice(from, from + 2), 16);
  return [at(0), at(2), at(4), 1];
}
