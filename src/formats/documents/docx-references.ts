/** Which headers, footers and notes of a Word document are shown (ECMA-376 part 1, sections 17.10 and 17.11). */
import type { SaxesTagNS } from "saxes";
import { attributeValue, isOn } from "./docx-xml.ts";

export type PartKind = "header" | "footer" | "footnotes" | "endnotes";

export interface Reference {
  readonly kind: "header" | "footer";
  /** Of the relationship. */
  readonly id: string;
  /** A page surely shows it. */
  readonly isSure: boolean;
}

interface Section {
  readonly found: { readonly kind: "header" | "footer"; readonly type: string; readonly id: string }[];
  hasTitlePage: boolean;
  /** It may begin on the page of the one before. */
  isContinuous: boolean;
  /** Its pages have numbers of their own. */
  isNumbered: boolean;
  /** It stands where sections do. */
  readonly isUsual: boolean;
}

/** Names before the attributes and the types of relationships. */
export const relationships: ReadonlySet<string> = new Set([
  "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
  "http://purl.oclc.org/ooxml/officeDocument/relationships",
]);

const ofNewPages: ReadonlySet<string> = new Set(["", "nextPage", "oddPage", "evenPage"]);

export class DocumentReferences {
  readonly #sections: Section[] = [];
  #section: Section | undefined;
  /** Numbers of notes whose marks are shown. */
  readonly notes: Readonly<Record<"footnotes" | "endnotes", Set<string>>> = {
    footnotes: new Set(),
    endnotes: new Set(),
  };

  /** `around`: the names of the elements around. */
  open(tag: SaxesTagNS, around: readonly string[]): void {
    const section = this.#section;
    switch (tag.local) {
      case "sectPr": {
        const isUsual = around.at(-1) === "body" || around.slice(-3).join(" ") === "body p pPr";
        this.#section = { found: [], hasTitlePage: false, isContinuous: false, isNumbered: false, isUsual };
        this.#sections.push(this.#section);
        break;
      }
      case "headerReference":
      case "footerReference":
        section?.found.push({
          kind: tag.local === "headerReference" ? "header" : "footer",
          type: attributeValue(tag, "type") || "default",
          id: idOf(tag),
        });
        break;
      case "titlePg":
        if (section !== undefined) section.hasTitlePage ||= isOn(tag);
        break;
      case "type":
        if (section !== undefined) section.isContinuous ||= !ofNewPages.has(attributeValue(tag, "val"));
        break;
      case "pgNumType":
        if (section !== undefined) section.isNumbered = true;
        break;
    }
  }

  close(name: string): void {
    if (name === "sectPr") this.#section = undefined;
  }

  /** Each once; what no page shows is not among them. */
  shown(hasEvenPages: boolean): readonly Reference[] {
    const all = new Map<string, Reference>();
    for (const [at, { found, hasTitlePage, isContinuous, isNumbered, isUsual }] of this.#sections.entries()) {
      const counts = Map.groupBy(found, ({ kind, type }) => `${kind} ${type}`);
      // The first page is odd unless a number is said.
      const isOdd = !hasEvenPages || (at === 0 && !isNumbered);
      for (const { kind, type, id } of found) {
        if (type === "first" ? !hasTitlePage : type === "even" && !hasEvenPages) continue;
        // Of a section with a title page the other pages may not be there, and of one that begins on a page of another one.
        const isFirst = hasTitlePage ? type === "first" : type === "default" && isOdd;
        const isOne = counts.get(`${kind} ${type}`)!.length === 1;
        const isSure = isFirst && isOne && isUsual && (at === 0 || !isContinuous);
        all.set(id, { kind, id, isSure: isSure || all.get(id)?.isSure === true });
      }
    }
    return [...all.values()];
  }
}

function idOf(tag: SaxesTagNS): string {
  return (
    Object.values(tag.attributes).find(({ local, uri }) => local === "id" && relationships.has(uri))?.value ??
    ""
  );
}

/** Where a reader is in a part of notes. */
export class DocumentNotes {
  readonly #shown: ReadonlySet<string> | undefined;
  /** Whether each note around is shown. */
  readonly #around: boolean[] = [];
  readonly #begun = new Set<string>();
  /** Of two with one number it is not known which is shown. */
  isUnclear = false;

  /** `shown`: numbers; undefined in a part of another kind. */
  constructor(shown: ReadonlySet<string> | undefined) {
    this.#shown = shown;
  }

  begin(id: string): void {
    this.isUnclear ||= this.#begun.has(id);
    this.#begun.add(id);
    this.#around.push(this.#shown?.has(id) === true);
  }

  end(): void {
    this.#around.pop();
  }

  /** In a note that nobody sees, or in a part of notes but outside of them. */
  get isHidden(): boolean {
    return this.#around.includes(false) || this.#around.length !== (this.#shown === undefined ? 0 : 1);
  }
}
