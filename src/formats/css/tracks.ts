/** The columns of a grid (css-grid-2 section 7.2): which of them grow with what they hold, and how wide the others are. */
import { asciiLower } from "./ascii-case.ts";
import { type LengthBasis, lengthOf } from "./length.ts";
import { insideOf, splitByComma } from "./tokens.ts";
import { componentsOf, type Value, wordOf } from "./value-forms.ts";

/** A column that grows, or one of this width. */
export type Track = "grows" | { readonly px: number; readonly share: number };

const growing = new Set(["auto", "min-content", "max-content"]);
const columnsMost = 24;
/** Columns of a grid that repeats them as often as there is room count as so many. */
const repeatedMost = 12;

/** undefined for a value that is not understood. */
export function tracksOf(value: Value, basis: LengthBasis): readonly Track[] | undefined {
  if (wordOf(value) === "none") return [];
  const tracks: Track[] = [];
  for (const part of componentsOf(value)) {
    const [first] = part;
    if (first?.type === "function" && asciiLower(first.value) === "repeat") {
      const [times = [], list = []] = splitByComma(insideOf(part));
      const [count] = times;
      const isFilled = /^auto-fi(?:t|ll)$/.test(wordOf(times));
      const repeated = isFilled ? repeatedMost : count?.type === "number" ? count.number : 0;
      const inner = tracksOf(list, basis);
      if (inner === undefined || repeated < 1 || repeated * inner.length > columnsMost) return undefined;
      for (let time = 0; time < repeated; time++) tracks.push(...inner);
      continue;
    }
    const track = trackOf(part, basis);
    if (track === undefined) return undefined;
    tracks.push(track);
  }
  return tracks.length > 0 && tracks.length <= columnsMost ? tracks : undefined;
}

function trackOf(part: Value, basis: LengthBasis): Track | undefined {
  if (growing.has(wordOf(part))) return "grows";
  const [token] = part;
  if (token?.type === "function") {
    const name = asciiLower(token.value);
    if (name === "fit-content") return "grows";
    if (name !== "minmax") return undefined;
    const [least = []] = splitByComma(insideOf(part));
    // Only a length or a share is a least width in which content may not fit.
    return trackOf(least, basis);
  }
  if (token?.type === "dimension" && token.unit === "fr") return token.number > 0 ? "grows" : undefined;
  if (token?.type === "percent") return { px: 0, share: token.number / 100 };
  const px = lengthOf(part, basis);
  return px === undefined || px < 0 ? undefined : { px, share: 0 };
}
