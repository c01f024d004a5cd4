/** The part of a document that is seen, told in order to whoever writes it down, and what is not, counted. */
import type { Removal } from "#/src/model/removal.ts";
import type { Cascade } from "./cascade.ts";
import { initialStyle, type Style } from "./computed-style.ts";
import { createFlow } from "./flow.ts";
import { linkTarget } from "./links.ts";
import { styleOf } from "./style.ts";
import { isPicture, textOf } from "./survey.ts";
import { attributeOf, type HtmlElement, type HtmlNode } from "./tree.ts";
import { formElements, unseenElements } from "./user-agent.ts";
import { removalOf } from "./visibility.ts";
import type { WorkMeter } from "./work-meter.ts";

export interface PageWriter {
  text(text: string, style: Style): void;
  open(element: HtmlElement, style: Style, url: string | undefined): void;
  close(element: HtmlElement, style: Style, url: string | undefined): void;
}

export interface WalkOptions {
  readonly cascade: Cascade;
  readonly base: string | undefined;
  readonly meter: WorkMeter;
  count(what: Removal, count: number): void;
  /** Told of each picture that is seen, with its `alt`. */
  picture(alt: string): void;
}

export function walkPage(root: HtmlElement, writer: PageWriter, options: WalkOptions): void {
  const { cascade, base, meter, count, picture } = options;
  const flow = createFlow();
  const visit = (node: HtmlNode, style: Style): void => {
    meter.spend(2);
    if (node.kind === "text") visitText(node.text, style);
    else if (node.kind === "element") visitElement(node, style);
  };

  function visitText(text: string, style: Style): void {
    if (!/[^ \t\n\f\r]/.test(text)) {
      if (style.hidden === undefined) writer.text(text, style);
      return;
    }
    const reason =
      removalOf(style, text.trim(), flow.y) ?? (flow.isCutOff(style) ? "zero-size-text" : undefined);
    flow.text(text, style);
    if (reason === undefined) writer.text(text, style);
    else count(reason, 1);
  }

  function visitElement(element: HtmlElement, parent: Style): void {
    const { name } = element;
    if (name === "script" || name === "style" || formElements.has(name)) return;
    if (name === "img") visitPicture(element, parent);
    else if (isNeverSeen(element)) countHidden(element, "hidden-element");
    else {
      const style = styleOf(element, parent, cascade);
      if (style.hidden === undefined) visitSeen(element, style);
      else
        countHidden(element, attributeOf(element, "hidden") === undefined ? style.hidden : "hidden-element");
    }
  }

  function visitPicture(element: HtmlElement, parent: Style): void {
    flow.picture(element);
    if (isPicture(element) && styleOf(element, parent, cascade).hidden === undefined)
      picture(attributeOf(element, "alt") ?? "");
  }

  function visitSeen(element: HtmlElement, style: Style): void {
    const url = element.name === "a" ? targetOf(element) : undefined;
    writer.open(element, style, url);
    flow.open(element, style);
    const isClosed = element.name === "details" && attributeOf(element, "open") === undefined;
    const summary = element.children.find((node) => node.kind === "element" && node.name === "summary");
    for (const child of element.children) {
      if (!isClosed || child === summary) visit(child, style);
      else if (child.kind === "element") countHidden(child, "hidden-element");
      else if (child.kind === "text" && child.text.trim() !== "") count("hidden-element", 1);
    }
    flow.close(element, style);
    writer.close(element, style, url);
  }

  function targetOf(element: HtmlElement): string | undefined {
    const href = attributeOf(element, "href");
    if (href === undefined) return undefined;
    const label = textOf(element);
    if (label.trim() === "" && !hasPicture(element)) return undefined;
    const target = linkTarget(href, label, base);
    if (target === undefined) return undefined;
    if (target === "unsafe" || target.isMisleading) count("unsafe-link", 1);
    return target === "unsafe" ? undefined : target.url;
  }

  function countHidden(element: HtmlElement, reason: Removal): void {
    if (textOf(element.content ?? element).trim() !== "") count(reason, 1);
  }

  for (const child of root.children) visit(child, initialStyle);
}

/** Templates, what is drawn in another way than as text, and what is kept from those who do not see: decoration, or a trap. */
function isNeverSeen(element: HtmlElement): boolean {
  return (
    element.content !== undefined ||
    unseenElements.has(element.name) ||
    element.name.startsWith("annotation") ||
    !(element.isHtml || element.namespace.endsWith("MathML")) ||
    attributeOf(element, "aria-hidden")?.trim().toLowerCase() === "true"
  );
}

function hasPicture(element: HtmlElement): boolean {
  return element.children.some((node) => node.kind === "element" && (isPicture(node) || hasPicture(node)));
}
