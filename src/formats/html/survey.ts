/** One walk over all of a document: its style, and how much of what is never text there is in it. */
import { asciiLower } from "#/src/formats/css/ascii-case.ts";
import type { Answer } from "#/src/formats/css/media.ts";
import type { StyleSource } from "#/src/formats/css/stylesheet.ts";
import { isHeld } from "#/src/formats/css/value-forms.ts";
import type { Removal } from "#/src/model/removal.ts";
import { attributeOf, type HtmlElement, type HtmlNode } from "./tree.ts";
import { formElements } from "./user-agent.ts";

export interface Survey {
  readonly styles: readonly StyleSource[];
  /** Something outside of style elements decides about all style, in a way that is not understood. */
  readonly isUnclear: boolean;
  /** A link names a style sheet that is fetched. */
  readonly hasRemoteSheet: boolean;
  readonly counts: ReadonlyMap<Removal, number>;
}

export const rawElements = new Set(["script", "style"]);
/** What is in there is no part of the page. */
const inert = new Set(["template", "noscript", "iframe", "noembed", "noframes"]);

export function surveyTree(root: HtmlElement): Survey {
  const styles: (StyleSource & { readonly title: string })[] = [];
  let isUnclear = false;
  let isFocused = false;
  let hasRemoteSheet = false;
  const counts = new Map<Removal, number>();
  const count = (what: Removal): void => void counts.set(what, (counts.get(what) ?? 0) + 1);
  const stack: { readonly node: HtmlNode; readonly isInert: boolean }[] = [{ node: root, isInert: false }];
  const titles = new Set<string>();
  while (stack.length > 0) {
    const { node, isInert } = stack.pop()!;
    if (node.kind === "comment") count("comment");
    if (node.kind !== "element") continue;
    const { name } = node;
    if (name === "script") count("script");
    else if (name === "style") {
      count("style");
      // Of other languages than HTML and SVG, `style` is an element like any other.
      const answer = node.namespace.endsWith("MathML") ? undefined : isOfCss(node);
      if (!isInert && answer !== false)
        styles.push({
          text: node.children.map((child) => (child.kind === "text" ? child.text : "")).join(""),
          isMaybe: answer === undefined,
          media: attributeOf(node, "media") ?? "",
          title: attributeOf(node, "title") ?? "",
        });
    } else if (name === "link" && /stylesheet/i.test(attributeOf(node, "rel") ?? "")) {
      count("style");
      const address = attributeOf(node, "href") ?? "";
      if (isHeld(address)) isUnclear = true;
      hasRemoteSheet ||= isRemote(address);
      titles.add(attributeOf(node, "title") ?? "");
    } else if (name === "meta" && isUnclearMeta(node)) isUnclear = true;
    else if (name === "form" || name === "button" || formElements.has(name)) count("form");
    else if (name === "img" || name === "image") {
      if (isRemote(attributeOf(node, "src") ?? attributeOf(node, "srcset") ?? attributeOf(node, "href")))
        count(isTiny(node) ? "tracking-pixel" : "remote-image");
    }
    if (name === "noscript" && isRichNoscript(textOf(node))) isUnclear = true;
    if (attributeOf(node, "autofocus") !== undefined) isFocused = true;
    if (node.attributes.some((attribute) => /^on[a-z]/.test(attribute.name))) count("active-attribute");
    const children = node.content?.children ?? node.children;
    const isInside = isInert || inert.has(name);
    for (let at = children.length - 1; at >= 0; at--) stack.push({ node: children[at]!, isInert: isInside });
  }
  // Of sheets with titles only those of one title are in force.
  for (const { title } of styles) titles.add(title);
  titles.delete("");
  const hasChoice = titles.size > 1;
  if (isFocused && styles.some(({ text }) => /focus/i.test(text))) isUnclear = true;
  return {
    styles: styles.map(({ title, ...style }) => ({
      ...style,
      isMaybe: style.isMaybe || (hasChoice && title !== ""),
    })),
    isUnclear,
    hasRemoteSheet,
    counts,
  };
}

/** A client without scripts reads what is in there. It is not looked into but for pictures in their place. */
function isRichNoscript(source: string): boolean {
  const rest = source.replaceAll(/<img(?=[\s/>])[^<>]*>/gi, (tag) => (hasPlainStyle(tag) ? "" : tag));
  return /<[a-z!/]/i.test(rest);
}

/** Whether each style of a picture decides only about its size and border. */
function hasPlainStyle(tag: string): boolean {
  const styles = [...tag.matchAll(/\bstyle\s*=\s*(?:"([^"]*)"|'([^']*)')?/gi)];
  return styles.every(([, double, single]) => {
    const text = (double ?? single)?.trim();
    const declarations = text?.replace(/;$/, "").split(";") ?? ["unclear"];
    return text === "" || declarations.every((one) => /^\s*(?:display|border|width|height)\s*:/i.test(one));
  });
}

/** A policy that forbids style, another sheet by default, or a dark page. */
function isUnclearMeta(meta: HtmlElement): boolean {
  const about = asciiLower((attributeOf(meta, "http-equiv") ?? "").trim());
  const content = asciiLower((attributeOf(meta, "content") ?? "").trim());
  if (about === "content-security-policy") return /style|default/.test(content);
  if (about === "default-style") return true;
  const name = asciiLower((attributeOf(meta, "name") ?? "").trim());
  return name === "color-scheme" && /dark/.test(content) && !/light/.test(content);
}

function isOfCss(style: HtmlElement): Answer {
  const type = asciiLower(attributeOf(style, "type") ?? "");
  return type === "" || type === "text/css" ? true : type.trim() === "text/css" ? undefined : false;
}

/** All text inside of an element, without scripts and style. */
export function textOf(element: HtmlElement): string {
  let text = "";
  const stack: HtmlNode[] = [element];
  while (stack.length > 0) {
    const node = stack.pop()!;
    if (node.kind === "text") text += node.text;
    else if (node.kind === "element" && (node === element || !rawElements.has(node.name)))
      for (let at = node.children.length - 1; at >= 0; at--) stack.push(node.children[at]!);
  }
  return text;
}

function isRemote(address: string | undefined): boolean {
  return address !== undefined && /^\s*(?:https?:|\/\/|ftp:)/i.test(address);
}

const sizes = [
  ["width", /(?:^|[;\s])width\s*:\s*(\d+)/i],
  ["height", /(?:^|[;\s])height\s*:\s*(\d+)/i],
] as const;

/** A picture nobody sees, there to be asked for. */
function isTiny(image: HtmlElement): boolean {
  const style = attributeOf(image, "style") ?? "";
  if (/(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(style)) return true;
  return sizes.some(([name, declared]) => {
    const size = attributeOf(image, name) ?? declared.exec(style)?.[1];
    return size !== undefined && /^\s*[0-3](?:px)?\s*$/i.test(size);
  });
}

/** A picture large enough to be clicked on. */
export function isPicture(element: HtmlElement): boolean {
  return element.name === "img" && !isTiny(element);
}
