/** Text of a Word document (ECMA-376 part 1, WordprocessingML): its main part, paragraph by paragraph, without text that is marked
 *  as hidden or deleted, is too small to read, or has the colour of what is behind it, by its own properties or by its styles. */
import { SaxesParser, type SaxesTagNS } from "saxes";
import { type CountRemoval, cleanText } from "#/src/formats/text/clean-text.ts";
import {
  attributeValue,
  type DocumentStyles,
  hidingOf,
  type LetterProperties,
  noStyles,
  noteProperty,
  readStyles,
} from "./docx-style.ts";
import { readZipEntry } from "./zip.ts";

/** Bound on the unpacked main part. */
const xmlBytesMax = 16 * 1024 * 1024;
const stylesBytesMax = 4 * 1024 * 1024;
const textLengthMax = 1024 * 1024;
const tagsMax = 500_000;
const depthMax = 200;

const namespaces: ReadonlySet<string> = new Set([
  "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
  "http://purl.oclc.org/ooxml/wordprocessingml/main",
]);

class TooMuch extends Error {}

/** undefined if the bytes are not such a document. */
export function docxText(bytes: Buffer, count: CountRemoval): string | undefined {
  const xml = readZipEntry(bytes, "word/document.xml", xmlBytesMax);
  if (xml === undefined) return undefined;
  if (xml === "over-limit") {
    count("over-limit", 1);
    return "";
  }
  const sheet = readZipEntry(bytes, "word/styles.xml", stylesBytesMax);
  if (sheet === "over-limit") {
    count("over-limit", 1);
    return "";
  }
  const styles = sheet === undefined ? noStyles : readStyles(sheet.toString("utf8"));
  const reader = new DocumentReader(count, styles);
  const parser = new SaxesParser({ xmlns: true });
  let tags = 0;
  let depth = 0;
  parser.on("doctype", () => {
    throw new TooMuch();
  });
  parser.on("opentag", (tag) => {
    if (++tags > tagsMax || ++depth > depthMax || reader.length > textLengthMax) throw new TooMuch();
    if (namespaces.has(tag.uri)) reader.open(tag);
  });
  parser.on("closetag", (tag) => {
    depth--;
    if (namespaces.has(tag.uri)) reader.close(tag.local);
  });
  parser.on("text", (text) => reader.text(text));
  try {
    parser.write(xml.toString("utf8")).close();
  } catch (error) {
    if (error instanceof TooMuch) count("over-limit", 1);
    else count("undecodable", 1);
  }
  return cleanText(reader.toString(), count);
}

class DocumentReader {
  readonly #written: string[] = [];
  readonly #count: CountRemoval;
  length = 0;
  #isInText = false;
  /** Where properties are noted: of the run, the paragraph, the cell. */
  #noted: LetterProperties | undefined;
  #run: LetterProperties = {};
  #runStyle: string | undefined;
  #paragraph: LetterProperties = {};
  #paragraphStyle: string | undefined;
  readonly #cells: LetterProperties[] = [];
  readonly #styles: DocumentStyles;
  #deleted = 0;

  constructor(count: CountRemoval, styles: DocumentStyles) {
    this.#count = count;
    this.#styles = styles;
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

  open(tag: SaxesTagNS): void {
    switch (tag.local) {
      case "p":
        this.#paragraph = {};
        this.#paragraphStyle = undefined;
        break;
      case "r":
        this.#run = {};
        this.#runStyle = undefined;
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
        if (this.#noted !== undefined) noteProperty(this.#noted, tag);
    }
  }

  close(name: string): void {
    if (name === "rPr" || name === "pPr" || name === "tcPr") this.#noted = undefined;
    else if (name === "t") this.#isInText = false;
    else if (name === "del" || name === "moveFrom") this.#deleted--;
    else if (name === "p") this.#write("\n");
    else if (name === "tc") {
      this.#cells.pop();
      this.#write("\t");
    } else if (name === "tr") this.#write("\n");
  }

  text(text: string): void {
    if (!this.#isInText || text === "") return;
    const hiding = hidingOf(this.#letters());
    if (hiding !== undefined) this.#count(hiding, 1);
    else if (this.#deleted > 0) this.#count("hidden-element", 1);
    else this.#write(text);
  }

  /** The nearest that is said of each property. */
  #letters(): LetterProperties {
    return {
      ...this.#styles.usual,
      ...this.#cells.at(-1),
      ...this.#styles.of(this.#paragraphStyle),
      ...this.#paragraph,
      ...(this.#runStyle === undefined ? {} : this.#styles.of(this.#runStyle)),
      ...this.#run,
    };
  }
}
