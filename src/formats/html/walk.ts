/** Walks over a document: passes the visible content in order to a writer, and counts what is left out. */
import type { NoteKind } from "#/src/formats/text/own-lines.ts";
import type { Doubt, Removal } from "#/src/model/removal.ts";
import { initialStyle, type Style } from "./computed-style.ts";
import { isBlank } from "./fonts.ts";
import { isLoaded, type PictureSizes } from "./held-pictures.ts";
import type { Judgement } from "./judge.ts";
import { linkTarget } from "./links.ts";
import { isPicture, textOf } from "./survey.ts";
import { attributeOf, type HtmlElement, type HtmlNode } from "./tree.ts";
import { formElements, unseenElements } from "./user-agent.ts";
import type { WorkMeter } from "./work-meter.ts";

export interface PageWriter {
  text(text: string, style: Style): void;
  open(element: HtmlElement, style: Style, url: string | undefined): void;
  close(element: HtmlElement, style: Style, url: string | undefined): void;
  /** Called with words that a person sees here, and that are no text of the page. */
  note(kind: NoteKind, words: string): void;
  /** Called when a passage is left out here because it may not be visible. */
  leaveOut(): void;
  /** Called with each text in doubt, after `leaveOut` for its passage. */
  doubt?(text: string, style: Style): void;
  /** Called with each text that is left out here, hidden or in doubt. */
  conceal?(text: string, why: Removal): void;
}

export interface WalkOptions {
  readonly judgement: Judgement;
  readonly base: string | undefined;
  readonly meter: WorkMeter;
  readonly pictures: PictureSizes;
  count(what: Removal, count: number, why?: Doubt): void;
  /** Called for each visible picture, with its `alt`. */
  picture(alt: string): void;
}

/** Words of a page: those that are given, and those that are left out since they may not be visible. */
export interface PageWords {
  readonly given: number;
  readonly doubtful: number;
}

const notesMax = 200;

export function walkPage(root: HtmlElement, writer: PageWriter, options: WalkOptions): PageWords {
  const { judgement, base, meter, pictures, count, picture } = options;
  const words = { given: 0, doubtful: 0 };
  /** The number of blocks so far, and the block of the last doubtful text: one block counts as one passage. */
  let block = 0;
  let notes = 0;
  let lastDoubted = -1;

  const visit = (node: HtmlNode, style: Style, doubt: Doubt | undefined): void => {
    meter.spend(2);
    if (node.kind === "text") {
      const { text } = node;
      if (isBlank(text)) {
        if (style.hidden === undefined && doubt === undefined) writer.text(text, style);
        return;
      }
      const verdict = judgement.verdictOf(node);
      // If boxes may overlap, text may have another backdrop than the computed one.
      const isSure = typeof verdict === "string" && (verdict !== "invisible-colour" || doubt === undefined);
      const why = typeof verdict === "object" ? (doubt ?? verdict.why) : doubt;
      if (isSure || why !== undefined) writer.conceal?.(text, isSure ? verdict : "doubtful");
      if (isSure) count(verdict, 1);
      else if (why === undefined) {
        lastDoubted = -1;
        words.given += wordsIn(text);
        writer.text(text, style);
        return;
      } else words.doubtful += wordsIn(text);
      if (!isSure && lastDoubted !== block) {
        lastDoubted = block;
        count("doubtful", 1, why!);
        writer.leaveOut();
      }
      if (!isSure) writer.doubt?.(text, style);
    } else if (node.kind === "element") visitElement(node, style, doubt);
  };

  function visitElement(element: HtmlElement, parent: Style, around: Doubt | undefined): void {
    const { name } = element;
    if (name === "script" || name === "style") return;
    const doubt = judgement.doubtOf(element) ?? around;
    if (formElements.has(name)) note(element, doubt);
    else if (name === "img") visitPicture(element, doubt);
    else if (name === "svg" && doubt === undefined && judgement.notesOf(element).length > 0)
      note(element, doubt);
    else if (isNeverSeen(element)) countHidden(element, "hidden-element");
    else if (name === "br") {
      writer.open(element, parent, undefined);
      block++;
    } else {
      const style = judgement.styleOf(element)?.style;
      if (style === undefined) countHidden(element, "hidden-element");
      else if (
        style.hidden === undefined ||
        style.hidden === "zero-size-text" ||
        style.hidden === "off-screen"
      )
        visitSeen(element, style, doubt);
      else
        countHidden(element, attributeOf(element, "hidden") === undefined ? style.hidden : "hidden-element");
    }
  }

  function visitPicture(element: HtmlElement, doubt: Doubt | undefined): void {
    // In the place of a picture that the message carries nobody sees its words.
    const alt = isLoaded(element, pictures) ? "" : (attributeOf(element, "alt") ?? "");
    if (!isSeenPicture(element, doubt)) return;
    picture(alt);
    if (alt !== "") note(element, doubt);
  }

  function note(element: HtmlElement, doubt: Doubt | undefined, kind?: NoteKind): void {
    if (doubt !== undefined) return;
    for (const one of judgement.notesOf(element))
      if ((kind === undefined || one.kind === kind) && notes++ < notesMax) writer.note(one.kind, one.words);
  }

  function isSeenPicture(element: HtmlElement, doubt: Doubt | undefined): boolean {
    const style = judgement.styleOf(element)?.style;
    return (
      isPicture(element) &&
      judgement.doubtOf(element) === undefined &&
      style !== undefined &&
      doubt === undefined &&
      style.hidden === undefined &&
      style.isVisible &&
      style.opacity >= 0.4 &&
      style.display !== "none"
    );
  }

  function visitSeen(element: HtmlElement, style: Style, doubt: Doubt | undefined): void {
    const url = element.name === "a" ? targetOf(element, doubt) : undefined;
    const isBlock = style.display !== "inline";
    if (isBlock) block++;
    writer.open(element, style, url);
    note(element, doubt, "before");
    for (const child of element.children)
      if (child.kind === "text" && !isBlank(child.text) && !judgement.wasJudged(child)) {
        writer.conceal?.(child.text, "hidden-element");
        count("hidden-element", 1);
      } else visit(child, style, doubt);
    note(element, doubt, "after");
    writer.close(element, style, url);
    if (isBlock) block++;
  }

  /** The address of a link with visible text. */
  function targetOf(element: HtmlElement, doubt: Doubt | undefined): string | undefined {
    const href = attributeOf(element, "href");
    if (href === undefined || !isAnySeen(element, doubt)) return undefined;
    const label = textOf(element);
    if (label.trim() === "" && !hasPicture(element)) return undefined;
    const target = linkTarget(href, label, base);
    if (target === undefined) return undefined;
    if (target === "unsafe" || target.isMisleading) count("unsafe-link", 1);
    return target === "unsafe" ? undefined : target.url;
  }

  function isAnySeen(element: HtmlElement, around: Doubt | undefined): boolean {
    return element.children.some((child) => {
      meter.spend(1);
      if (child.kind === "text")
        return (
          around === undefined &&
          child.text.trim() !== "" &&
          judgement.wasJudged(child) &&
          judgement.verdictOf(child) === undefined
        );
      if (child.kind !== "element" || isNeverSeen(child))
        return child.kind === "element" && isSeenPicture(child, around);
      return isAnySeen(child, judgement.doubtOf(child) ?? around);
    });
  }

  function countHidden(element: HtmlElement, reason: Removal): void {
    const text = textOf(element.content ?? element);
    if (text.trim() === "") return;
    writer.conceal?.(text, reason);
    count(reason, 1);
  }

  for (const child of root.children) visit(child, initialStyle, judgement.pageDoubt);
  return words;
}

function wordsIn(text: string): number {
  return text.match(/[^\s]+/g)?.length ?? 0;
}

/** Whether the element has no text for readers: templates, and content that is not rendered as text. `aria-hidden` hides from screen
 *  readers alone. */
function isNeverSeen(element: HtmlElement): boolean {
  return (
    element.content !== undefined ||
    unseenElements.has(element.name) ||
    element.name.startsWith("annotation") ||
    !(element.isHtml || element.namespace.endsWith("MathML"))
  );
}

function hasPicture(element: HtmlElement): boolean {
  return element.children.some((node) => node.kind === "element" && (isPicture(node) || hasPicture(node)));
}
