/** Tables of a Word document (ECMA-376 part 1, section 17.4): what hides a row or a cell, and what may. */
import type { SaxesTagNS } from "saxes";
import type { Doubt } from "#/src/model/removal.ts";
import { acrossMost } from "./docx-letters.ts";
import type { LineForm } from "./docx-lines.ts";
import { Lines } from "./docx-lines.ts";
import { isOffPage, type LetterProperties } from "./docx-style.ts";
import type { DocumentStyles } from "./docx-styles.ts";
import { attributeValue, isOn, numberOf } from "./docx-xml.ts";

/** Twentieths of a point: lower rows cut what stands in them, and narrower cells. */
const rowLeast = 120;
const cellLeast = 120;
/** Rows of a higher height that is exact leave the page, and what stands further in than this may leave a cell. */
const rowMost = 12_000;
const insideMost = 2000;
/** Points of a cell of which no width is said. */
const usualCell = 100;

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
  /** It is not set from the left: it may begin left of the page, or its cells stand from right to left. */
  isAside?: boolean;
  isMirrored?: boolean;
  /** How far its rows reach. */
  wide: number;
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
  /** Of a row: it may be higher than a page. */
  isHigh?: boolean;
  /** Of a row: the height of the highest of its cells so far. */
  tall: number;
  /** Of a cell: its width and columns. */
  width: number | undefined;
  spans: number;
  readonly lines: Lines;
}

const plain = (): Part => ({
  said: {},
  isHidden: false,
  doubt: undefined,
  height: Number.POSITIVE_INFINITY,
  across: 0,
  columns: 0,
  tall: 0,
  width: undefined,
  spans: 1,
  lines: new Lines(),
});

export class DocumentTables {
  readonly #tables: Table[] = [];
  readonly #styles: DocumentStyles;

  constructor(styles: DocumentStyles) {
    this.#styles = styles;
  }

  /** How far right of the margin the cell begins, with those around. */
  get across(): number {
    return this.#tables.reduce(
      (sum, table) =>
        sum +
        Math.max(table.indent, table.said.shift ?? this.#styles.of("table", table.style).shift ?? 0) +
        (table.rows.at(-1)?.across ?? 0),
      0,
    );
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
    return table === undefined ? [] : saidIn(table);
  }

  /** Styles of the tables around the nearest one, and what they say, of which letters have what is behind them. */
  get around(): readonly {
    readonly style: string | undefined;
    readonly said: readonly LetterProperties[];
  }[] {
    return this.#tables.slice(0, -1).map((table) => ({ style: table.style, said: saidIn(table) }));
  }

  get isHidden(): boolean {
    return this.#tables.some(({ rows, cells }) => [...rows, ...cells].some(({ isHidden }) => isHidden));
  }

  /** Of text in such a line. */
  doubtOf(form: LineForm): Doubt | undefined {
    if (this.across > acrossMost) return "may-be-off-screen";
    if (this.#isCut(form)) return "may-be-cut-off";
    for (const table of this.#tables) {
      const { doubt, rows, cells, grid, isFixed = false } = table;
      const { padLeft = 0, padRight = 0 } = this.#padding(table);
      if (Math.max(padLeft, padRight) > insideMost) return "may-be-cut-off";
      const wide = isFixed ? widthIn(grid, rows.at(-1), cells.at(-1)) : 0;
      if (wide > 0 && wide - padLeft - padRight < cellLeast) return "may-be-cut-off";
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
        wide: 0,
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
        if (row !== undefined && (numberOf(tag, "val") ?? 0) > rowMost) row.isHigh = true;
        break;
      case "vAlign":
        if (row?.isHigh === true && attributeValue(tag, "val") !== "top") cell!.doubt = "may-be-off-screen";
        break;
      case "bidiVisual":
        if (isOn(tag)) table.isMirrored = true;
        break;
      case "jc":
        if (row === undefined && !["left", "start", ""].includes(attributeValue(tag, "val")))
          table.isAside = true;
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

  /** Margins of the nearest cell. */
  #padding(table: Table): LetterProperties {
    return Object.assign({}, this.#styles.of("table", table.style), ...saidIn(table));
  }

  /** Twentieths of a point from the margin to the right edge of the nearest cell; undefined where that is not said. */
  get right(): number | undefined {
    const table = this.#tables.at(-1);
    const width = table === undefined ? 0 : widthIn(table.grid, table.rows.at(-1), table.cells.at(-1));
    return width === 0 ? undefined : this.across + width;
  }

  /** Twentieths of a point from the right margin to the left edge of a cell of the outermost table, if that is not set from the left. */
  get leftward(): (() => number) | undefined {
    const table = this.#tables[0];
    if (table === undefined || (table.isAside !== true && table.isMirrored !== true)) return undefined;
    const row = table.rows.at(-1);
    const across = row?.across ?? 0;
    const width = widthIn(table.grid, row, table.cells.at(-1));
    return () => (table.isMirrored === true ? across + width : table.wide - across);
  }

  /** A row of an exact height cuts off what does not fit. */
  #isCut(form: LineForm): boolean {
    let feet: number | undefined;
    for (const table of this.#tables.toReversed()) {
      const cell = table.cells.at(-1);
      if (cell === undefined) continue;
      feet = feet === undefined ? cell.lines.feet(roomOf(table), form) : cell.lines.down + feet;
      if (feet > (table.rows.at(-1)?.height ?? Number.POSITIVE_INFINITY)) return true;
    }
    return false;
  }

  /** The lines of the nearest cell, and how wide they are. */
  get lines(): { readonly lines: Lines; readonly width: number } | undefined {
    const table = this.#tables.at(-1);
    const cell = table?.cells.at(-1);
    return table === undefined || cell === undefined
      ? undefined
      : { lines: cell.lines, width: roomOf(table) };
  }

  close(name: string): void {
    if (name === "tc") this.#endCell();
    if (name === "tr") this.#endRow();
    if (name === "tbl") this.#tables.pop();
    else if (name === "tr") this.#tables.at(-1)?.rows.pop();
    else if (name === "tc") this.#tables.at(-1)?.cells.pop();
  }
  #endCell(): void {
    const table = this.#tables.at(-1);
    if (table === undefined) return;
    const { rows, cells, grid } = table;
    const [row, cell] = [rows.at(-1), cells.at(-1)];
    if (row === undefined || cell === undefined) return;
    row.across += widthIn(grid, row, cell);
    table.wide = Math.max(table.wide, row.across);
    row.columns += cell.spans;
    row.tall = Math.max(row.tall, cell.lines.down);
  }

  /** What follows in the cell around stands below the row. */
  #endRow(): void {
    const row = this.#tables.at(-1)?.rows.at(-1);
    if (row !== undefined) this.#tables.at(-2)?.cells.at(-1)?.lines.add(Math.min(row.height, row.tall));
  }
}

function saidIn({ said, rows, cells }: Table): readonly LetterProperties[] {
  return [said, rows.at(-1)?.said ?? {}, cells.at(-1)?.said ?? {}];
}

/** Points of the nearest cell of a table. */
function roomOf({ grid, rows, cells }: Table): number {
  return widthIn(grid, rows.at(-1), cells.at(-1)) / 20 || usualCell;
}

function widthIn(grid: readonly number[], row: Part | undefined, cell: Part | undefined): number {
  const { columns = 0 } = row ?? {};
  return cell?.width ?? widthOf(grid.slice(columns, columns + (cell?.spans ?? 1)));
}

function widthOf(columns: readonly number[]): number {
  return columns.reduce((sum, one) => sum + one, 0);
}
