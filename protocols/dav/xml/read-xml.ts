/** The XML body of a request as a tree of elements (RFC 4918 section 8.2 and 20.6: XML 1.0 with namespaces, in UTF-8 or UTF-16).
 *
 *  A document type declaration is refused, so there are no entities but the five of XML; processing instructions are refused,
 *  comments are dropped. Depth, elements, attributes and text have bounds. Throws `DavError` 400, and 415 for an encoding that
 *  is not read. */
import { SaxesParser } from "saxes";
import { DavError } from "#/protocols/dav/dav-error.ts";
import {
  davXmlAttributesMax,
  davXmlDepthMax,
  davXmlElementsMax,
  davXmlNameCharactersMax,
} from "#/src/model/limits.ts";
import type { XmlAttribute, XmlElement } from "./element.ts";
import { xmlNamespace } from "./names.ts";

const none: readonly never[] = [];

interface OpenElement {
  readonly namespace: string;
  readonly name: string;
  readonly attributes: readonly XmlAttribute[];
  readonly content: (XmlElement | string)[];
}

/** A piece takes the main thread some milliseconds. */
const usualPieceCharacters = 32 * 1024;

/** `charset`: what the Content-Type of the request says, if it says one. */
export function readXml(body: Uint8Array, charset?: string): XmlElement {
  const reading = readXmlPieces(body, charset);
  for (;;) {
    const { done, value } = reading.next();
    if (done === true) return value;
  }
}

/** As `readXml`, in pieces: other work can run between two of them. */
export function* readXmlPieces(
  body: Uint8Array,
  charset?: string,
  pieceCharacters = usualPieceCharacters,
): Generator<void, XmlElement, void> {
  const { text, encoding } = decode(body, charset);
  assertNoDoctype(text);
  const open: OpenElement[] = [];
  let root: XmlElement | undefined;
  let elementCount = 0;
  let attributeCount = 0;
  const parser = new SaxesParser({
    xmlns: true,
    position: false,
    // The characters that 1.1 adds could not be written in an answer.
    forceXMLVersion: true,
    defaultXMLVersion: "1.0",
  });
  parser.on("xmldecl", ({ encoding: declared }) => {
    if (declared !== undefined && charset === undefined && !canBe(declared, encoding))
      throw new DavError(415, `XML in ${declared.slice(0, 40)} is not read; send UTF-8.`);
  });
  parser.on("doctype", refuseDoctype);
  parser.on("processinginstruction", () => {
    throw malformed("it has a processing instruction");
  });
  parser.on("opentagstart", ({ name }) => {
    attributeCount = 0;
    if (name.length > davXmlNameCharactersMax) throw tooMuch("a name is too long");
    if (++elementCount > davXmlElementsMax) throw tooMuch(`it has over ${davXmlElementsMax} elements`);
    if (open.length >= davXmlDepthMax)
      throw tooMuch(`its elements are over ${davXmlDepthMax} inside each other`);
  });
  parser.on("attribute", () => {
    if (++attributeCount > davXmlAttributesMax)
      throw tooMuch(`an element has over ${davXmlAttributesMax} attributes`);
  });
  parser.on("opentag", (tag) => {
    // A response repeats it with each element of the namespace.
    if (tag.uri.length > davXmlNameCharactersMax) throw tooMuch("the name of a namespace is too long");
    const attributes = Object.values(tag.attributes)
      .filter(({ prefix, name }) => prefix !== "xmlns" && name !== "xmlns")
      .map(({ uri, local, value }) => ({ namespace: uri, name: local, value }));
    for (const { namespace, name, value } of attributes) assertRepeatable(namespace, name, value);
    open.push({
      namespace: tag.uri,
      name: tag.local,
      attributes: attributes.length === 0 ? none : attributes,
      content: [],
    });
  });
  const addText = (piece: string): void => {
    const content = open.at(-1)?.content;
    if (content === undefined || piece === "") return;
    const last = content.at(-1);
    if (typeof last === "string") content[content.length - 1] = last + piece;
    else content.push(piece);
  };
  parser.on("text", addText);
  parser.on("cdata", addText);
  parser.on("closetag", () => {
    const element = closed(open.pop()!);
    const parent = open.at(-1);
    if (parent === undefined) root = element;
    else parent.content.push(element);
  });
  try {
    for (let at = 0; at < text.length; at += pieceCharacters) {
      if (at > 0) yield;
      parser.write(text.slice(at, at + pieceCharacters));
    }
    parser.close();
  } catch (error) {
    if (error instanceof DavError) throw error;
    throw malformed("it is not well-formed", error);
  }
  if (root === undefined) throw malformed("it has no element");
  return root;
}

/** Bounds the values that child elements inherit, or that are declared again where they are used. */
function assertRepeatable(namespace: string, name: string, value: string): void {
  if (namespace.length > davXmlNameCharactersMax) throw tooMuch("the name of a namespace is too long");
  if (namespace === xmlNamespace && name === "lang" && value.length > davXmlNameCharactersMax)
    throw tooMuch("the name of a language is too long");
}

function closed({ namespace, name, attributes, content }: OpenElement): XmlElement {
  const children = content.filter((one) => typeof one !== "string");
  const text = content.filter((one) => typeof one === "string").join("");
  return {
    namespace,
    name,
    attributes,
    content: content.length === 0 ? none : content,
    children: children.length === 0 ? none : children,
    text,
  };
}

type Encoding = "utf-8" | "utf-16le" | "utf-16be";

/** XML 1.0 appendix F: a byte order mark, or how `<` is written, tells UTF-16 from UTF-8. */
function decode(
  body: Uint8Array,
  charset: string | undefined,
): { readonly text: string; readonly encoding: Encoding } {
  const [first, second] = body;
  const isLittle = (first === 0xff && second === 0xfe) || (first === 0x3c && second === 0);
  const isBig = (first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c);
  const encoding = isLittle ? "utf-16le" : isBig ? "utf-16be" : "utf-8";
  if (charset !== undefined && !canBe(charset, encoding))
    throw new DavError(415, `XML in ${charset.slice(0, 40)} is not read; send UTF-8.`);
  try {
    return { text: new TextDecoder(encoding, { fatal: true }).decode(body), encoding };
  } catch (error) {
    throw malformed(`it is not ${encoding.toUpperCase()}`, error);
  }
}

function canBe(name: string, encoding: Encoding): boolean {
  const wanted = name.toLowerCase();
  if (encoding === "utf-8") return wanted === "utf-8" || wanted === "utf8" || wanted === "us-ascii";
  return wanted === "utf-16" || wanted === encoding;
}

/** Checks the text before the root element: the parser reports a document type only after it has read the whole of it. */
function assertNoDoctype(text: string): void {
  let at = 0;
  for (;;) {
    while (isSpace(text.charCodeAt(at))) at++;
    if (text.startsWith("<!--", at)) at = endOf(text, "-->", at + 4);
    else if (text.startsWith("<?", at)) at = endOf(text, "?>", at + 2);
    else break;
  }
  if (text.startsWith("<!", at)) refuseDoctype();
}

function endOf(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from);
  return at < 0 ? text.length : at + mark.length;
}

function isSpace(code: number): boolean {
  return code === 32 || code === 9 || code === 10 || code === 13;
}

function refuseDoctype(): never {
  throw malformed("it has a document type declaration");
}

function malformed(why: string, cause?: unknown): DavError {
  return new DavError(400, `The XML of the request is not taken: ${why.slice(0, 400)}.`, { cause });
}

function tooMuch(why: string): DavError {
  return new DavError(400, `The XML of the request is too large: ${why}.`);
}
