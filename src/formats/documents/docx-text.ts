/** Text of a Word document (ECMA-376 part 1, WordprocessingML): its main part, paragraph by paragraph, without text that is marked
 *  as hidden or deleted, is too small to read, or has the colour of what is behind it, by its own properties, its styles or its theme. Text in
 *  boxes and frames that may not be seen whole is doubtful, and so is what stands in elements that are not known here. */
import type { SaxesTagNS } from "saxes";
import { type CountLeftOut, cleanText } from "#/src/formats/text/clean-text.ts";
import { escapeOwnLines, leftOutLine } from "#/src/formats/text/own-lines.ts";
import { DocumentBranches, isOfAlternatives } from "./docx-branches.ts";
import { holdsText, isOfDrawing } from "./docx-elements.ts";
import { DocumentFields } from "./docx-fields.ts";
import type { Surroundings, Unseen } from "./docx-letters.ts";
import { unseenOf } from "./docx-letters.ts";
import { findParts } from "./docx-parts.ts";
import { DocumentPlaces } from "./docx-places.ts";
import { isPageUnclear, readSettings } from "./docx-settings.ts";
import { coloursOf, type LetterProperties, noteProperty } from "./docx-style.ts";
import { type DocumentStyles, noStyles, readStyles } from "./docx-styles.ts";
import { DocumentTables } from "./docx-tables.ts";
import { readTheme, type ThemeColours } from "./docx-theme.ts";
import { attributeValue, hexOf, isOfBefore, isOn, isWord, isWord2010, readXml } from "./docx-xml.ts";

const textLengthMax = 1024 * 1024;

/** undefined if the bytes are not such a document. Lines of the server in it are its own. */
export function docxText(bytes: Buffer, count: CountLeftOut): string | undefined {
  const parts = findParts(bytes);
  if (parts === undefined) return undefined;
  if (parts === "over-limit") {
    count("over-limit", 1);
    return "";
  }
  const { styles: sheet, theme: themeXml, settings, numbering, fontTable } = parts.others;
  const theme = readTheme(themeXml, settings);
  const styles = sheet === undefined ? noStyles : readStyles(sheet, theme);
  const reader = new DocumentReader(count, styles, theme, readSettings(numbering, fontTable, themeXml));
  const end = readXml(parts.main, {
    open: (tag, resolve) => reader.open(tag, resolve),
    close: (tag) => reader.close(tag),
    text: (text) => reader.text(text),
  });
  // A program shows nothing of a damaged part, and what stands at the end may be about all of it.
  if (end !== "end") {
    count(end === "too-much" ? "over-limit" : "undecodable", 1);
    return "";
  }
  if (reader.isCut) count("over-limit", 1);
  if (parts.isUnclear || styles.isUnclear || reader.isUnclear) {
    count("doubtful", 1, "whole-document");
    return leftOutLine(1);
  }
  const text = escapeOwnLines(cleanText(reader.toString(), count));
  return reader.leftOut === 0 ? text : `${text}\n${leftOutLine(reader.leftOut)}`.trimStart();
}

/** What is said of the letters around a paragraph, a run or a text box, until it ends. */
interface Around {
  readonly paragraph: LetterProperties;
  readonly paragraphStyle: string | undefined;
  readonly run: LetterProperties;
  readonly runStyle: string | undefined;
  readonly drawing: number;
}

class DocumentReader {
  readonly #written: string[] = [];
  readonly #count: CountLeftOut;
  readonly #styles: DocumentStyles;
  readonly #theme: ThemeColours;
  readonly #places: DocumentPlaces;
  readonly #branches = new DocumentBranches();
  readonly #tables = new DocumentTables();
  readonly #fields = new DocumentFields();
  readonly #around: Around[] = [];
  readonly #facts: Omit<Surroundings, "paper" | "isOnShape">;
  #length = 0;
  isCut = false;
  leftOut = 0;
  #isPageUnclear = false;
  /** Names of the open elements of Word. */
  readonly #chain: string[] = [];
  /** Where properties are noted: of the run, the paragraph, the table, the row, the cell; the nearest last. */
  readonly #noted: LetterProperties[] = [];
  #run: LetterProperties = {};
  #runStyle: string | undefined;
  #paragraph: LetterProperties = {};
  #paragraphStyle: string | undefined;
  #paper: readonly string[] = ["ffffff"];
  #isInFill = false;
  /** How many open elements are not known here, and how many belong to the drawing around, outside of its text. */
  #unknown = 0;
  #drawing = 0;
  /** How many are of a vocabulary that is not known here. */
  #foreign = 0;
  #deleted = 0;
  /** Inside of what was before a change. */
  #before = 0;
  /** Headings that a person has not opened hide what follows. */
  #isCollapsed = false;
  /** Content controls, and whether something else is put into each when the document is opened. */
  readonly #controls: { isBound: boolean }[] = [];

  constructor(
    count: CountLeftOut,
    styles: DocumentStyles,
    theme: ThemeColours,
    facts: Omit<Surroundings, "paper" | "isOnShape">,
  ) {
    this.#count = count;
    this.#styles = styles;
    this.#theme = theme;
    this.#facts = facts;
    this.#places = new DocumentPlaces(theme);
  }

  /** Something that is said of the whole, or behind its text, makes all of it doubtful. */
  get isUnclear(): boolean {
    return this.#isPageUnclear || [this.#branches, this.#places, this.#fields].some((one) => one.isUnclear);
  }

  toString(): string {
    return this.#written
      .join("")
      .replace(/\n{3,}/g, "\n\n")
      .trim();
  }

  #write(text: string): void {
    this.isCut ||= this.#length > textLengthMax;
    if (this.isCut) return;
    this.#written.push(text);
    this.#length += text.length;
  }

  open(tag: SaxesTagNS, resolve: (prefix: string) => string | undefined): void {
    if (this.#before === 0) this.#branches.open(tag, resolve);
    if (this.#branches.isLeft) return;
    if (isWord(tag) && isOfBefore(tag.local)) this.#before++;
    if (this.#before > 0) return;
    if (isWord(tag)) this.#openWord(tag);
    else this.#openOther(tag);
  }

  #openOther(tag: SaxesTagNS): void {
    const noted = this.#noted.at(-1);
    if (isWord2010(tag) && noted !== undefined) {
      if (tag.local === "textFill") this.#isInFill = true;
      else if (this.#isInFill) noteProperty(noted, tag, this.#theme);
      if (this.#branches.isUnknown || this.#foreign > 0) noted.isUnclear = true;
    } else if (tag.local === "collapsed") this.#isCollapsed ||= isOn(tag);
    else if (tag.local === "dataBinding") this.#bind();
    this.#countOther(tag, 1);
    // Of the page's background, which may be a picture.
    if (this.#chain.at(-1) === "background") this.#isPageUnclear = true;
    this.#places.open(tag);
  }

  #countOther(tag: SaxesTagNS, by: 1 | -1): void {
    if (isOfAlternatives(tag)) return;
    if (isOfDrawing(tag)) this.#drawing += by;
    else {
      this.#unknown += by;
      this.#foreign += by;
    }
  }

  /** Programs may not read what stands here. */
  get #isUncertain(): boolean {
    return this.#branches.isUnknown || this.#drawing > 0 || this.#foreign > 0;
  }

  #enter(): void {
    this.#around.push({
      paragraph: this.#paragraph,
      paragraphStyle: this.#paragraphStyle,
      run: this.#run,
      runStyle: this.#runStyle,
      drawing: this.#drawing,
    });
  }

  #leave(): void {
    const around = this.#around.pop();
    if (around === undefined) return;
    this.#paragraph = around.paragraph;
    this.#paragraphStyle = around.paragraphStyle;
    this.#run = around.run;
    this.#runStyle = around.runStyle;
    this.#drawing = around.drawing;
  }

  #openWord(tag: SaxesTagNS): void {
    const parent = this.#chain.at(-1);
    this.#chain.push(tag.local);
    if (!holdsText(tag.local)) this.#unknown++;
    switch (tag.local) {
      case "p":
        this.#enter();
        this.#paragraph = {};
        this.#paragraphStyle = undefined;
        break;
      case "r":
        this.#enter();
        this.#run = {};
        this.#runStyle = undefined;
        break;
      case "background":
        // Another one was said.
        this.#isPageUnclear ||= this.#paper.length > 1;
        this.#paper = [
          "ffffff",
          ...coloursOf(hexOf(attributeValue(tag, "color")), tag, this.#theme, "theme"),
        ];
        break;
      case "txbxContent":
        this.#enter();
        this.#drawing = 0;
        this.#run = {};
        this.#runStyle = undefined;
        this.#places.beginBoxText();
        break;
      case "pPr":
        this.#noted.push(this.#paragraph);
        break;
      case "rPr":
        // Those of a paragraph are of its mark.
        this.#noted.push(parent === "r" ? this.#run : {});
        break;
      case "tblPr":
      case "tblPrEx":
      case "trPr":
      case "tcPr":
        this.#noted.push(this.#tables.propertiesOf(tag.local));
        break;
      case "pStyle":
        this.#noteStyle(this.#paragraph, this.#paragraphStyle);
        this.#paragraphStyle = attributeValue(tag, "val");
        break;
      case "rStyle":
        this.#noteStyle(this.#run, this.#runStyle);
        this.#runStyle = attributeValue(tag, "val");
        break;
      case "t":
        if (parent !== "r") this.#unknown++;
        break;
      case "sdt":
        this.#controls.push({ isBound: false });
        break;
      case "dataBinding":
        this.#bind();
        break;
      case "del":
      case "moveFrom":
        if (parent === "trPr") this.#tables.deleteRow();
        else this.#deleted++;
        break;
      case "tab":
        if (this.#noted.length === 0) this.#write("\t");
        break;
      case "br":
      case "cr":
        this.#write("\n");
        break;
      case "pgSz":
      case "pgMar":
      case "cols":
        this.#isPageUnclear ||= isPageUnclear(tag);
        break;
      default:
        this.#fields.open(tag, this.#isUncertain);
        this.#tables.open(tag, this.#isUncertain);
        if (this.#noted.length > 0) noteProperty(this.#noted.at(-1)!, tag, this.#theme);
        if (this.#noted.length > 0 && this.#isUncertain) this.#noted.at(-1)!.isUnclear = true;
    }
  }

  /** Of the style that comes: `before` is the one that was said. */
  #noteStyle(properties: LetterProperties, before: string | undefined): void {
    if (before !== undefined || this.#isUncertain) properties.isUnclear = true;
  }

  #bind(): void {
    const control = this.#controls.at(-1);
    if (control !== undefined) control.isBound = true;
  }

  close(tag: SaxesTagNS): void {
    const { isLeft } = this.#branches;
    if (!isLeft && isWord(tag) && isOfBefore(tag.local)) this.#before--;
    if (this.#before > 0) return;
    this.#branches.close(tag);
    if (isLeft) return;
    if (isWord(tag)) this.#closeWord(tag);
    else this.#closeOther(tag);
  }

  #closeOther(tag: SaxesTagNS): void {
    if (isWord2010(tag) && tag.local === "textFill") this.#isInFill = false;
    this.#countOther(tag, -1);
    this.#places.close(tag.local);
  }

  #closeWord({ local: name }: SaxesTagNS): void {
    // What stood in a change that is over is not in the chain.
    if (isOfBefore(name)) return;
    this.#chain.pop();
    const parent = this.#chain.at(-1);
    if (!holdsText(name)) this.#unknown--;
    switch (name) {
      case "rPr":
      case "pPr":
      case "tblPr":
      case "tblPrEx":
      case "trPr":
      case "tcPr":
        this.#noted.pop();
        break;
      case "t":
        if (parent !== "r") this.#unknown--;
        break;
      case "sdt":
        this.#controls.pop();
        break;
      case "del":
      case "moveFrom":
        if (parent !== "trPr") this.#deleted--;
        break;
      case "txbxContent":
        this.#leave();
        this.#places.endBoxText();
        break;
      case "r":
        this.#leave();
        break;
      case "p":
        this.#leave();
        this.#write("\n");
        break;
      case "tr":
        this.#write("\n");
        break;
      case "tc":
        this.#write("\t");
        break;
    }
    this.#fields.close(name);
    this.#tables.close(name);
  }

  text(text: string): void {
    if (this.#branches.isInLeftText) this.#count("hidden-element", 1);
    if (this.#branches.isLeft || this.#before > 0 || text === "") return;
    const inside = this.#chain.at(-1);
    if (inside === "instrText") this.#fields.code(text);
    if (inside !== "t") {
      this.#places.number(text);
      return;
    }
    const unseen = this.#unseen(text);
    if (unseen === undefined) this.#write(text);
    else if (typeof unseen === "string") this.#count(unseen, 1);
    else {
      this.#count("doubtful", 1, unseen.why);
      this.leftOut++;
    }
  }

  #unseen(text: string): Unseen | undefined {
    if (this.#deleted > 0 || this.#fields.isInCode || this.#tables.isHidden) return "hidden-element";
    const letters = this.#possibleLetters();
    const paper = this.#places.paper ?? this.#paper;
    const isOnShape = this.#places.paper !== undefined;
    const unseen = unseenOf(letters, { ...this.#facts, paper, isOnShape });
    if (typeof unseen === "string") return unseen;
    if (this.#unknown > 0 || this.#isUncertain || this.#controls.some(({ isBound }) => isBound))
      return { why: "element-not-understood" };
    if (this.#isCollapsed) return { why: "may-be-cut-off" };
    const elsewhere = this.#fields.doubt ?? this.#tables.doubt;
    if (elsewhere !== undefined) return { why: elsewhere };
    return this.#places.unseen(text, letters[0]?.halfPoints ?? 20) ?? unseen;
  }

  /** The nearest that is said of each property, once for each row or column of the style of the table in which the letters may stand.
   *  Styles cannot show what another style hides (section 17.7.3). */
  #possibleLetters(): readonly LetterProperties[] {
    const said = [
      ...this.#tables.said,
      this.#styles.of("paragraph", this.#paragraphStyle),
      this.#paragraph,
      this.#styles.of("character", this.#runStyle),
      this.#run,
    ];
    const layers = this.#tables.isInside ? this.#styles.ofTable(this.#tables.style) : [{}];
    return layers.map((layer) => {
      const all = [this.#styles.usual, layer, ...said];
      const isVanished = this.#run.isVanished ?? all.some((one) => one.isVanished === true);
      return Object.assign({}, ...all, { isVanished });
    });
  }
}
