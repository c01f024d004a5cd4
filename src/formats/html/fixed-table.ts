/** Widths of the columns of a table whose layout is fixed (H24; CSS 2.2 section 17.5.2.1): its first row says them, whatever its cells
 *  hold, and columns of which nothing is said share the rest. */
import { lengthOf } from "#/src/formats/css/length.ts";
import { type Value, wordOf } from "#/src/formats/css/value-forms.ts";
import type { Cascade } from "./cascade.ts";
import { cellsOf, rowsOf } from "./table-slots.ts";
import { attributeOf, type HtmlElement } from "./tree.ts";

/** Tables with more rows or columns are not looked into. */
const rowsMax = 50;
const columnsMax = 50;

interface Column {
  /** Pixels that its first cell surely has, with its padding. */
  readonly pixels: number | undefined;
  /** Pixels that it takes of the others at most. */
  readonly taken: number;
  readonly percent: number | undefined;
}

type Columns = readonly Column[] | undefined;

const known = new WeakMap<HtmlElement, { readonly columns: Columns }>();

/** What a cell takes of a table that is so wide, with its padding; 0 where that is not known. `insides`: the paddings and borders of
 *  the cells of the first row, below which no column gets. */
export function fixedColumnWidth(
  cell: HtmlElement,
  tableWidth: number,
  spacing: number,
  insides: readonly number[],
  cascade: Cascade,
): number {
  const row = cell.parent;
  const table = row?.parent?.name === "table" ? row.parent : row?.parent?.parent;
  if (row?.name !== "tr" || table?.name !== "table") return 0;
  let found = known.get(table);
  if (found === undefined) {
    found = { columns: columnsOf(table, cascade) };
    known.set(table, found);
  }
  const column = found.columns?.[cellsOf(row).indexOf(cell)];
  if (column === undefined) return 0;
  return widthOf(column, found.columns!, insides, tableWidth - spacing * (found.columns!.length + 1));
}

/** Of columns whose widths are shares each asks for its share and what its cell keeps from its edge; if that is more than there is, all get
 *  less in proportion. Columns of which nothing is said have the rest in equal parts. */
function widthOf(
  column: Column,
  columns: readonly Column[],
  insides: readonly number[],
  tableWidth: number,
): number {
  let [left, asked, free, widest] = [tableWidth, 0, 0, 0];
  for (const [at, { pixels, percent, taken }] of columns.entries()) {
    const inside = insides[at] ?? 0;
    if (percent !== undefined) asked += (percent / 100) * tableWidth + inside;
    else if (pixels !== undefined) left -= taken;
    else {
      free++;
      left -= inside;
      widest = Math.max(widest, inside);
    }
  }
  if (column.pixels !== undefined) return column.pixels;
  if (column.percent !== undefined)
    return (column.percent / 100) * tableWidth * Math.min(1, Math.max(0, left) / Math.max(1, asked));
  const each = Math.max(0, tableWidth - asked - columns.reduce((sum, { taken }) => sum + taken, 0)) / free;
  // A column that its padding makes wider takes it of the others.
  return widest > each ? 0 : each;
}

/** undefined where cells reach over several columns, or a width is said in a way that is not looked into. */
function columnsOf(table: HtmlElement, cascade: Cascade): Columns {
  const parts = table.children.filter((node) => node.kind === "element");
  if (parts.some(({ name }) => name === "col" || name === "colgroup")) return undefined;
  const groups = parts.filter(({ name }) => name !== "caption");
  const rows = rowsOf(table);
  if (groups.length > 1 && groups.some(({ name }) => name !== "tr")) return undefined;
  // Of a row that is another box, or that has parts of its own, nothing is known.
  if (
    [table, ...groups, ...rows].some((one) =>
      one !== table ? isOther(one, cascade) : hasParts(one, cascade),
    )
  )
    return undefined;
  if (rows.length > rowsMax || rows.some(({ children }) => children.length > 4 * columnsMax))
    return undefined;
  const cells = rows.map(cellsOf);
  const count = Math.max(0, ...cells.map((some) => some.length));
  if (count > columnsMax) return undefined;
  if (cells.flat().some((cell) => ["colspan", "rowspan"].some((name) => spans(cell, name)))) return undefined;
  const columns: Column[] = [];
  for (const cell of cells[0] ?? []) {
    const column = columnOf(cell, cascade);
    if (column === undefined) return undefined;
    columns.push(column);
  }
  while (columns.length < count) columns.push(freeColumn);
  return columns;
}

function hasParts(element: HtmlElement, cascade: Cascade): boolean {
  return cascade.styleOf(element).parts.size > 0;
}

function isOther(row: HtmlElement, cascade: Cascade): boolean {
  const { values, unsure } = cascade.styleOf(row);
  return (
    hasParts(row, cascade) ||
    ["display", "position", "float"].some((name) => values.has(name) || unsure.has(name))
  );
}

function spans(cell: HtmlElement, name: string): boolean {
  const text = attributeOf(cell, name);
  return text !== undefined && text.trim() !== "1";
}

const paddings = ["padding-left", "padding-right", "border-left-width", "border-right-width"];
/** Pixels around the content of a cell that browsers put there. */
const ownPadding = 2;

function columnOf(cell: HtmlElement, cascade: Cascade): Column | undefined {
  const { values, unsure } = cascade.styleOf(cell);
  if (unsure.has("width") || values.has("display") || unsure.has("display")) return undefined;
  const { isQuirky } = cascade;
  const lengthIn = (value: Value, fontSize: number): number | undefined => {
    const pixels = lengthOf(value, { fontSize, lineHeight: 0, whole: Number.NaN, isQuirky });
    return pixels !== undefined && pixels >= 0 ? pixels : undefined;
  };
  const pixelsOf = (value: Value): number | undefined => lengthIn(value, Number.NaN);
  /** undefined for a length in `em`, which counts where the column has a width in pixels alone. */
  let padding: number | undefined = 0;
  for (const name of paddings) {
    const declared = values.get(name);
    if (declared === undefined) continue;
    if (lengthIn(declared.value, 1) === undefined) return undefined;
    const pixels = pixelsOf(declared.value);
    padding = pixels === undefined || padding === undefined ? undefined : padding + pixels;
  }
  const width = values.get("width")?.value;
  if (width === undefined || wordOf(width) === "auto") return freeColumn;
  const [token] = width;
  if (width.length === 1 && token?.type === "percent")
    return { pixels: undefined, taken: 0, percent: token.number };
  const pixels = pixelsOf(width);
  if (pixels === undefined || padding === undefined) return undefined;
  const outer = pixels + padding + ownPadding;
  return { pixels: values.has("box-sizing") ? pixels : pixels + padding, taken: outer, percent: undefined };
}

const freeColumn: Column = { pixels: undefined, taken: 0, percent: undefined };
