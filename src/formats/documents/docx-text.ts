/** Text of a Word document (ECMA-376 part 1, WordprocessingML): its main part, paragraph by paragraph, with the headers before it and the notes
 *  and footers behind it, without text that is marked as hidden or deleted, is too small to read, or has the colour of what is behind it, by its
 *  own properties, its styles or its theme. Text in boxes and frames that may not be seen whole is doubtful, and so is what stands in elements
 *  that are not known here. */
import { type CountLeftOut, cleanText } from "#/src/formats/text/clean-text.ts";
import { escapeOwnLines, leftOutLine, withLeftOut } from "#/src/formats/text/own-lines.ts";
import { readBoundTexts } from "./docx-bound.ts";
import { mayCoverAround, mayStandBehind } from "./docx-covers.ts";
import { type DocxParts, findParts } from "./docx-parts.ts";
import { DocumentReader, type PartToRead } from "./docx-reader.ts";
import type { PartKind } from "./docx-references.ts";
import { hasEvenPages, hasFarTabs, readSettings } from "./docx-settings.ts";
import { noStyles, readStyles } from "./docx-styles.ts";
import { readTheme } from "./docx-theme.ts";
import { readXml, type XmlEnd } from "./docx-xml.ts";

/** Headers and footers of a document that are read. */
const partsMost = 30;

/** undefined if the bytes are not such a document. Lines of the server in it are its own. */
export function docxText(bytes: Buffer, count: CountLeftOut): string | undefined {
  const parts = findParts(bytes);
  if (parts === undefined) return undefined;
  if (parts === "over-limit") {
    count("over-limit", 1);
    return "";
  }
  const { styles: sheet, theme: themeXml, settings, numbering, fontTable } = parts.others;
  const theme = readTheme(themeXml, settings);
  const styles = sheet === undefined ? noStyles : readStyles(sheet, theme);
  const facts = { ...readSettings(numbering, fontTable, themeXml), hasFarTabs: hasFarTabs(settings) };
  const bound = readBoundTexts(parts.bound);
  const readers: DocumentReader[] = [];
  const read = (xml: Buffer, part: PartToRead = {}): XmlEnd => {
    const reader = new DocumentReader(count, styles, theme, facts, { ...part, bound });
    readers.push(reader);
    return readXml(xml, {
      open: (tag, resolve) => reader.open(tag, resolve),
      close: (tag) => reader.close(tag),
      text: (text) => reader.text(text),
    });
  };
  const end = read(parts.main);
  const main = readers[0]!;
  // A program shows nothing of a damaged part, and what stands at the end may be about all of it.
  if (end !== "end") {
    count(end === "too-much" ? "over-limit" : "undecodable", 1);
    return "";
  }
  const kinds: (PartKind | "main")[] = ["main"];
  for (const { xml, kind, part } of partsAround(parts, main, hasEvenPages(settings))) {
    const whole = xml === undefined || xml === "over-limit" ? "too-much" : read(xml, part);
    if (whole === "end") kinds.push(kind);
    else {
      count(xml === undefined || whole === "broken" ? "undecodable" : "over-limit", 1);
      if (xml !== undefined && xml !== "over-limit") readers.pop();
    }
  }
  if (readers.some(({ flow }) => flow.isCut)) count("over-limit", 1);
  if (parts.isUnclear || styles.isUnclear || main.page.isNarrow || readers.some((one) => one.isUnclear)) {
    count("doubtful", 1, "whole-document");
    return leftOutLine(1);
  }
  let leftOut = 0;
  const form = main.page.form;
  const { covers } = main.flow;
  for (const [at, { flow, leftOut: left }] of readers.entries()) {
    const kind = kinds[at]!;
    const doubts = [...flow.settleBeyond(form), ...flow.settle(form)];
    if (kind === "header" || kind === "footer")
      doubts.push(...flow.settle(form, covers, (cover, place) => mayCoverAround(cover, place, kind, form)));
    else
      for (const [other, { flow: around }] of readers.entries()) {
        const part = kinds[other]!;
        if (part !== "header" && part !== "footer") continue;
        const behind = around.covers.map((cover) => ({ ...cover, isBehind: true }));
        const { height } = around;
        doubts.push(
          ...flow.settle(form, behind, (cover, place) => mayStandBehind(cover, place, part, form, height)),
        );
      }
    for (const doubt of new Set(doubts))
      count("doubtful", doubts.filter((one) => one === doubt).length, doubt);
    leftOut += left + doubts.length;
  }
  const textOf = (wanted: PartKind | "main"): readonly string[] =>
    readers.filter((_, at) => kinds[at] === wanted).map(({ flow }) => flow.toString());
  const all = (["header", "main", "footnotes", "endnotes", "footer"] as const).flatMap(textOf);
  return withLeftOut(escapeOwnLines(cleanText(all.filter(Boolean).join("\n\n"), count)), leftOut);
}

interface PartAround {
  readonly kind: PartKind;
  readonly xml: Buffer | "over-limit" | undefined;
  readonly part: PartToRead;
}

/** The other parts that pages show beside the main part. */
function partsAround(parts: DocxParts, main: DocumentReader, hasEven: boolean): readonly PartAround[] {
  const { references } = main;
  const around: PartAround[] = references
    .shown(hasEven)
    .slice(0, partsMost)
    .map(({ kind, id, isSure }) => ({
      kind,
      xml: parts.related({ id, kind }),
      part: isSure ? {} : { doubt: "may-be-off-screen" },
    }));
  for (const kind of ["footnotes", "endnotes"] as const)
    if (references.notes[kind].size > 0)
      around.push({ kind, xml: parts.related({ kind }), part: { notes: references.notes[kind] } });
  return around;
}
