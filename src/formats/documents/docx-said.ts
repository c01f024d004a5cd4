/** What a Word document says of the letters at the place that is read: styles and properties of the run, the paragraph and the table around
 *  (ECMA-376 part 1, section 17.7.2). */
import type { LetterProperties } from "./docx-style.ts";
import type { DocumentStyles } from "./docx-styles.ts";
import type { DocumentTables } from "./docx-tables.ts";

/** What is said around a paragraph, a run or a text box, until it ends. */
interface Around {
  readonly paragraph: LetterProperties;
  readonly paragraphStyle: string | undefined;
  readonly run: LetterProperties;
  readonly runStyle: string | undefined;
  /** Of the caller. */
  readonly drawing: number;
}

export class DocumentSaid {
  readonly #styles: DocumentStyles;
  readonly #tables: DocumentTables;
  readonly #around: Around[] = [];
  /** Where properties are noted: of the run, the paragraph, the table, the row, the cell; the nearest last. */
  readonly noted: LetterProperties[] = [];
  run: LetterProperties = {};
  #runStyle: string | undefined;
  paragraph: LetterProperties = {};
  #paragraphStyle: string | undefined;

  constructor(styles: DocumentStyles, tables: DocumentTables) {
    this.#styles = styles;
    this.#tables = tables;
  }

  enter(drawing: number): void {
    this.#around.push({
      paragraph: this.paragraph,
      paragraphStyle: this.#paragraphStyle,
      run: this.run,
      runStyle: this.#runStyle,
      drawing,
    });
  }

  /** Returns what was given when it was entered. */
  leave(): number | undefined {
    const around = this.#around.pop();
    if (around === undefined) return undefined;
    this.paragraph = around.paragraph;
    this.#paragraphStyle = around.paragraphStyle;
    this.run = around.run;
    this.#runStyle = around.runStyle;
    return around.drawing;
  }

  beginParagraph(): void {
    this.paragraph = {};
    this.#paragraphStyle = undefined;
  }

  beginRun(): void {
    this.run = {};
    this.#runStyle = undefined;
  }

  /** `isUncertain`: not all programs read it. */
  styleParagraph(name: string, isUncertain: boolean): void {
    if (this.#paragraphStyle !== undefined || isUncertain) this.paragraph.isUnclear = true;
    this.#paragraphStyle = name;
  }

  styleRun(name: string, isUncertain: boolean): void {
    if (this.#runStyle !== undefined || isUncertain) this.run.isUnclear = true;
    this.#runStyle = name;
  }

  /** The nearest that is said of each property, once for each row or column of the style of the table in which the letters may stand.
   *  Styles cannot show what another style hides (section 17.7.3). */
  ofLetters(): readonly LetterProperties[] {
    const said = [
      ...this.#tables.said,
      this.#styles.of("paragraph", this.#paragraphStyle),
      this.paragraph,
      this.#styles.of("character", this.#runStyle),
      this.run,
    ];
    const layers = this.#tables.isInside ? this.#styles.ofTable(this.#tables.style) : [{}];
    const grounds = this.#groundsAround();
    return layers.map((layer) => {
      const all = [this.#styles.usual, grounds, layer, ...said];
      const isVanished = this.run.isVanished ?? all.some((one) => one.isVanished === true);
      return Object.assign({}, ...all, { isVanished });
    });
  }

  /** What is behind a table in a cell of another one. */
  #groundsAround(): LetterProperties {
    let found: readonly string[] | undefined;
    for (const { style, said } of this.#tables.around) {
      const own = said.findLast(({ fills }) => fills !== undefined)?.fills;
      const ofStyle = this.#styles.ofTable(style).flatMap(({ fills = found ?? ["ffffff"] }) => fills);
      const isOfStyle = this.#styles.ofTable(style).some(({ fills }) => fills !== undefined);
      found = own ?? (isOfStyle ? [...new Set(ofStyle)] : found);
    }
    return found === undefined ? {} : { fills: found };
  }

  ofParagraph(): LetterProperties {
    return Object.assign(
      {},
      this.#styles.usual,
      ...this.#tables.said,
      this.#styles.of("paragraph", this.#paragraphStyle),
      this.paragraph,
    );
  }

  /** Points from the left of the text to a line of such letters; undefined where it may begin elsewhere. */
  indentOf(letters: readonly LetterProperties[]): number | undefined {
    if (this.#tables.isInside) return undefined;
    if (letters.some((one) => one.isAside === true || one.isNumbered === true || one.isFramed === true))
      return undefined;
    return Math.max(...letters.map(({ left = 0, first = 0 }) => Math.max(0, left, left + first))) / 20;
  }
}

/** Fonts whose letters are as wide as usual ones, in small letters, and those of the theme. */
const usualFonts =
  /^(?:\+m[jn]|arial|calibri(?: light)?|cambria|times new roman|times|courier new|verdana|georgia|tahoma|helvetica|segoe ui|aptos|liberation (?:sans|serif|mono)|trebuchet ms|carlito|caladea)?$/;

/** Letters are as wide as those of usual fonts. */
export function areUsual(letters: readonly LetterProperties[]): boolean {
  return letters.every(
    ({ asciiFont = "", hAnsiFont = "", width = 100, spacing = 0 }) =>
      usualFonts.test(asciiFont) && usualFonts.test(hAnsiFont) && width >= 100 && spacing >= 0,
  );
}

export function leastPoints(letters: readonly LetterProperties[]): number {
  return Math.min(...letters.map(({ halfPoints = 20 }) => halfPoints / 2));
}

export function mostPoints(letters: readonly LetterProperties[]): number {
  return Math.max(...letters.map(({ halfPoints = 20 }) => halfPoints / 2));
}
