/** A page as lines of text, or of Markdown. Paragraphs stand apart, quotations are marked with ">", and the address of a link
 *  stands at the end of its line, so that a sentence with a link in it stays a sentence; in Markdown it stands at the link. */

import type { NoteKind, NotePlaces } from "#/src/formats/text/own-lines.ts";
import type { Style } from "./computed-style.ts";
import { saysAddress } from "./links.ts";
import type { HtmlElement } from "./tree.ts";
import { attributeOf } from "./tree.ts";
import type { PageWriter } from "./walk.ts";

export type TextForm = "text" | "markdown";

/** Blocks with an empty line before and after them. */
const apart = new Set("p h1 h2 h3 h4 h5 h6 ul ol dl blockquote pre table hr figure".split(" "));
const headings: ReadonlyMap<string, string> = new Map(
  [1, 2, 3, 4, 5, 6].map((level) => [`h${level}`, `${"#".repeat(level)} `]),
);
const emphasis: ReadonlyMap<string, string> = new Map([
  ["b", "**"],
  ["strong", "**"],
  ["i", "*"],
  ["em", "*"],
  ["s", "~~"],
  ["strike", "~~"],
  ["del", "~~"],
  ["code", "`"],
]);
const inlineBoxes = new Set(["inline-block", "inline-flex", "inline-table", "inline-grid"]);

interface OpenLink {
  readonly line: number;
  readonly column: number;
}

interface EndLink {
  readonly label: string;
  readonly url: string;
}

interface List {
  readonly isOrdered: boolean;
  next: number;
}

const labelMax = 60;
const quotesMax = 20;

export class TextWriter implements PageWriter {
  readonly #isMarkdown: boolean;
  readonly #lineInPlace: (passages: number) => string;
  readonly #lines: string[] = [];
  #line = "";
  #wantsBlank = false;
  #wantsGap = "";
  #leftOut = 0;
  #links: EndLink[] = [];
  #quotes = 0;
  #quotesBefore = 0;
  #pre = 0;
  readonly #indents: string[] = [];
  #marker: string | undefined;
  readonly #lists: List[] = [];
  readonly #openLinks: OpenLink[] = [];
  #heading = "";
  readonly #marks: { readonly mark: string; readonly line: number; readonly column: number }[] = [];

  readonly #notes: NotePlaces;

  /** `lineInPlace`: the line in the place of so many passages that are left out. */
  constructor(form: TextForm, notes: NotePlaces, lineInPlace: (passages: number) => string) {
    this.#isMarkdown = form === "markdown";
    this.#notes = notes;
    this.#lineInPlace = lineInPlace;
  }

  toString(): string {
    this.#tellLeftOut();
    this.#endLine();
    while (this.#lines.at(-1)?.trim() === "") this.#lines.pop();
    return this.#lines.join("\n");
  }

  leaveOut(): void {
    this.#leftOut++;
  }

  /** A line of its own, in the place of what is not there. */
  #tellLeftOut(): void {
    if (this.#leftOut === 0) return;
    this.#endLine();
    this.#push(this.#prefix() + this.#lineInPlace(this.#leftOut));
    this.#leftOut = 0;
  }

  text(text: string, style: Style): void {
    if (this.#leftOut > 0 && text.trim() !== "") this.#tellLeftOut();
    const { whiteSpace } = style;
    if (
      whiteSpace === "pre" ||
      whiteSpace === "pre-wrap" ||
      whiteSpace === "break-spaces" ||
      whiteSpace === "pre-line"
    ) {
      const [first = "", ...rest] = text.split(/\r\n|[\n\r]/);
      this.#put(first);
      for (const line of rest) {
        this.#breakHard();
        this.#put(line);
      }
      return;
    }
    const collapsed = text.replace(/[ \t\n\f\r]+/g, " ");
    this.#put(/^$|[ \t]$/.test(this.#line) ? collapsed.replace(/^ /, "") : collapsed);
  }

  note(kind: NoteKind, words: string): void {
    if (this.#leftOut > 0) this.#tellLeftOut();
    const { begin, end } = this.#notes;
    this.#gap(" ");
    this.#put(`${begin}${kind}:${words}${end}`, true);
    this.#gap(" ");
  }

  #put(text: string, isNote = false): void {
    if (text === "") return;
    if (this.#line === "") {
      if (/^[ \t]*$/.test(text) && this.#pre === 0) return;
      this.#line = this.#heading;
    } else if (this.#wantsGap !== "" && text.trim() !== "") {
      if (!/\s$/.test(this.#line) && !/^\s/.test(text)) this.#line += this.#wantsGap;
      else if (this.#wantsGap === "\t") this.#line = `${this.#line.trimEnd()}\t`;
      else if (this.#wantsGap !== " ") this.#line = this.#line.trimEnd() + this.#wantsGap;
    }
    if (text.trim() !== "") this.#wantsGap = "";
    this.#line +=
      this.#isMarkdown && this.#pre === 0 && !isNote ? escapeMarkdown(text, this.#line === "") : text;
  }

  open(element: HtmlElement, style: Style, url: string | undefined): void {
    const { name } = element;
    if (name === "br") {
      this.#breakHard();
      return;
    }
    this.#openBox(name, style);
    if (name === "blockquote") this.#quotes++;
    else if (name === "ul" || name === "ol" || name === "menu") {
      if (this.#lists.length > 0) this.#indents.push("  ");
      this.#lists.push({ isOrdered: name === "ol", next: startOf(element) });
    } else if (name === "li") this.#openItem();
    else if (name === "pre") {
      this.#pre++;
      if (this.#isMarkdown) this.#push(`${this.#prefix()}\`\`\``);
    } else if (name === "hr" && this.#isMarkdown) this.#line = "---";
    else if (url !== undefined) this.#openLinks.push({ line: this.#lines.length, column: this.#line.length });
    if (this.#isMarkdown) {
      this.#heading = headings.get(name) ?? this.#heading;
      const mark = emphasis.get(name);
      if (mark !== undefined && this.#pre === 0)
        this.#marks.push({ mark, line: this.#lines.length, column: this.#line.length });
    }
  }

  close(element: HtmlElement, style: Style, url: string | undefined): void {
    const { name } = element;
    if (name === "br") return;
    if (this.#isMarkdown && emphasis.has(name) && this.#pre === 0) this.#closeMark();
    if (url !== undefined) this.#closeLink(url);
    if (name === "pre") {
      this.#endLine();
      this.#pre--;
      if (this.#isMarkdown) this.#push(`${this.#prefix()}\`\`\``);
    }
    this.#closeBox(name, style);
    if (name === "blockquote") this.#quotes--;
    else if (name === "ul" || name === "ol" || name === "menu") {
      this.#lists.pop();
      if (this.#lists.length > 0) this.#indents.pop();
    } else if (name === "li") {
      this.#indents.pop();
      this.#marker = undefined;
    }
    if (headings.has(name)) this.#heading = "";
  }

  #openBox(name: string, style: Style): void {
    const { display } = style;
    if (isBlock(display)) {
      this.#endLine();
      if (isApart(name, style) && (this.#lists.length === 0 || name === "blockquote" || name === "pre"))
        this.#wantsBlank = true;
    } else if (display === "table-cell") this.#gap(this.#isMarkdown ? " | " : "\t");
    else if (inlineBoxes.has(display)) this.#gap(" ");
  }

  #closeBox(name: string, style: Style): void {
    const { display } = style;
    if (isBlock(display)) {
      this.#endLine();
      if (isApart(name, style) && (this.#lists.length <= 1 || name === "blockquote" || name === "pre"))
        this.#wantsBlank = true;
    } else if (inlineBoxes.has(display)) this.#gap(" ");
  }

  #gap(gap: string): void {
    if (this.#line.trim() !== "") this.#wantsGap = gap;
  }

  #openItem(): void {
    const list = this.#lists.at(-1);
    const marker = list?.isOrdered ? `${list.next++}. ` : "- ";
    this.#marker = marker;
    this.#indents.push(" ".repeat(marker.length));
  }

  #prefix(): string {
    const quotes = quoteMarks(this.#quotes);
    if (this.#marker === undefined) return quotes + this.#indents.join("");
    const prefix = quotes + this.#indents.slice(0, -1).join("") + this.#marker;
    this.#marker = undefined;
    return prefix;
  }

  /** Ends the line if there is one. */
  #endLine(): void {
    this.#wantsGap = "";
    if (this.#line.trim() === "" && (this.#pre === 0 || this.#line === "")) {
      // A paragraph of one space that does not break is an empty line.
      if (this.#line.includes("\u00a0")) this.#wantsBlank = true;
      this.#line = "";
      return;
    }
    this.#flush();
  }

  /** Ends the line, or makes an empty one. */
  #breakHard(): void {
    this.#wantsGap = "";
    if (this.#line.trim() === "" && this.#pre === 0) {
      this.#line = "";
      this.#wantsBlank = true;
    } else this.#flush();
  }

  #flush(): void {
    const body = this.#pre > 0 ? this.#line : this.#line.trimEnd();
    const links = this.#links.splice(0);
    this.#push((this.#prefix() + body + links.map((link) => linkText(link, body)).join("")).trimEnd());
    this.#line = "";
  }

  /** A line, and before it the empty one that is owed, as deep in quotations as both its neighbours. */
  #push(line: string): void {
    if (this.#wantsBlank && this.#lines.length > 0)
      this.#lines.push(quoteMarks(Math.min(this.#quotes, this.#quotesBefore)).trimEnd());
    this.#wantsBlank = false;
    this.#quotesBefore = this.#quotes;
    this.#lines.push(line);
  }

  #closeLink(url: string): void {
    const start = this.#openLinks.pop();
    if (start === undefined) return;
    const isHere = start.line === this.#lines.length;
    const said = (isHere ? this.#line.slice(start.column) : this.#line).trim();
    // A label is cut, and a note stays whole.
    const label = !this.#isMarkdown && said.includes(this.#notes.begin) ? "" : said;
    if (saysAddress(label, url)) return;
    if (this.#isMarkdown) {
      if (isHere && label !== "") {
        const before = this.#line.slice(0, start.column);
        const space = /^\s*/.exec(this.#line.slice(start.column))![0];
        this.#line = `${before}${space}[${label}](${url})`;
      } else if (this.#line === "" && this.#lines.length > start.line)
        this.#lines[this.#lines.length - 1] += ` <${url}>`;
      else this.#put(` <${url}>`);
      return;
    }
    if (label === "" && this.#lines.length > start.line && this.#line === "") {
      this.#lines[this.#lines.length - 1] += ` <${url}>`;
    } else {
      if (label === "" && this.#line === "") this.#line = " ";
      if (!this.#links.some((link) => link.url === url)) this.#links.push({ label, url });
      if (this.#line.trim() === "") {
        this.#line = `<${url}>`;
        this.#links.pop();
      }
    }
  }

  #closeMark(): void {
    const start = this.#marks.pop();
    if (start === undefined || start.line !== this.#lines.length) return;
    const inside = this.#line.slice(start.column);
    const words = inside.trim();
    if (words === "" || words.startsWith(start.mark[0]!) || /[[|]/.test(words)) return;
    const lead = inside.slice(0, inside.indexOf(words));
    const tail = inside.slice(lead.length + words.length);
    this.#line = `${this.#line.slice(0, start.column)}${lead}${start.mark}${words}${start.mark}${tail}`;
  }
}

function quoteMarks(depth: number): string {
  return "> ".repeat(Math.min(quotesMax, depth));
}

function linkText({ label, url }: EndLink, line: string): string {
  if (label === "" || line.trim().endsWith(label)) return ` <${url}>`;
  const short = label.length > labelMax ? `${label.slice(0, labelMax).toWellFormed()}…` : label;
  return ` <${short}: ${url}>`;
}

function isBlock(display: string): boolean {
  return !(display.startsWith("inline") || display === "table-cell" || display === "contents");
}

/** Paragraphs without a margin are lines. */
function isApart(name: string, { above, below, values }: Style): boolean {
  const isTight = above === 0 && below === 0 && (values.has("margin-top") || values.has("margin-bottom"));
  return apart.has(name) && !(isTight && name === "p");
}

function startOf(list: HtmlElement): number {
  const start = Number(attributeOf(list, "start") ?? 1);
  return Number.isSafeInteger(start) && Math.abs(start) < 1e6 ? start : 1;
}

/** Only what would be read as something else. */
function escapeMarkdown(text: string, isFirst: boolean): string {
  let escaped = text
    .replaceAll("`", "\\`")
    .replaceAll("](", "]\\(")
    .replaceAll(/<(?=[a-z/!?])/gi, "\\<")
    .replaceAll(/(^|[\s(])([*_]+)(?=\S)/g, (_, before: string, marks: string) => `${before}\\${marks}`);
  if (isFirst) escaped = escaped.replace(/^(\s*)(#{1,6}\s|>|[-+]\s|\d{1,9}[.)]\s|```|---)/, "$1\\$2");
  return escaped;
}
