/** Pieces of an XML response. A piece is already escaped XML, so pieces are joined and not escaped again. The prefixes of the known
 *  namespaces are declared on the root (`xmlDocument`); an element of another namespace declares its own. */
import type { XmlElement } from "./element.ts";
import { prefixes, type XmlName, xmlNamespace } from "./names.ts";

declare const brand: unique symbol;
export type Xml = string & { readonly [brand]: "xml" };

export type XmlAttributes = Readonly<Record<string, string | undefined>>;

export const noXml = "" as Xml;

const declarations = [...prefixes].map(([namespace, prefix]) => ` xmlns:${prefix}="${namespace}"`).join("");

export function element(name: XmlName, ...content: readonly Xml[]): Xml {
  return elementWith(name, {}, ...content);
}

/** `attributes` are in no namespace. */
export function elementWith(name: XmlName, attributes: XmlAttributes, ...content: readonly Xml[]): Xml {
  const inner = content.join("");
  const written = writeAttributes(attributes);
  const { tag, declaration } = tagOf(name);
  const start = `${tag}${declaration}${written}`;
  return (inner === "" ? `<${start}/>` : `<${start}>${inner}</${tag}>`) as Xml;
}

export function textElement(name: XmlName, text: string): Xml {
  return element(name, escapeText(text));
}

export function join(pieces: readonly Xml[]): Xml {
  return pieces.join("") as Xml;
}

/** A whole response. */
export function xmlDocument(name: XmlName, ...content: readonly Xml[]): string {
  return `${documentStart(name)}${content.join("")}${documentEnd(name)}`;
}

/** The beginning of a response that is written in pieces. */
export function documentStart(name: XmlName): string {
  const { tag, declaration } = tagOf(name);
  return `<?xml version="1.0" encoding="utf-8"?>\n<${tag}${declarations}${declaration}>`;
}

export function documentEnd(name: XmlName): string {
  return `</${tagOf(name).tag}>\n`;
}

const special = /[&<>\r]/;
/** Characters that XML 1.0 section 2.2 does not allow, not even as a reference. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const forbidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const allForbidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/** Text as content of an element. A carriage return is written as a reference, because a parser would read it as a line feed; characters
 *  that XML does not allow become U+FFFD. */
export function escapeText(text: string): Xml {
  const written = holdable(text);
  return (special.test(written) ? written.replace(/[&<>\r]/g, textReference) : written) as Xml;
}

/** An element as it was read, with all its namespaces declared on it, so that it can be part of any response. */
export function writeElement(tree: XmlElement, language?: string): Xml {
  return writeTree(tree, new Map([[xmlNamespace, "xml"]]), language);
}

/** `known`: the prefixes that are declared above, by their namespaces; as it was again when the element is written. */
function writeTree(tree: XmlElement, known: Map<string, string>, language?: string): Xml {
  const own: string[] = [];
  let declared = "";
  const nameIn = (name: XmlName): string => {
    if (name.namespace === "") return name.name;
    let prefix = known.get(name.namespace);
    if (prefix === undefined) {
      prefix = `n${known.size - 1}`;
      known.set(name.namespace, prefix);
      own.push(name.namespace);
      declared += ` xmlns:${prefix}="${escapeAttribute(name.namespace)}"`;
    }
    return `${prefix}:${name.name}`;
  };
  const tag = nameIn(tree);
  const hasLanguage = tree.attributes.some(
    ({ namespace, name }) => namespace === xmlNamespace && name === "lang",
  );
  const attributes = [
    ...tree.attributes,
    ...(language === undefined || hasLanguage
      ? []
      : [{ namespace: xmlNamespace, name: "lang", value: language }]),
  ]
    .map((one) => ` ${nameIn(one)}="${escapeAttribute(one.value)}"`)
    .join("");
  const inner = tree.content
    .map((one) => (typeof one === "string" ? escapeText(one) : writeTree(one, known)))
    .join("");
  for (const namespace of own) known.delete(namespace);
  const start = `${tag}${declared}${attributes}`;
  return (inner === "" ? `<${start}/>` : `<${start}>${inner}</${tag}>`) as Xml;
}

function tagOf({ namespace, name }: XmlName): { readonly tag: string; readonly declaration: string } {
  const prefix = prefixes.get(namespace);
  if (prefix !== undefined) return { tag: `${prefix}:${name}`, declaration: "" };
  if (namespace === "") return { tag: name, declaration: "" };
  return { tag: `x:${name}`, declaration: ` xmlns:x="${escapeAttribute(namespace)}"` };
}

function writeAttributes(attributes: XmlAttributes): string {
  let written = "";
  for (const [name, value] of Object.entries(attributes))
    if (value !== undefined) written += ` ${name}="${escapeAttribute(value)}"`;
  return written;
}

function escapeAttribute(value: string): string {
  return holdable(value).replace(/[&<>"\r\n\t]/g, attributeReference);
}

function holdable(text: string): string {
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed();
  return forbidden.test(wellFormed) ? wellFormed.replace(allForbidden, "\ufffd") : wellFormed;
}

const references: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\r": "&#13;",
  "\n": "&#10;",
  "\t": "&#9;",
};

function textReference(character: string): string {
  return references[character]!;
}

function attributeReference(character: string): string {
  return references[character]!;
}
