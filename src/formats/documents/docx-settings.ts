/** What other parts and the sections of a Word document say of all of its text: fonts that it brings along, lists, pages. */
import type { SaxesTagNS } from "saxes";
import { type PageForm, usualEdge } from "./docx-covers.ts";
import { acrossMost, indentMost, isFontOfSigns, outdentMost } from "./docx-letters.ts";
import { readThemeFonts } from "./docx-theme.ts";
import { attributeValue, isOn, isWord, numberOf, readXml } from "./docx-xml.ts";

/** Twentieths of a point: smaller pages cut letters, and larger margins leave no room for them. */
const pageLeast = 3000;
const marginMost = 8000;
const columnLeast = 600;
const [rubyLeast, rubyMost] = [6, 160];
/** Points. */
const roomLeast = 36;
/** Points of a margin that is not said. */
const usualSide = 72;
const indents = ["left", "start", "firstLine", "leftChars", "startChars"] as const;

export interface DocumentFacts {
  /** Fonts in the document itself, in small letters, and names of the theme for them and for fonts of signs. */
  readonly ownFonts: ReadonlySet<string>;
  readonly hasFarLists: boolean;
}

/** The parts with the lists, with the fonts and with the theme. */
export function readSettings(
  numbering: Buffer | undefined,
  fontTable: Buffer | undefined,
  theme: Buffer | undefined,
): DocumentFacts {
  const ownFonts = new Set<string>();
  let hasFarLists = false;
  let font = "";
  if (fontTable !== undefined)
    readXml(fontTable, {
      open(tag) {
        if (!isWord(tag)) return;
        if (tag.local === "font") font = attributeValue(tag, "name").toLowerCase();
        else if (tag.local.startsWith("embed") || isOfSigns(tag)) ownFonts.add(font);
      },
    });
  if (numbering !== undefined)
    readXml(numbering, {
      open(tag) {
        if (isWord(tag) && tag.local === "tab") hasFarLists ||= (numberOf(tag, "pos") ?? 0) > acrossMost;
        if (isWord(tag) && tag.local === "ind")
          hasFarLists ||=
            indents.some((side) => isFar(numberOf(tag, side))) ||
            (numberOf(tag, "hanging") ?? 0) - (numberOf(tag, "left") ?? numberOf(tag, "start") ?? 0) >
              outdentMost;
      },
    });
  const own = new Set(ownFonts);
  for (const [name, fonts] of readThemeFonts(theme)) {
    const said = fonts.filter(Boolean);
    // Where the theme says none it is not known which one is taken.
    if (
      said.length === 0 ? ownFonts.size > 0 : said.some((font) => ownFonts.has(font) || isFontOfSigns(font))
    )
      own.add(name);
  }
  return { ownFonts: own, hasFarLists };
}

/** Of a font: a program without it takes one of signs in its place (sections 17.8.3.1 and 17.8.3.2). */
function isOfSigns(tag: SaxesTagNS): boolean {
  const value = attributeValue(tag, "val").toLowerCase();
  return tag.local === "altName"
    ? value.split(",").some((name) => isFontOfSigns(name.trim()))
    : tag.local === "charset" && /^0?2$/.test(value);
}

function isFar(place = 0): boolean {
  return place > indentMost || place < -outdentMost;
}

/** Points of the pages of a document; of several forms those that let a shape cover the most. */
export class PageForms {
  #width: number | undefined;
  #height: number | undefined;
  #top: number | undefined;
  #left: number | undefined;
  #bottom: number | undefined;
  #header = usualEdge;
  #footer = usualEdge;
  #hasColumns = false;
  #right: number | undefined;
  #leastSide: number | undefined;
  #sides = 0;
  #ends = 0;

  /** Margins leave no room on some page. */
  get isNarrow(): boolean {
    const { width, height } = this.form;
    return width - this.#sides < roomLeast || height - this.#ends < roomLeast;
  }

  note(tag: SaxesTagNS): void {
    const points = (side: string): number => Math.abs(numberOf(tag, side) ?? 0) / 20;
    if (tag.local === "pgSz") {
      this.#width = Math.max(this.#width ?? 0, points("w"));
      this.#height = Math.max(this.#height ?? 0, points("h"));
    } else if (tag.local === "pgMar") {
      this.#top = Math.min(this.#top ?? points("top"), points("top"));
      this.#left = Math.max(this.#left ?? 0, points("left"));
      this.#right = Math.max(this.#right ?? 0, points("right"));
      this.#leastSide = Math.min(
        this.#leastSide ?? usualSide,
        ...["left", "right"].flatMap((side) => (numberOf(tag, side) === undefined ? [] : [points(side)])),
      );
      this.#sides = Math.max(this.#sides, points("left") + points("right") + points("gutter"));
      this.#ends = Math.max(this.#ends, points("top") + points("bottom"));
      this.#bottom = Math.min(this.#bottom ?? points("bottom"), points("bottom"));
      this.#header = Math.max(this.#header, points("header"));
      this.#footer = Math.max(this.#footer, points("footer"));
    } else if (tag.local === "cols") this.#hasColumns ||= (numberOf(tag, "num") ?? 1) > 1;
  }

  /** Where nothing is said, of the largest usual paper, without a margin. */
  get form(): PageForm {
    return {
      width: this.#width ?? 612,
      height: this.#height ?? 842,
      top: this.#top ?? 0,
      left: this.#left ?? 0,
      right: this.#right ?? 0,
      leastSide: this.#leastSide ?? usualSide,
      bottom: this.#bottom ?? 0,
      header: this.#header,
      footer: this.#footer,
      hasColumns: this.#hasColumns,
    };
  }
}

/** Of an element of a section (section 17.6): its text may not be on the page. Of letters over others (section 17.3.3.26): they may be too
 *  small or too far away. */
export function isPageUnclear(tag: SaxesTagNS): boolean {
  if (tag.local === "pgSz") return ["w", "h"].some((side) => (numberOf(tag, side) ?? pageLeast) < pageLeast);
  if (tag.local === "pgMar")
    return ["left", "right", "top", "bottom", "gutter", "header", "footer"].some(
      (side) => Math.abs(numberOf(tag, side) ?? 0) > marginMost,
    );
  if (tag.local === "hps") return (numberOf(tag, "val") ?? rubyLeast) < rubyLeast;
  if (tag.local === "hpsRaise") return (numberOf(tag, "val") ?? 0) > rubyMost;
  if (tag.local === "col") return (numberOf(tag, "w") ?? columnLeast) < columnLeast;
  if (tag.local !== "cols") return false;
  return (numberOf(tag, "num") ?? 1) > 1 && (numberOf(tag, "space") ?? 0) > marginMost;
}

/** What a tab leads to that has no stop of its own is far away (section 17.15.1.25). */
export function hasFarTabs(settings: Buffer | undefined): boolean {
  let found = false;
  if (settings !== undefined)
    readXml(settings, {
      open(tag) {
        if (isWord(tag) && tag.local === "defaultTabStop") found ||= (numberOf(tag, "val") ?? 0) > indentMost;
      },
    });
  return found;
}

/** Even pages have headers of their own (section 17.10.1). */
export function hasEvenPages(settings: Buffer | undefined): boolean {
  let found = false;
  if (settings !== undefined)
    readXml(settings, {
      open(tag) {
        if (isWord(tag) && tag.local === "evenAndOddHeaders") found ||= isOn(tag);
      },
    });
  return found;
}
