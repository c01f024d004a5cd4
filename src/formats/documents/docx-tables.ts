/** Tables of a Word document (ECMA-376 part 1, section 17.4): what hides a row or a cell, and what may. */
import type { SaxesTagNS } from "saxes";
import type { Doubt } from "#/src/model/removal.ts";
import { isOffPage, type LetterProperties } from "./docx-style.ts";
import { attributeValue, isOn, numberOf } from "./docx-xml.ts";

/** Twentieths of a point: lower rows cut what stands in them, and narrower cells. */
const rowLeast = 120;
const cellLeast = 120;

interface Table {
  style: string | undefined;
  said: LetterProperties;
  doubt: Doubt | undefined;
  isFloating?: boolean;
  readonly rows: Part[];
  readonly cells: Part[];
}

interface Part {
  said: LetterProperties;
  isHidden: boolean;
  doubt: Doubt | undefined;
}

const plain = (): Part => ({ said: {}, isHidden: false, doubt: undefined });

export class DocumentTables {
  readonly #tables: Table[] = [];

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
    for (const { doubt, rows, cells } of this.#tables) {
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
      this.#tables.push({ style: undefined, said: {}, doubt: undefined, rows: [], cells: [] });
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
        if (
          row !== undefined &&
          attributeValue(tag, "hRule") === "exact" &&
          (numberOf(tag, "val") ?? 0) < rowLeast
        )
          row.doubt = "may-be-cut-off";
        break;
      case "tcW":
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
        break;
      case "tblpPr":
        table.isFloating = true;
        if (isOffPage(numberOf(tag, "tblpX"), numberOf(tag, "tblpY"))) table.doubt = "may-be-off-screen";
        break;
    }
  }

  close(name: string): void {
    if (name === "tbl") this.#tables.pop();
    else if (name === "tr") this.#tables.at(-1)?.rows.pop();
    else if (name === "tc") this.#tables.at(-1)?.cells.pop();
  }
}
