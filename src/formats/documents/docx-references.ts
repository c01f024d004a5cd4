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
  /** It begins on the page of the one before. */
  isContinuous: boolean;
  /** It stands where sections do. */
  readonly isUsual: boolean;
}

const relationships: ReadonlySet<string> = new Set([
  "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
  "http://purl.oclc.org/ooxml/officeDocument/relationships",
]);

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
        this.#section = { found: [], hasTitlePage: false, isContinuous: false, isUsual };
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
        if (section !== undefined) section.isContinuous ||= attributeValue(tag, "val") === "continuous";
        break;
    }
  }

  close(name: string): void {
    if (name === "sectPr") this.#section = undefined;
  }

  /** Each once; what no page shows is not among them. */
  shown(hasEvenPages: boolean): readonly Reference[] {
    const all = new Map<string, Reference>();
    for (const [at, { found, hasTitlePage, isContinuous, isUsual }] of this.#sections.entries())
      for (const { kind, type, id } of found) {
        if (type === "first" ? !hasTitlePage : type === "even" && !hasEvenPages) continue;
        // Of a section with a title page the other pages may not be there, and of one that begins on a page of another one.
        const isFirst = hasTitlePage ? type === "first" : type === "default";
        const isSure = isFirst && isUsual && (at === 0 || !isContinuous);
        all.set(id, { kind, id, isSure: isSure || all.get(id)?.isSure === true });
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
