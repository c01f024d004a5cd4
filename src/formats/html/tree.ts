/** HTML as the tree that a browser builds of it (parse5), within bounds: what goes beyond them is cut off, and said. */
import { Parser, type Token, type TreeAdapter, type TreeAdapterTypeMap } from "parse5";
import type { WorkMeter } from "./work-meter.ts";

export interface HtmlElement {
  readonly kind: "element";
  /** Lower case, but for some of SVG. */
  readonly name: string;
  readonly isHtml: boolean;
  readonly namespace: string;
  readonly attributes: Token.Attribute[];
  readonly children: HtmlNode[];
  parent: HtmlElement | undefined;
  /** Of a `template`, which nobody sees. */
  content: HtmlElement | undefined;
}

export interface HtmlText {
  readonly kind: "text";
  text: string;
  parent: HtmlElement | undefined;
}

export interface HtmlComment {
  readonly kind: "comment";
  readonly text: string;
  parent: HtmlElement | undefined;
}

export type HtmlNode = HtmlElement | HtmlText | HtmlComment;

export interface HtmlTree {
  /** A nameless element that holds `html` and what stands beside it. */
  readonly root: HtmlElement;
  /** Without a doctype names of classes and ids have no case, and lengths need no unit. */
  readonly isQuirky: boolean;
  /** Only the source up to about there is in the tree. */
  readonly cutAt: number | undefined;
}

/** Units of a document that are read. Mail programs clip at a fifth of it. */
const htmlLengthMax = 512 * 1024;
/** Elements, texts and comments: what the memory of a tree goes by. */
const nodesMax = 40_000;
/** As deep as a browser nests; it makes brothers of what is deeper. */
const depthMax = 512;
/** Attributes of one element; the parser compares each with those before it. */
const attributesMax = 250;
/** The parser is fed in pieces, and looked after between them. */
const pieceLength = 4096;

const htmlNamespace = "http://www.w3.org/1999/xhtml";

export function attributeOf(element: HtmlElement, name: string): string | undefined {
  for (const attribute of element.attributes) if (attribute.name === name) return attribute.value;
  return undefined;
}

/** Thrown inside the parser only. */
class Beyond extends Error {}

export function parseHtml(source: string, meter: WorkMeter): HtmlTree {
  const adapter = new BoundedAdapter();
  const parser = new Parser<Nodes>({ treeAdapter: adapter, scriptingEnabled: true });
  const end = Math.min(source.length, htmlLengthMax);
  let cutAt = source.length > end ? end : undefined;
  let at = 0;
  try {
    for (; at < end; at += pieceLength) {
      const next = Math.min(end, at + pieceLength);
      parser.tokenizer.write(source.slice(at, next), next === end);
      if (openAttributes(parser) > attributesMax) throw new Beyond();
      meter.check();
    }
  } catch (error) {
    if (!(error instanceof Beyond)) throw error;
    cutAt = at;
  }
  return { root: adapter.root, isQuirky: adapter.isQuirky, cutAt };
}

/** Attributes so far of the tag that the tokenizer is in. */
function openAttributes(parser: Parser<Nodes>): number {
  const { currentToken } = parser.tokenizer as unknown as {
    readonly currentToken: { readonly attrs?: readonly unknown[] } | null;
  };
  return currentToken?.attrs?.length ?? 0;
}

function newElement(name: string, namespace: string, attributes: Token.Attribute[]): HtmlElement {
  return {
    kind: "element",
    name,
    isHtml: namespace === htmlNamespace,
    namespace,
    attributes,
    children: [],
    parent: undefined,
    content: undefined,
  };
}

interface Nodes extends TreeAdapterTypeMap {
  node: HtmlNode;
  parentNode: HtmlElement;
  childNode: HtmlNode;
  document: HtmlElement;
  documentFragment: HtmlElement;
  element: HtmlElement;
  commentNode: HtmlComment;
  textNode: HtmlText;
  template: HtmlElement;
  documentType: HtmlComment;
}

class BoundedAdapter implements TreeAdapter<Nodes> {
  readonly root: HtmlElement = newElement("", "", []);
  isQuirky = false;
  #mode = "no-quirks";
  #nodes = 0;
  #depth = 0;

  #count(): void {
    if (++this.#nodes > nodesMax) throw new Beyond();
  }

  createDocument(): HtmlElement {
    return this.root;
  }
  createDocumentFragment(): HtmlElement {
    return newElement("", "", []);
  }
  createElement(name: string, namespace: string, attributes: Token.Attribute[]): HtmlElement {
    this.#count();
    return newElement(name, namespace, attributes);
  }
  createCommentNode(text: string): HtmlComment {
    this.#count();
    return { kind: "comment", text, parent: undefined };
  }
  createTextNode(text: string): HtmlText {
    this.#count();
    return { kind: "text", text, parent: undefined };
  }
  appendChild(parent: HtmlElement, node: HtmlNode): void {
    parent.children.push(node);
    node.parent = parent;
  }
  insertBefore(parent: HtmlElement, node: HtmlNode, reference: HtmlNode): void {
    // What is inserted goes before a table that was opened last: it is near the end.
    parent.children.splice(parent.children.lastIndexOf(reference), 0, node);
    node.parent = parent;
  }
  detachNode(node: HtmlNode): void {
    const siblings = node.parent?.children;
    if (siblings === undefined) return;
    const at = siblings.lastIndexOf(node);
    if (at !== -1) siblings.splice(at, 1);
    node.parent = undefined;
  }
  insertText(parent: HtmlElement, text: string): void {
    const last = parent.children.at(-1);
    if (last?.kind === "text") last.text += text;
    else this.appendChild(parent, this.createTextNode(text));
  }
  insertTextBefore(parent: HtmlElement, text: string, reference: HtmlNode): void {
    const before = parent.children[parent.children.lastIndexOf(reference) - 1];
    if (before?.kind === "text") before.text += text;
    else this.insertBefore(parent, this.createTextNode(text), reference);
  }
  adoptAttributes(element: HtmlElement, attributes: Token.Attribute[]): void {
    const names = new Set(element.attributes.map(({ name }) => name));
    for (const attribute of attributes) {
      if (element.attributes.length >= attributesMax) throw new Beyond();
      if (!names.has(attribute.name)) element.attributes.push(attribute);
    }
  }
  setTemplateContent(template: HtmlElement, content: HtmlElement): void {
    template.content = content;
  }
  readonly getTemplateContent = (template: HtmlElement): HtmlElement => template.content!;
  readonly setDocumentType = (): void => {};
  setDocumentMode(_document: HtmlElement, mode: string): void {
    this.#mode = mode;
    this.isQuirky = mode === "quirks";
  }
  readonly getDocumentMode = (): never => this.#mode as never;
  readonly getFirstChild = ({ children }: HtmlElement): HtmlNode | null => children[0] ?? null;
  readonly getChildNodes = ({ children }: HtmlElement): HtmlNode[] => children;
  readonly getParentNode = ({ parent }: HtmlNode): HtmlElement | null => parent ?? null;
  readonly getAttrList = ({ attributes }: HtmlElement): Token.Attribute[] => attributes;
  readonly getTagName = ({ name }: HtmlElement): string => name;
  readonly getNamespaceURI = ({ namespace }: HtmlElement): never => namespace as never;
  readonly getTextNodeContent = ({ text }: HtmlText): string => text;
  readonly getCommentNodeContent = ({ text }: HtmlComment): string => text;
  readonly getDocumentTypeNodeName = (): string => "";
  readonly getDocumentTypeNodePublicId = (): string => "";
  readonly getDocumentTypeNodeSystemId = (): string => "";
  readonly isTextNode = (node: HtmlNode): node is HtmlText => node.kind === "text";
  readonly isCommentNode = (node: HtmlNode): node is HtmlComment => node.kind === "comment";
  readonly isDocumentTypeNode = (_node: HtmlNode): _node is HtmlComment => false;
  readonly isElementNode = (node: HtmlNode): node is HtmlElement => node.kind === "element";
  readonly setNodeSourceCodeLocation = (): void => {};
  readonly getNodeSourceCodeLocation = (): undefined => undefined;
  readonly updateNodeSourceCodeLocation = (): void => {};
  onItemPush(): void {
    if (++this.#depth > depthMax) throw new Beyond();
  }
  onItemPop(): void {
    this.#depth--;
  }
}
