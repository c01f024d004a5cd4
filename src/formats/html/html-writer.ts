/** A page as HTML that holds nothing but text and its order: no style, no picture, nothing that acts or is asked for. */
import type { CountRemoval } from "#/src/formats/text/clean-text.ts";
import { cleanText } from "#/src/formats/text/clean-text.ts";
import { leftOutLine, type NoteKind } from "#/src/formats/text/own-lines.ts";
import type { Style } from "./computed-style.ts";
import { attributeOf, type HtmlElement } from "./tree.ts";
import type { PageWriter } from "./walk.ts";

const kept = new Set(
  (
    "a abbr address b bdo big blockquote br caption center cite code dd del dfn div dl dt em figcaption figure h1 h2 h3 h4 " +
    "h5 h6 hr i ins kbd li mark ol p pre q ruby rt s samp section small span strike strong sub sup table tbody td tfoot th " +
    "thead tr tt u ul var wbr"
  ).split(" "),
);
const empty = new Set(["br", "hr", "wbr"]);
const attributes: ReadonlyMap<string, RegExp> = new Map([
  ["colspan", /^\d{1,3}$/],
  ["rowspan", /^\d{1,3}$/],
  ["start", /^-?\d{1,6}$/],
  ["align", /^(?:left|right|center|justify)$/i],
  ["dir", /^(?:ltr|rtl|auto)$/i],
  ["lang", /^[a-z0-9-]{2,35}$/i],
]);

export class HtmlWriter implements PageWriter {
  readonly #written: string[] = [];
  #leftOut = 0;
  readonly #count: CountRemoval;

  constructor(count: CountRemoval) {
    this.#count = count;
  }

  toString(): string {
    this.#tellLeftOut();
    return this.#written.join("").trim();
  }

  leaveOut(): void {
    this.#leftOut++;
  }

  #tellLeftOut(): void {
    if (this.#leftOut > 0) this.#written.push(`<br>${leftOutLine(this.#leftOut)}<br>`);
    this.#leftOut = 0;
  }

  text(text: string, style: Style): void {
    if (text.trim() !== "") this.#tellLeftOut();
    const clean = cleanText(text, this.#count);
    const words = style.whiteSpace.startsWith("pre") ? clean : clean.replace(/[ \t\n\f\r]+/g, " ");
    // A bare bracket begins a line of the server.
    this.#written.push(escapeHtml(words).replaceAll("[", "&#91;"));
  }

  note(kind: NoteKind, words: string): void {
    this.#tellLeftOut();
    const clean = escapeHtml(cleanText(words, this.#count));
    this.#written.push(` [${kind}: ${clean.replaceAll("[", "&#91;").replaceAll("]", "&#93;")}] `);
  }

  open(element: HtmlElement, _style: Style, url: string | undefined): void {
    if (!element.isHtml || !kept.has(element.name)) return;
    this.#written.push(`<${element.name}`);
    if (url !== undefined)
      this.#written.push(
        ` href="${escapeHtml(cleanText(url, this.#count))}" rel="noopener noreferrer nofollow"`,
      );
    for (const [name, form] of attributes) {
      const value = attributeOf(element, name);
      if (value !== undefined && form.test(value)) this.#written.push(` ${name}="${value}"`);
    }
    this.#written.push(">");
  }

  close(element: HtmlElement): void {
    if (element.isHtml && kept.has(element.name) && !empty.has(element.name))
      this.#written.push(`</${element.name}>`);
  }
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
