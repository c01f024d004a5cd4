/** XML of the parts of a Word document: read within bounds, without document types, with the attributes that Word reads. */
import { SaxesParser, type SaxesTagNS } from "saxes";

/** `end`: read to its end. `too-much`: more than the bounds. `broken`: a program that opens it says that it is damaged. */
export type XmlEnd = "end" | "too-much" | "broken";

interface Listener {
  open(tag: SaxesTagNS, resolve: (prefix: string) => string | undefined): void;
  close?(tag: SaxesTagNS): void;
  /** A piece: what stands between two tags may come in several. */
  text?(text: string): void;
}

const tagsMax = 1_000_000;
const depthMax = 200;

class TooMuch extends Error {}

export function readXml(bytes: Buffer, { open, close, text }: Listener): XmlEnd {
  const parser = new SaxesParser({ xmlns: true });
  let tags = 0;
  let depth = 0;
  parser.on("doctype", () => {
    throw new TooMuch();
  });
  parser.on("opentag", (tag) => {
    if (++tags > tagsMax || ++depth > depthMax) throw new TooMuch();
    open(tag, (prefix) => parser.resolve(prefix));
  });
  parser.on("closetag", (tag) => {
    depth--;
    close?.(tag);
  });
  if (text !== undefined) {
    parser.on("text", text);
    parser.on("cdata", text);
  }
  try {
    parser.write(bytes.toString("utf8")).close();
    return "end";
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return error instanceof TooMuch ? "too-much" : "broken";
  }
}

const wordNamespaces: ReadonlySet<string> = new Set([
  "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
  "http://purl.oclc.org/ooxml/wordprocessingml/main",
]);

/** Elements that Word 2010 and later draw letters by, beside those of the standard. */
const wordNamespace2010 = "http://schemas.microsoft.com/office/word/2010/wordml";

export function isWord({ uri }: { readonly uri: string }): boolean {
  return wordNamespaces.has(uri);
}

export function isWord2010({ uri }: { readonly uri: string }): boolean {
  return uri === wordNamespace2010;
}

/** Word's own words, of its first version and of later ones. */
const laterWords = /^http:\/\/schemas\.microsoft\.com\/office\/word\/20\d\d\/wordml/;

/** In the vocabularies of Word attributes have the namespace of their element, in others none: what else has the name says nothing. */
export function attributeValue(tag: SaxesTagNS, name: string): string {
  const uri = isWord(tag) || laterWords.test(tag.uri) ? tag.uri : "";
  return Object.values(tag.attributes).find((one) => one.local === name && one.uri === uri)?.value ?? "";
}

/** Of an element that is a switch. */
export function isOn(tag: SaxesTagNS): boolean {
  return !["0", "false", "off"].includes(attributeValue(tag, "val"));
}

/** Of an attribute that is a switch. */
export function isTrue(value: string): boolean {
  return ["1", "true", "on"].includes(value);
}

export function numberOf(tag: SaxesTagNS, name: string): number | undefined {
  const value = Number.parseFloat(attributeValue(tag, name));
  return Number.isFinite(value) ? value : undefined;
}

export function hexOf(value: string): string {
  return /^[0-9a-f]{6}$/i.test(value) ? value.toLowerCase() : "";
}

/** Elements that say what was before a change that a person has not accepted. */
export function isOfBefore(name: string): boolean {
  return name.endsWith("Change");
}
