/** Text of a Word document (ECMA-376 part 1, WordprocessingML): its main part, paragraph by paragraph, without text that is marked
 *  as hidden or deleted, is too small to read, or is almost white without a background of its own. */
import { SaxesParser, type SaxesTagNS } from "saxes";
import { type CountRemoval, cleanText } from "#/src/formats/text/clean-text.ts";
import { readZipEntry } from "./zip.ts";

/** Bound on the unpacked main part. */
const xmlBytesMax = 16 * 1024 * 1024;
const textLengthMax = 1024 * 1024;
const tagsMax = 500_000;
const depthMax = 200;
/** Smallest font size that is read, in half points. */
const sizeMin = 6;

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
  const reader = new DocumentReader(count);
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
  #isInProperties = false;
  #isHidden: "hidden-by-style" | "invisible-colour" | "zero-size-text" | undefined;
  #deleted = 0;

  constructor(count: CountRemoval) {
    this.#count = count;
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
    const value = (name: string): string =>
      Object.values(tag.attributes).find((attribute) => attribute.local === name)?.value ?? "";
    switch (tag.local) {
      case "r":
        this.#isHidden = undefined;
        break;
      case "rPr":
        this.#isInProperties = true;
        break;
      case "vanish":
      case "webHidden":
        if (this.#isInProperties && !["0", "false", "off"].includes(value("val")))
          this.#isHidden = "hidden-by-style";
        break;
      case "color":
        if (this.#isInProperties && /^f[a-f0-9]f[a-f0-9]f[a-f0-9]$/i.test(value("val")))
          this.#isHidden ??= "invisible-colour";
        break;
      case "shd":
      case "highlight":
        // A light colour is visible on a background of its own.
        if (this.#isHidden === "invisible-colour") this.#isHidden = undefined;
        break;
      case "sz":
        if (this.#isInProperties && Number(value("val")) < sizeMin) this.#isHidden = "zero-size-text";
        break;
      case "t":
        this.#isInText = true;
        break;
      case "del":
      case "moveFrom":
        this.#deleted++;
        break;
      case "tab":
        if (!this.#isInProperties) this.#write("\t");
        break;
      case "br":
      case "cr":
        this.#write("\n");
        break;
    }
  }

  close(name: string): void {
    if (name === "rPr") this.#isInProperties = false;
    else if (name === "t") this.#isInText = false;
    else if (name === "del" || name === "moveFrom") this.#deleted--;
    else if (name === "p") this.#write("\n");
    else if (name === "tc") this.#write("\t");
    else if (name === "tr") this.#write("\n");
  }

  text(text: string): void {
    if (!this.#isInText || text === "") return;
    if (this.#isHidden !== undefined) this.#count(this.#isHidden, 1);
    else if (this.#deleted > 0) this.#count("hidden-element", 1);
    else this.#write(text);
  }
}
