/** The styles of a Word document (ECMA-376 part 1, section 17.7). */
import type { SaxesTagNS } from "saxes";
import { type LetterProperties, noteProperty } from "./docx-style.ts";
import type { ThemeColours } from "./docx-theme.ts";
import { attributeValue, isOfBefore, isTrue, isWord, isWord2010, readXml } from "./docx-xml.ts";

export type StyleKind = "paragraph" | "character" | "table";

export interface DocumentStyles {
  /** Of a paragraph, a run or a table with this style, and of the styles that it is based on. One that is not there is the usual one. */
  of(kind: StyleKind, style: string | undefined): LetterProperties;
  /** Of letters that no style is said for. */
  readonly usual: LetterProperties;
  /** What a style of tables says of the whole table and of its rows and columns, each by itself. */
  ofTable(style: string | undefined): readonly LetterProperties[];
  /** Programs may differ in what the styles say. */
  readonly isUnclear: boolean;
}

export const noStyles: DocumentStyles = {
  of: () => ({}),
  usual: {},
  ofTable: () => [{}],
  isUnclear: false,
};

/** Styles that one is based on, one behind the other. */
const chainMax = 20;
const stylesMax = 5000;
/** Rows and columns of a table of which a style speaks, and those that it is based on. */
const partsMax = 50;

interface Style {
  readonly kind: string;
  readonly said: LetterProperties;
  /** Of rows and columns of a table. */
  readonly parts: LetterProperties[];
  basedOn?: string;
}

/** `xml`: the part with the styles. */
export function readStyles(xml: Buffer, theme: ThemeColours): DocumentStyles {
  const reader = new StylesReader(theme);
  const end = readXml(xml, { open: (tag) => reader.open(tag), close: (tag) => reader.close(tag) });
  const { styles, defaults, usual } = reader;
  let isUnclear = reader.isUnclear || end !== "end";

  /** A style and those that it is based on, the nearest first. */
  function chainOf(first: string): readonly Style[] {
    const chain: Style[] = [];
    for (let name: string | undefined = first; name !== undefined; ) {
      const found: Style | undefined = styles.get(name);
      if (found === undefined) break;
      if (chain.includes(found) || chain.length >= chainMax) {
        isUnclear = true;
        break;
      }
      chain.push(found);
      name = found.basedOn;
    }
    return chain;
  }
  const chains = new Map([...styles.keys()].map((name) => [name, chainOf(name)]));
  const none: readonly Style[] = [];
  for (const chain of chains.values())
    isUnclear ||= chain.reduce((sum, { parts }) => sum + parts.length, 0) > partsMax;

  function chainFor(kind: StyleKind, style: string | undefined): readonly Style[] {
    const chain = style === undefined ? undefined : chains.get(style.toLowerCase());
    return chain?.[0]?.kind === kind ? chain : (chains.get(defaults.get(kind) ?? "") ?? none);
  }
  /** Of a style and those that it is based on: itself, and each of its parts. */
  const layers = new Map<readonly Style[], readonly [LetterProperties, ...LetterProperties[]]>();
  function layersOf(
    kind: StyleKind,
    style: string | undefined,
  ): readonly [LetterProperties, ...LetterProperties[]] {
    const chain = chainFor(kind, style);
    const known = layers.get(chain);
    if (known !== undefined) return known;
    const whole: LetterProperties = Object.assign({}, ...chain.map(({ said }) => said).toReversed());
    const parts = chain.flatMap(({ parts: own }) => own.slice(0, partsMax));
    const found: [LetterProperties, ...LetterProperties[]] = [whole];
    for (const one of parts) found.push({ ...whole, ...one });
    layers.set(chain, found);
    return found;
  }

  return {
    of: (kind, style) => layersOf(kind, style)[0],
    usual,
    ofTable: (style) => layersOf("table", style),
    isUnclear,
  };
}

class StylesReader {
  readonly styles = new Map<string, Style>();
  readonly defaults = new Map<string, string>();
  readonly usual: LetterProperties = {};
  isUnclear = false;
  readonly #theme: ThemeColours;
  #style: Style | undefined;
  #part: LetterProperties | undefined;
  #isDefault = false;
  #isInFill = false;
  /** Inside of what was before a change, or of what no program shows. */
  #outside = 0;

  constructor(theme: ThemeColours) {
    this.#theme = theme;
  }

  open(tag: SaxesTagNS): void {
    if (this.#isOutside(tag)) {
      // One of several forms counts, and here it is not asked which.
      if (tag.local === "AlternateContent") this.isUnclear = true;
      this.#outside++;
      return;
    }
    if (this.#outside > 0) return;
    if (isWord2010(tag)) {
      if (tag.local === "textFill") this.#isInFill = true;
      else if (this.#isInFill) this.#note(tag);
      return;
    }
    switch (tag.local) {
      case "docDefaults":
        this.#isDefault = true;
        break;
      case "style":
        this.#begin(tag);
        break;
      case "basedOn":
        if (this.#style !== undefined) this.#style.basedOn = attributeValue(tag, "val").toLowerCase();
        break;
      case "tblStylePr":
        this.#part = {};
        if ((this.#style?.parts.length ?? 0) > partsMax) this.isUnclear = true;
        else this.#style?.parts.push(this.#part);
        break;
      default:
        this.#note(tag);
    }
  }

  close(tag: SaxesTagNS): void {
    if (this.#isOutside(tag)) this.#outside--;
    else if (this.#outside > 0) return;
    else if (isWord2010(tag)) this.#isInFill &&= tag.local !== "textFill";
    else if (tag.local === "docDefaults") this.#isDefault = false;
    else if (tag.local === "style") this.#style = undefined;
    else if (tag.local === "tblStylePr") this.#part = undefined;
  }

  #isOutside(tag: SaxesTagNS): boolean {
    return (isWord(tag) && isOfBefore(tag.local)) || (!isWord(tag) && !isWord2010(tag));
  }

  #begin(tag: SaxesTagNS): void {
    const name = attributeValue(tag, "styleId").toLowerCase();
    const kind = attributeValue(tag, "type") || "paragraph";
    this.#style = { kind, said: {}, parts: [] };
    if (this.styles.has(name) || this.styles.size >= stylesMax) this.isUnclear = true;
    else this.styles.set(name, this.#style);
    if (!isTrue(attributeValue(tag, "default"))) return;
    if (this.defaults.has(kind)) this.isUnclear = true;
    this.defaults.set(kind, name);
  }

  #note(tag: SaxesTagNS): void {
    noteProperty(this.#isDefault ? this.usual : (this.#part ?? this.#style?.said ?? {}), tag, this.#theme);
  }
}
