/** Widths that go by what a box holds, and shares of a width: what is cut off or let out by them is not known from what is
 *  declared. */
import { initialValue } from "./computed-style.ts";
import { type Values, wordIn } from "./spaces.ts";
import type { HtmlElement } from "./tree.ts";

/** Boxes that grow with what they hold, whatever size is said. */
export function isPartOfTable(display: string): boolean {
  return (display.startsWith("table") && display !== "table-caption") || display === "inline-table";
}

/** A part of a table that is no cell wraps what is none in a cell of its own, which is as wide as what it holds. */
export function isInOwnCell(display: string, parent: string): boolean {
  return (
    isPartOfTable(parent) && parent !== "table-cell" && !isPartOfTable(display) && display !== "table-caption"
  );
}

/** Of so much of the width of its own content, nothing is cut off but the edge of a letter. */
export const wholeShare = 90;
/** Of less, no word is wider than its cell by more than that. */
export const smallShare = 10;
export const sharesBeside = ["padding-left", "padding-right", "margin-left", "margin-right", "text-indent"];

/** As wide as what it holds, by its name or its own width. */
export function isFitted(values: Values, { name }: HtmlElement): boolean {
  const sizes = ["width", "min-width", "max-width"];
  return (
    name === "legend" || name === "button" || sizes.some((one) => wordIn(values, one).includes("content"))
  );
}

/** Whether it is a share of what is around, below so many percent. */
export function isShareOf(values: Values, name: string, most = Number.POSITIVE_INFINITY): boolean {
  const value = values.get(name);
  return (
    value !== undefined &&
    value !== initialValue &&
    value.some((token) => token.type === "percent" && token.number < most)
  );
}
