/** H34: shares of the width of columns in an automatic table of a width. Each has its share if all of them have room for what they ask for:
 *  no column gets more than its least width before those with shares have theirs (css-tables-3, "distribution algorithm"). */
import type { Part } from "./part.ts";
import { attributeOf } from "./tree.ts";
import type { Values } from "./values.ts";

/** Tables with more rows are not looked into. */
const rowsMax = 50;

type Shares = readonly number[] | undefined;
const known = new WeakMap<Part, { readonly width: number; readonly shares: Shares }>();

/** What the column of a cell surely has of a table of this width, with its padding; 0 where that is not known. */
export function columnShare(cell: Part, tableWidth: number, valuesOf: ReadonlyMap<Part, Values>): number {
  const row = cell.parent;
  let table = row?.parent;
  if (table !== undefined && /^table-.*group$/.test(table.box.display)) table = table.parent;
  if (row?.box.display !== "table-row" || table?.box.display !== "table" || tableWidth <= 0) return 0;
  let found = known.get(table);
  if (found?.width !== tableWidth) {
    found = { width: tableWidth, shares: sharesOf(table, tableWidth, valuesOf) };
    known.set(table, found);
  }
  return found.shares?.[cell.at] ?? 0;
}

function sharesOf(table: Part, tableWidth: number, valuesOf: ReadonlyMap<Part, Values>): Shares {
  const rows = rowsOf(table);
  const [first] = rows;
  if (first === undefined || rows.length > rowsMax || table.parent?.box.items !== undefined) return undefined;
  if (table.children.some(({ box }) => box.display.startsWith("table-column"))) return undefined;
  const count = first.children.length;
  // Borders that collapse stand outside of the columns in part.
  let [left, right] = [0, 0];
  const asked = Array.from({ length: count }, () => ({ share: 0, demand: 0 }));
  for (const row of rows) {
    if (row.box.display !== "table-row" || row.children.length !== count) return undefined;
    for (const cell of row.children) {
      if (!isPlainCell(cell, valuesOf.get(cell))) return undefined;
      const one = asked[cell.at]!;
      one.share = Math.max(one.share, cell.box.width?.share ?? 0);
      one.demand = Math.max(one.demand, cell.demand);
      left = Math.max(left, cell.box.border.left);
      right = Math.max(right, cell.box.border.right);
    }
  }
  const width = tableWidth - table.style.spacing * (count + 1) - left - right;
  const shares = asked.map(({ share }) => share * width);
  const needed = asked.reduce((sum, { demand }, at) => sum + Math.max(demand, shares[at]!), 0);
  return needed <= width + 0.5 ? shares : undefined;
}

function rowsOf({ children }: Part): readonly Part[] {
  return children.flatMap((one) => (/^table-.*group$/.test(one.box.display) ? one.children : [one]));
}

/** Whether it stands in one column and one row, and says its width in pixels or as a share. */
function isPlainCell({ box, element }: Part, values: Values | undefined): boolean {
  const { width, display, sideShare, minShare, maxWidth } = box;
  return (
    display === "table-cell" &&
    element !== undefined &&
    values !== undefined &&
    values.unclear.length === 0 &&
    (width === undefined || width.share === 0 || (width.px === 0 && width.share > 0)) &&
    sideShare + minShare === 0 &&
    maxWidth === undefined &&
    !["colspan", "rowspan"].some((name) => !["", "1"].includes((attributeOf(element, name) ?? "").trim()))
  );
}

/** Whether a cell holds a table of fixed layout whose width is a share. Its greatest width is without bounds in every engine, so that the
 *  table around it is as wide as there is room. */
export function isFilled(table: Part, valuesOf: ReadonlyMap<Part, Values>): boolean {
  const { box, context, parent } = table;
  // Beside a float, or as an item, it may be narrower.
  if (box.display !== "table" || box.isFloat || context.hasFloat || parent?.box.items !== undefined)
    return false;
  const isShare = ({ box: { width, maxWidth } }: Part): boolean =>
    maxWidth === undefined && width !== undefined && width.share > 0 && width.px === 0;
  const isFixed = (one: Part): boolean =>
    one.box.display === "table" &&
    !one.box.isFloat &&
    isShare(one) &&
    valuesOf.get(one)?.word("table-layout") === "fixed" &&
    valuesOf.get(one)?.unclear.length === 0;
  return rowsOf(table).some(
    ({ box: row, children }) =>
      row.display === "table-row" &&
      children.some(
        (cell) =>
          cell.box.display === "table-cell" &&
          (isShare(cell) || (cell.box.width ?? cell.box.maxWidth) === undefined) &&
          valuesOf.get(cell)?.unclear.length === 0 &&
          cell.children.some(isFixed),
      ),
  );
}
