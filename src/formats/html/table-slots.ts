/** Cells that claim the same slot of a table lie on each other (HTML, "Forming a table"). */
import { attributeOf, type HtmlElement } from "./tree.ts";
import type { WorkMeter } from "./work-meter.ts";

const spanMax = 1000;

export function hasOverlappingCells(table: HtmlElement, meter: WorkMeter): boolean {
  const rows = rowsOf(table);
  if (!rows.some((row) => cellsOf(row).some((cell) => span(cell, "rowspan") !== 1))) return false;
  // How many more rows each column is taken for.
  let taken: number[] = [];
  for (const row of rows) {
    meter.spend(taken.length);
    const next = taken.map((left) => Math.max(0, left - 1));
    let column = 0;
    const filled = new Set<number>();
    for (const cell of cellsOf(row)) {
      const [wide, high] = [span(cell, "colspan"), span(cell, "rowspan")];
      // A slot costs a few times what a step does.
      meter.spend(8 * wide);
      while ((taken[column] ?? 0) > 0 || filled.has(column)) column++;
      for (let at = column; at < column + wide; at++) {
        if ((taken[at] ?? 0) > 0) return true;
        filled.add(at);
        next[at] = Math.max(0, high - 1);
      }
      column += wide;
    }
    taken = next;
  }
  return false;
}

/** Rows that are looked at; a table with more has columns. */
const rowsMax = 50;
const columned = new WeakMap<HtmlElement, boolean>();

/** Whether cells of the table that a cell stands in may stand beside each other: they share its width as they like. A cell
 *  outside of a table counts as such a one. */
export function hasColumns(cell: HtmlElement): boolean {
  let table = cell.parent;
  while (table !== undefined && /^t(?:r|body|head|foot)$/.test(table.name)) table = table.parent;
  if (table?.name !== "table") return true;
  let answer = columned.get(table);
  if (answer === undefined) {
    const rows = rowsOf(table);
    const own = childrenOf(table);
    answer =
      rows.length > rowsMax ||
      own.some(({ name }) => name === "col" || name === "colgroup") ||
      rows.some((row) => childrenOf(row).length > 1);
    columned.set(table, answer);
  }
  return answer;
}

export function rowsOf(table: HtmlElement): HtmlElement[] {
  return childrenOf(table).flatMap((child) =>
    child.name === "tr"
      ? [child]
      : /^t(?:body|head|foot)$/.test(child.name)
        ? childrenOf(child).filter(({ name }) => name === "tr")
        : [],
  );
}

export function cellsOf(row: HtmlElement): HtmlElement[] {
  return childrenOf(row).filter(({ name }) => name === "td" || name === "th");
}

function childrenOf(element: HtmlElement): HtmlElement[] {
  return element.children.filter((node) => node.kind === "element");
}

/** 0 of `rowspan`: to the end. */
function span(cell: HtmlElement, name: "colspan" | "rowspan"): number {
  const text = attributeOf(cell, name);
  if (text === undefined) return 1;
  const number = Number.parseInt(text, 10);
  if (!(number >= 0)) return 1;
  return number === 0 ? (name === "rowspan" ? spanMax : 1) : Math.min(spanMax, number);
}
