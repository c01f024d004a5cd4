/** Tables of a Word document (ECMA-376 part 1, section 17.4): what hides a row or a cell, and what may. */
import type { SaxesTagNS } from "saxes";
import type { Doubt } from "#/src/model/removal.ts";
import { acrossMost } from "./docx-letters.ts";
import { isOffPage, type LetterProperties } from "./docx-style.ts";
import { attributeValue, isOn, numberOf } from "./docx-xml.ts";

/** Twentieths of a point: lower rows cut what stands in them, and narrower cells. */
const rowLeast = 120;
const cellLeast = 120;
/** Rows of a higher height that is exact leave the page, and what stands further in than this may leave a cell. */
const rowMost = 12_000;
const insideMost = 2000;
/** Points of a line that can be read. */
const lineLeast = 6;

interface Table {
  style: string | undefined;
  said: LetterProperties;
  doubt: Doubt | undefined;
  isFloating?: boolean;
  readonly rows: Part[];
  readonly cells: Part[];
  /** Widths of its columns; `isFixed`: they do not grow. */
  readonly grid: number[];
  /** How far right it begins. */
  indent: number;
  isFixed?: boolean;
}

interface Part {
  said: LetterProperties;
  isHidden: boolean;
  doubt: Doubt | undefined;
  /** Of a row: its height in points if that is exact, how far its cells reach so far, and over how many columns. */
  height: number;
  across: number;
  columns: number;
  /** Of a cell: its width and columns, and the points of its lines so far. */
  width: number | undefined;
  spans: number;
  lines: number;
}

const plain = (): Part => ({
  said: {},
  isHidden: false,
  doubt: undefined,
  height: Number.POSITIVE_INFINITY,
  across: 0,
  columns: 0,
  width: undefined,
  spans: 1,
  lines: 0,
});

export class DocumentTables {
  readonly #tables: Table[] = [];

  /** How far right of the margin the cell begins, with those around. */
  get across(): number {
    return this.#tables.reduce((sum, { indent, rows }) => sum + indent + (rows.at(-1)?.across ?? 0), 0);
  }

  get isInside(): boolean {
    return this.#tables.length > 0;
  }

  /** What follows the nearest table stands below it: it is alone, and does not float. */
  get isInFlow(): boolean {
    return this.#tables.length === 1 && this.#tables[0]!.isFloating !== true;
  }

  /** The style of the nearest table. */
  get style(): string | undefined {
    return this.#tables.at(-1)?.style;
  }

  /** What the nearest table, its row and its cell say of their letters. */
  get said(): readonly LetterProperties[] {
    const table = this.#tables.at(-1);
    return table === undefined
      ? []
      : [table.said, table.rows.at(-1)?.said ?? {}, table.cells.at(-1)?.said ?? {}];
  }

  get isHidden(): boolean {
    return this.#tables.some(({ rows, cells }) => [...rows, ...cells].some(({ isHidden }) => isHidden));
  }

  get doubt(): Doubt | undefined {
    if (this.across > acrossMost) return "may-be-off-screen";
    for (const { doubt, rows, cells, grid, isFixed = false } of this.#tables) {
      const { height = Number.POSITIVE_INFINITY } = rows.at(-1) ?? {};
      // A row of an exact height cuts off what does not fit.
      if ((cells.at(-1)?.lines ?? 0) + lineLeast > height) return "may-be-cut-off";
      const wide = isFixed ? widthIn(grid, rows.at(-1), cells.at(-1)) : 0;
      if (wide > 0 && wide < cellLeast) return "may-be-cut-off";
      const found = doubt ?? [...rows, ...cells].find((one) => one.doubt !== undefined)?.doubt;
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Where the properties of an element are noted. */
  propertiesOf(name: "tblPr" | "tblPrEx" | "trPr" | "tcPr"): LetterProperties {
    const table = this.#tables.at(-1);
    if (table === undefined) return {};
    if (name === "tblPr") return table.said;
    return (name === "tcPr" ? table.cells : table.rows).at(-1)?.said ?? {};
  }

  deleteRow(): void {
    const row = this.#tables.at(-1)?.rows.at(-1);
    if (row !== undefined) row.isHidden = true;
  }

  /** `isUncertain`: not all programs read the element. */
  open(tag: SaxesTagNS, isUncertain: boolean): void {
    if (tag.local === "tbl") {
      this.#tables.push({
        style: undefined,
        said: {},
        doubt: undefined,
        rows: [],
        cells: [],
        grid: [],
        indent: 0,
      });
      return;
    }
    const table = this.#tables.at(-1);
    if (table === undefined) return;
    const [row, cell] = [table.rows.at(-1), table.cells.at(-1)];
    switch (tag.local) {
      case "tblStyle":
        if (table.style !== undefined || isUncertain) table.doubt = "element-not-understood";
        table.style = attributeValue(tag, "val");
        break;
      case "tr":
        table.rows.push(plain());
        break;
      case "tc":
        table.cells.push(plain());
        break;
      case "hidden":
        if (row !== undefined && isOn(tag)) row.isHidden = true;
        break;
      case "cellDel":
        if (cell !== undefined) cell.isHidden = true;
        break;
      case "vMerge":
      case "hMerge":
        // What continues another cell shows nothing of its own.
        if (cell !== undefined && attributeValue(tag, "val") !== "restart") cell.isHidden = true;
        break;
      case "trHeight":
        if (row !== undefined && attributeValue(tag, "hRule") === "exact") {
          const high = numberOf(tag, "val") ?? 0;
          if (high < rowLeast || high > rowMost) row.doubt = "may-be-cut-off";
          row.height = Math.min(row.height, high / 20);
        }
        break;
      case "tblLayout":
        if (attributeValue(tag, "type") === "fixed") table.isFixed = true;
        break;
      case "gridCol":
        table.grid.push(numberOf(tag, "w") ?? 0);
        break;
      case "gridBefore":
        if (row !== undefined) row.columns = numberOf(tag, "val") ?? 0;
        if (row !== undefined) row.across = Math.max(row.across, widthOf(table.grid.slice(0, row.columns)));
        break;
      case "wBefore":
        if (row !== undefined) row.across = Math.max(row.across, numberOf(tag, "w") ?? 0);
        break;
      case "gridSpan":
        if (cell !== undefined) cell.spans = Math.max(1, numberOf(tag, "val") ?? 1);
        break;
      case "textDirection":
        if (cell !== undefined && row !== undefined && row.height < Number.POSITIVE_INFINITY)
          cell.doubt = "may-be-cut-off";
        break;
      case "tblCellSpacing":
      case "top":
      case "left":
      case "start":
      case "right":
      case "end":
      case "bottom":
        // Borders have the same names, and no width.
        if ((numberOf(tag, "w") ?? 0) > insideMost) (cell ?? row ?? table).doubt = "may-be-cut-off";
        break;
      case "tcW":
        if (cell !== undefined && attributeValue(tag, "type") === "dxa") cell.width = numberOf(tag, "w");
        if (
          cell !== undefined &&
          attributeValue(tag, "type") === "dxa" &&
          // Nothing says no width.
          (numberOf(tag, "w") || cellLeast) < cellLeast
        )
          cell.doubt = "may-be-cut-off";
        break;
      case "tcFitText":
        if (cell !== undefined && isOn(tag)) cell.doubt = "may-be-covered";
        break;
      case "tblInd":
        if (isOffPage(numberOf(tag, "w"))) table.doubt = "may-be-off-screen";
        else table.indent = Math.max(table.indent, numberOf(tag, "w") ?? 0);
        break;
      case "tblpPr":
        table.isFloating = true;
        if (isOffPage(numberOf(tag, "tblpX"), numberOf(tag, "tblpY"))) table.doubt = "may-be-off-screen";
        else table.indent = Math.max(table.indent, numberOf(tag, "tblpX") ?? 0);
        break;
    }
  }

  /** `points`: of a line that ends. */
  endLine(points: number): void {
    const cell = this.#tables.at(-1)?.cells.at(-1);
    if (cell !== undefined) cell.lines += points;
  }

  close(name: string): void {
    if (name === "tc") this.#endCell();
    if (name === "tbl") this.#tables.pop();
    else if (name === "tr") this.#tables.at(-1)?.rows.pop();
    else if (name === "tc") this.#tables.at(-1)?.cells.pop();
  }
  #endCell(): void {
    const { rows = [], cells = [], grid = [] } = this.#tables.at(-1) ?? {};
    const [row, cell] = [rows.at(-1), cells.at(-1)];
    if (row === undefined || cell === undefined) return;
    row.across += widthIn(grid, row, cell);
    row.columns += cell.spans;
  }
}

function widthIn(grid: readonly number[], row: Part | undefined, cell: Part | undefined): number {
  const { columns = 0 } = row ?? {};
  return cell?.width ?? widthOf(grid.slice(columns, columns + (cell?.spans ?? 1)));
}

function widthOf(columns: readonly number[]): number {
  return columns.reduce((sum, one) => sum + one, 0);
}
