/** Elements of a request's XML body, with their names resolved (XML Namespaces 1.0). */
import { davNamespace, isNamed, type XmlName, xmlNamespace } from "./names.ts";

export interface XmlAttribute extends XmlName {
  readonly value: string;
}

export interface XmlElement extends XmlName {
  /** The attributes, without namespace declarations. */
  readonly attributes: readonly XmlAttribute[];
  /** Elements and text, in order. */
  readonly content: readonly (XmlElement | string)[];
  /** The elements of `content`. */
  readonly children: readonly XmlElement[];
  /** The text of `content`, joined. */
  readonly text: string;
}

export function findChild(element: XmlElement, name: XmlName): XmlElement | undefined {
  return element.children.find((child) => isNamed(child, name));
}

export function listChildren(element: XmlElement, name: XmlName): readonly XmlElement[] {
  return element.children.filter((child) => isNamed(child, name));
}

/** The value of an attribute; the attributes of WebDAV have no namespace. */
export function findAttribute(element: XmlElement, name: string, namespace = ""): string | undefined {
  return element.attributes.find((one) => one.name === name && one.namespace === namespace)?.value;
}

/** The text of a child that has only text, without the white space around it. */
export function childText(element: XmlElement, name: XmlName): string | undefined {
  return findChild(element, name)?.text.trim();
}

/** DAV:href elements of an element, in order. */
export function listHrefs(element: XmlElement): readonly string[] {
  return listChildren(element, { namespace: davNamespace, name: "href" }).map(({ text }) => text.trim());
}

/** `xml:lang` of the element itself. */
export function languageOf(element: XmlElement): string | undefined {
  return findAttribute(element, "lang", xmlNamespace);
}
