/** Widths that depend on the content of a box, and percentages of a width. What such a box clips or lets overflow is not known
 *  from its declarations. */

import type { HtmlElement } from "#/src/formats/html/tree.ts";
import { initialValue } from "./computed-style.ts";
import { type Values, wordIn } from "./spaces.ts";

/** Whether the box grows with its content, whatever size is declared. */
export function isPartOfTable(display: string): boolean {
  return (display.startsWith("table") && display !== "table-caption") || display === "inline-table";
}

/** Whether the box is wrapped in an anonymous cell, which is as wide as its content, because its parent is a part of a table that
 *  is not a cell. */
export function isInOwnCell(display: string, parent: string): boolean {
  return (
    isPartOfTable(parent) && parent !== "table-cell" && !isPartOfTable(display) && display !== "table-caption"
  );
}

/** In percent: a box of at least this share of the width of its own content clips at most the edge of a glyph. */
export const wholeShare = 90;
/** In percent: below this share, no word is wider than its cell by more than this share. */
export const smallShare = 10;
export const sharesBeside = ["padding-left", "padding-right", "margin-left", "margin-right", "text-indent"];

/** Whether the box is as wide as its content, by its element or by its declared width. */
export function isFitted(values: Values, { name }: HtmlElement): boolean {
  const sizes = ["width", "min-width", "max-width"];
  return (
    name === "legend" || name === "button" || sizes.some((one) => wordIn(values, one).includes("content"))
  );
}

/** Whether the value has a percentage below `most`. */
export function isShareOf(values: Values, name: string, most = Number.POSITIVE_INFINITY): boolean {
  const value = values.get(name);
  return (
    value !== undefined &&
    value !== initialValue &&
    value.some((token) => token.type === "percent" && token.number < most)
  );
}
