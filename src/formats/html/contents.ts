/** What a box needs for its content, known when all of it was visited: the least width that it asks for, and the least height that it
 *  surely takes. Lengths are in CSS pixels. */
import { insideOf, isBound, isPartOfTable, outsideOf } from "./box.ts";
import { Columns } from "./demand.ts";
import { type Part, tableAround } from "./part.ts";
import { attributeOf } from "./tree.ts";
import type { Values } from "./values.ts";

/** The least height of a line of letters that can be read. */
export const lineLeast = 6.5;

/** `line`: the widest piece of its own lines that does not break. */
export function measureBox(part: Part, line: number, valuesOf: ReadonlyMap<Part, Values>): void {
  const { box, style, children } = part;
  const { display } = box;
  let most = line;
  let floats = 0;
  let row = 0;
  let rowHigh = 0;
  let high = 0;
  let hasLetters = false;
  for (const child of children) {
    if (child.text === undefined && !child.box.isInline)
      part.longest =
        display === "table-row"
          ? part.longest + child.longest + insideOf(child.box)
          : Math.max(part.longest, child.longest + insideOf(child.box));
    if (child.text !== undefined || child.box.isInline) {
      hasLetters ||= child.high > 0 || child.hasText;
      continue;
    }
    if (child.box.isOutOfFlow) continue;
    if (child.box.display === "table-cell" && display !== "table") {
      row += child.demand + style.spacing;
      rowHigh = Math.max(rowHigh, child.high);
      part.hasCells ||= children.length > 1;
    } else if (child.box.isFloat) floats += child.demand;
    else if (!child.box.display.startsWith("inline-")) {
      most = Math.max(most, child.demand);
      high += child.high;
    }
  }
  // Cells beside other content of a row get a cell of its own.
  most = display === "table-row" && row > 0 ? row + most : Math.max(most, row);
  if (display.endsWith("table") || /^table-.*group$/.test(display)) most = Math.max(most, columnsOf(part));
  // Floats stand beside lines that do not break.
  const content = Math.max(
    most,
    floats > 0 ? Math.max(...children.filter((one) => one.box.isFloat).map((one) => one.demand)) : 0,
  );
  part.content = part.keepsLines && floats > 0 ? Math.max(content, line + floats) : content;
  const { items } = box;
  if (items !== undefined) {
    const demands = children.flatMap((child) =>
      child.box.isOutOfFlow ? [] : [child.text === undefined ? demandOfItem(child) : line],
    );
    const widest = Math.max(items.widest, ...demands);
    const sum = demands.reduce((all, one) => all + one + items.gap, 0);
    part.content = items.isRow ? sum : widest * items.columns + items.gap * (items.columns - 1);
    // Only boxes below each other add up in height.
    if (items.isFitting || items.isRow) high = Math.max(0, ...children.map((child) => child.high));
  }
  const declared = Math.max(
    isPartOfTable(display) && !isInFixed(part, valuesOf)
      ? 0
      : box.width === undefined || isBound(box)
        ? 0
        : box.width.px,
    box.minWidth,
  );
  const inside = isPartOfTable(display) && display !== "table-cell" ? 0 : insideOf(box);
  part.demand = Math.max(part.content + inside, declared + (box.isBorderBox ? 0 : inside)) + outsideOf(box);
  // Borders that collapse are shared by cells, or none at all (CSS 2.2 section 17.6.2).
  const edges = display === "table-cell" ? 0 : box.border.top + box.border.bottom;
  const padding = /^table(?!-cell)/.test(display) ? 0 : box.padding.top + box.padding.bottom + edges;
  const letters = hasLetters && anyHigh(part) ? lineLeast : 0;
  // Parts of a table have no least height (CSS 2.2 section 10.7).
  const least = Math.max(box.height ?? 0, isPartOfTable(display) ? 0 : box.minHeight);
  part.high = children.some((child) => child.pull > 0)
    ? 0
    : Math.max(high + letters, rowHigh, box.maxHeight === undefined ? least : 0) + padding;
  if (box.maxHeight !== undefined) part.high = Math.min(part.high, box.maxHeight);
  if (box.height !== undefined && !isPartOfTable(display) && !display.endsWith("table"))
    part.high = Math.min(box.height, box.maxHeight ?? box.height);
  // Cells without a row stand beside each other in one.
  const isStray = display === "table-cell" && part.parent?.box.display !== "table-row";
  const isElsewhere = ["display", "float"].some((name) => valuesOf.get(part)?.isUnsure(name));
  if (box.isHeightShare || display === "contents" || isStray || isElsewhere) part.high = 0;
  if (box.isFloat || box.isOutOfFlow) part.high = 0;
}

function demandOfItem({ box, demand }: Part): number {
  return Math.max(demand, (box.basis?.size.px ?? 0) + insideOf(box) + outsideOf(box));
}

/** Columns of a table of fixed layout keep their width. */
function isInFixed(part: Part, valuesOf: ReadonlyMap<Part, Values>): boolean {
  if (part.box.display !== "table-cell") return false;
  const table = tableAround(part);
  return table !== undefined && valuesOf.get(table)?.word("table-layout") === "fixed";
}

/** Whether letters in its own lines surely take height. */
function anyHigh(part: Part): boolean {
  return part.children.some((child) =>
    child.text !== undefined ? child.high > 0 : child.box.isInline && anyHigh(child),
  );
}

function columnsOf(table: Part): number {
  const columns = new Columns();
  const rows = (holder: Part): void => {
    for (const child of holder.children) {
      if (/^table-.*group$/.test(child.box.display)) rows(child);
      else if (child.box.display === "table-row") {
        let spans = 0;
        const cells: (readonly [number, number])[] = [];
        for (const cell of child.children) {
          if (cell.box.display !== "table-cell") continue;
          const [wide, tall] = [spanOf(cell, "colspan"), spanOf(cell, "rowspan")];
          if (tall > 1) spans += cell.demand;
          cells.push([cell.demand + cell.style.spacing, wide]);
        }
        columns.row(cells, spans);
      }
    }
  };
  rows(table);
  return columns.sum + (columns.count > 0 ? table.style.spacing : 0);
}

function spanOf({ element }: Part, name: "colspan" | "rowspan"): number {
  const number = Number.parseInt(element === undefined ? "" : (attributeOf(element, name) ?? ""), 10);
  return number === 0 && name === "rowspan" ? 1000 : number > 1 ? Math.min(1000, number) : 1;
}
