/** Text of a Word document (ECMA-376 part 1, WordprocessingML): its main part, paragraph by paragraph, without text that is marked
 *  as hidden or deleted, is too small to read, or has the colour of what is behind it, by its own properties, its styles or its theme. Text in
 *  boxes and frames that may not be seen whole is doubtful. */
import { SaxesParser, type SaxesTagNS } from "saxes";
import { type CountLeftOut, cleanText } from "#/src/formats/text/clean-text.ts";
import { escapeOwnLines, leftOutLine } from "#/src/formats/text/own-lines.ts";
import { type Unseen, unseenOf } from "./docx-letters.ts";
import { DocumentPlaces } from "./docx-places.ts";
import {
  attributeValue,
  type DocumentStyles,
  hexOf,
  isOfBefore,
  isOn,
  type LetterProperties,
  noStyles,
  noteProperty,
  numberOf,
  readStyles,
  wordNamespace2010,
} from "./docx-style.ts";
import { readTheme, type ThemeColours } from "./docx-theme.ts";
import { readZipEntry } from "./zip.ts";

/** Bound on the unpacked main part. */
const xmlBytesMax = 16 * 1024 * 1024;
const stylesBytesMax = 4 * 1024 * 1024;
const textLengthMax = 1024 * 1024;
const tagsMax = 500_000;
const depthMax = 200;
/** Twentieths of a point: lower rows cut what stands in them. */
const rowLeast = 120;

const namespaces: ReadonlySet<string> = new Set([
  "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
  "http://purl.oclc.org/ooxml/wordprocessingml/main",
]);

class TooMuch extends Error {}

/** undefined if the bytes are not such a document. Lines of the server in it are its own. */
export function docxText(bytes: Buffer, count: CountLeftOut): string | undefined {
  const xml = readZipEntry(bytes, "word/document.xml", xmlBytesMax);
  if (xml === undefined) return undefined;
  const sheet = readZipEntry(bytes, "word/styles.xml", stylesBytesMax);
  const themeXml = readZipEntry(bytes, "word/theme/theme1.xml", stylesBytesMax);
  if (xml === "over-limit" || sheet === "over-limit" || themeXml === "over-limit") {
    count("over-limit", 1);
    return "";
  }
  const theme: ThemeColours = themeXml === undefined ? new Map() : readTheme(themeXml.toString("utf8"));
  const styles = sheet === undefined ? noStyles : readStyles(sheet.toString("utf8"), theme);
  const reader = new DocumentReader(count, styles, theme);
  const parser = new SaxesParser({ xmlns: true });
  let tags = 0;
  let depth = 0;
  parser.on("doctype", () => {
    throw new TooMuch();
  });
  parser.on("opentag", (tag) => {
    if (++tags > tagsMax || ++depth > depthMax || reader.length > textLengthMax) throw new TooMuch();
    reader.open(tag, (prefix) => parser.resolve(prefix));
  });
  parser.on("closetag", (tag) => {
    depth--;
    reader.close(tag);
  });
  parser.on("text", (text) => reader.text(text));
  try {
    parser.write(xml.toString("utf8")).close();
  } catch (error) {
    if (error instanceof TooMuch) count("over-limit", 1);
    else count("undecodable", 1);
  }
  const text = escapeOwnLines(cleanText(reader.toString(), count));
  return reader.leftOut === 0 ? text : `${text}\n${leftOutLine(reader.leftOut)}`.trimStart();
}

/** What is said of the letters around a text box is not said of those in it. */
interface Around {
  readonly paragraph: LetterProperties;
  readonly paragraphStyle: string | undefined;
  readonly run: LetterProperties;
  readonly runStyle: string | undefined;
}

interface Table {
  style: string | undefined;
  isRowHidden: boolean;
  isRowLow: boolean;
}

class DocumentReader {
  readonly #written: string[] = [];
  readonly #count: CountLeftOut;
  readonly #styles: DocumentStyles;
  readonly #theme: ThemeColours;
  readonly #places: DocumentPlaces;
  length = 0;
  leftOut = 0;
  #isInText = false;
  /** Where properties are noted: of the run, the paragraph, the cell. */
  #noted: LetterProperties | undefined;
  #run: LetterProperties = {};
  #runStyle: string | undefined;
  #paragraph: LetterProperties = {};
  #paragraphStyle: string | undefined;
  readonly #cells: LetterProperties[] = [];
  readonly #tables: Table[] = [];
  readonly #around: Around[] = [];
  #paper: readonly string[] = ["ffffff"];
  #deleted = 0;
  /** Inside of what was before a change. */
  #before = 0;
  /** Codes of fields, which are not shown; the result of a field is. */
  readonly #fields: { isCode: boolean }[] = [];

  constructor(count: CountLeftOut, styles: DocumentStyles, theme: ThemeColours) {
    this.#count = count;
    this.#styles = styles;
    this.#theme = theme;
    this.#places = new DocumentPlaces(theme);
  }

  toString(): string {
    return this.#written
      .join("")
      .replace(/\n{3,}/g, "\n\n")
      .trim();
  }

  #write(text: string): void {
    this.#written.push(text);
    this.length += text.length;
  }

  open(tag: SaxesTagNS, resolve: (prefix: string) => string | undefined): void {
    if (namespaces.has(tag.uri) && isOfBefore(tag.local)) this.#before++;
    if (this.#before > 0) return;
    if (!namespaces.has(tag.uri)) {
      if (tag.uri === wordNamespace2010 && this.#noted !== undefined)
        noteProperty(this.#noted, tag, this.#theme);
      this.#places.open(tag, resolve);
      return;
    }
    switch (tag.local) {
      case "p":
        this.#paragraph = {};
        this.#paragraphStyle = undefined;
        this.#places.beginParagraph();
        break;
      case "r":
        this.#run = {};
        this.#runStyle = undefined;
        break;
      case "background": {
        const colour = hexOf(attributeValue(tag, "color"));
        if (colour !== "") this.#paper = ["ffffff", colour];
        break;
      }
      case "txbxContent":
        this.#around.push({
          paragraph: this.#paragraph,
          paragraphStyle: this.#paragraphStyle,
          run: this.#run,
          runStyle: this.#runStyle,
        });
        this.#run = {};
        this.#runStyle = undefined;
        this.#places.beginBoxText();
        break;
      case "framePr":
        this.#places.frame(tag);
        break;
      case "tbl":
        this.#tables.push({ style: undefined, isRowHidden: false, isRowLow: false });
        break;
      case "tblStyle":
        if (this.#tables.length > 0) this.#tables.at(-1)!.style = attributeValue(tag, "val");
        break;
      case "tr":
        Object.assign(this.#tables.at(-1) ?? {}, { isRowHidden: false, isRowLow: false });
        break;
      case "hidden":
        if (this.#tables.length > 0 && isOn(tag)) this.#tables.at(-1)!.isRowHidden = true;
        break;
      case "trHeight":
        if (attributeValue(tag, "hRule") === "exact" && (numberOf(tag, "val") ?? 0) < rowLeast)
          Object.assign(this.#tables.at(-1) ?? {}, { isRowLow: true });
        break;
      case "tc":
        this.#cells.push({});
        break;
      case "tcPr":
        this.#noted = this.#cells.at(-1);
        break;
      case "pPr":
        this.#noted = this.#paragraph;
        break;
      case "rPr":
        // Those of a paragraph are of its mark.
        this.#noted = this.#noted === this.#paragraph ? {} : this.#run;
        break;
      case "pStyle":
        this.#paragraphStyle = attributeValue(tag, "val");
        break;
      case "rStyle":
        this.#runStyle = attributeValue(tag, "val");
        break;
      case "t":
        this.#isInText = true;
        break;
      case "fldChar": {
        const kind = attributeValue(tag, "fldCharType");
        if (kind === "begin") this.#fields.push({ isCode: true });
        else if (kind === "separate" && this.#fields.length > 0) this.#fields.at(-1)!.isCode = false;
        else if (kind === "end") this.#fields.pop();
        break;
      }
      case "del":
      case "moveFrom":
        this.#deleted++;
        break;
      case "tab":
        if (this.#noted === undefined) this.#write("\t");
        break;
      case "br":
      case "cr":
        this.#write("\n");
        break;
      default:
        if (this.#noted !== undefined) noteProperty(this.#noted, tag, this.#theme);
    }
  }

  close({ local: name, uri }: SaxesTagNS): void {
    if (namespaces.has(uri) && isOfBefore(name)) this.#before--;
    if (this.#before > 0) return;
    if (!namespaces.has(uri)) {
      this.#places.close(name);
      return;
    }
    switch (name) {
      case "rPr":
      case "pPr":
      case "tcPr":
        this.#noted = undefined;
        break;
      case "t":
        this.#isInText = false;
        break;
      case "del":
      case "moveFrom":
        this.#deleted--;
        break;
      case "txbxContent": {
        const around = this.#around.pop();
        this.#places.endBoxText();
        if (around === undefined) break;
        this.#paragraph = around.paragraph;
        this.#paragraphStyle = around.paragraphStyle;
        this.#run = around.run;
        this.#runStyle = around.runStyle;
        break;
      }
      case "tbl":
        this.#tables.pop();
        break;
      case "p":
      case "tr":
        this.#write("\n");
        break;
      case "tc":
        this.#cells.pop();
        this.#write("\t");
        break;
    }
  }

  text(text: string): void {
    if (this.#before > 0 || text === "") return;
    if (!this.#isInText) {
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
    if (this.#deleted > 0 || this.#fields.some(({ isCode }) => isCode)) return "hidden-element";
    if (this.#tables.some(({ isRowHidden }) => isRowHidden)) return "hidden-element";
    const letters = this.#possibleLetters();
    const paper = this.#places.paper ?? this.#paper;
    const unseen = unseenOf(letters, paper, this.#places.paper !== undefined);
    if (typeof unseen === "string") return unseen;
    if (this.#tables.some(({ isRowLow }) => isRowLow)) return { why: "may-be-cut-off" };
    return this.#places.unseen(text, letters[0]?.halfPoints ?? 20) ?? unseen;
  }

  /** The nearest that is said of each property, once for each row or column of the style of the table in which the letters may stand.
   *  Styles cannot show what another style hides (section 17.7.3). */
  #possibleLetters(): readonly LetterProperties[] {
    const said = [
      this.#cells.at(-1) ?? {},
      this.#styles.of(this.#paragraphStyle),
      this.#paragraph,
      this.#runStyle === undefined ? {} : this.#styles.of(this.#runStyle),
      this.#run,
    ];
    return this.#styles.ofTable(this.#tables.at(-1)?.style).map((layer) => {
      const all = [this.#styles.usual, layer, ...said];
      const isVanished = this.#run.isVanished ?? all.some((one) => one.isVanished === true);
      return Object.assign({}, ...all, { isVanished });
    });
  }
}
