/** Boxes that lay out their children as items: flex containers from the left (H3) and grids without places (H31). Items never share a
 *  place. An item without a width of its own is never narrower than its widest piece (css-flexbox-1 section 4.5, css-grid-2 section
 *  6.6), and lines and rows grow with what they hold. Lengths are in CSS pixels. */
import { type LengthBasis, lengthOf } from "#/src/formats/css/length.ts";
import { tracksOf } from "#/src/formats/css/tracks.ts";
import { componentsOf, wordOf } from "#/src/formats/css/value-forms.ts";
import type { Values } from "./values.ts";

/** Pixels, and a share of the width of the box around. */
export interface Size {
  readonly px: number;
  readonly share: number;
}

/** How a container lays out its items. */
export interface Items {
  /** All items stand in one line, which does not break. */
  readonly isRow: boolean;
  /** Items are as wide as their content, and not as the container. */
  readonly isFitting: boolean;
  /** Columns of a grid. */
  readonly columns: number;
  /** As many columns as there is room for. */
  readonly isFilled: boolean;
  readonly gap: number;
  /** The narrowest column that does not grow with what it holds, and the width of the widest. */
  readonly track: Size | undefined;
  readonly widest: number;
}

/** What an item asks for in a line of a flex container. */
export interface Basis {
  readonly size: Size;
  /** It does not get smaller where the line is full. */
  readonly keeps: boolean;
}

function isItemHolder(display: string): boolean {
  return /^(?:inline-)?(?:flex|grid)$/.test(display);
}

export function itemsOf(display: string, values: Values, basis: LengthBasis): Items | undefined {
  if (!isItemHolder(display)) return undefined;
  const gap = Math.max(
    0,
    ...gapNames.flatMap((name) =>
      componentsOf(values.get(name) ?? []).map((part) => lengthOf(part, basis) ?? 0),
    ),
  );
  if (display.endsWith("grid")) {
    const value = values.get("grid-template-columns");
    const tracks = value === undefined ? undefined : tracksOf(value, basis);
    const fixed = (tracks ?? []).filter((one) => one !== "grows");
    const least = (key: "px" | "share"): number => Math.min(...fixed.map((one) => one[key]));
    return {
      isRow: false,
      isFitting: (tracks?.length ?? 1) > 1,
      columns: Math.max(1, tracks?.length ?? 1),
      isFilled: value?.some((token) => token.type === "ident" && filled.test(token.value)) ?? false,
      gap,
      widest: Math.max(0, ...fixed.map(({ px }) => px)),
      track: fixed.length === 0 ? undefined : { px: least("px"), share: least("share") },
    };
  }
  const flow = [values.word("flex-direction"), ...componentsOf(values.get("flex-flow") ?? []).map(wordOf)];
  const isColumn = flow.includes("column");
  const isWrapped = values.word("flex-wrap") === "wrap" || flow.includes("wrap");
  const across = values.word("align-items");
  const isRow = !isColumn && !(isWrapped && !values.isUnsure("flex-wrap") && !values.isUnsure("flex-flow"));
  const isStretched = isColumn && ["", "normal", "stretch"].includes(across);
  return { isRow, isFitting: !isStretched, columns: 1, isFilled: false, gap, track: undefined, widest: 0 };
}

export const gapNames = ["gap", "row-gap", "column-gap", "grid-gap", "grid-row-gap", "grid-column-gap"];

const filled = /^auto-fi(?:t|ll)$/i;

export function basisOfItem(values: Values, basis: LengthBasis): Basis | undefined {
  if (!["flex", "flex-basis", "flex-shrink"].some((name) => values.has(name))) return undefined;
  const parts = componentsOf(values.get("flex") ?? []);
  let [px, share] = [0, 0];
  for (const part of [...parts, values.get("flex-basis") ?? []]) {
    const [token] = part;
    if (token?.type === "percent") share = Math.max(share, token.number / 100);
    else if (token?.type !== "number") px = Math.max(px, lengthOf(part, basis) ?? 0);
  }
  const numbers = parts.flatMap(([token]) => (token?.type === "number" ? [token.number] : []));
  const shrink = values.get("flex-shrink")?.[0];
  const keeps =
    numbers[1] === 0 ||
    parts.some((part) => wordOf(part) === "none") ||
    (shrink?.type === "number" && shrink.number === 0);
  return { size: { px, share }, keeps };
}
