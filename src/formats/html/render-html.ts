/** HTML as a person sees it, for those who read: text, Markdown, or HTML with nothing in it but that. What is hidden is left
 *  out and counted. The same document gives the same answer, in bounded time and memory. */

import { randomUUID } from "node:crypto";
import { cleanText } from "#/src/formats/text/clean-text.ts";
import { escapeOwnLines, leftOutLine, withNotes } from "#/src/formats/text/own-lines.ts";
import { noteReading } from "#/src/model/foreign-text.ts";
import { type Doubt, doubts, type Removal, type RemovalCounts, removals } from "#/src/model/removal.ts";
import { DoubtWriter, withPassages } from "./doubt-writer.ts";
import { type ConcealedText, EvidenceWriter } from "./evidence-writer.ts";
import { writeFrame } from "./frame-page.ts";
import { noPictures, type PictureSizes } from "./held-pictures.ts";
import { HtmlWriter } from "./html-writer.ts";
import { baseOf } from "./links.ts";
import { type HtmlForm, overLimit, type RenderedHtml } from "./rendered-html.ts";
import { surveyTree } from "./survey.ts";
import { TextWriter } from "./text-writer.ts";
import { parseHtml } from "./tree.ts";
import { walkPage } from "./walk.ts";
import { judgeWindows } from "./windows.ts";
import { createWorkMeter, OverBudget } from "./work-meter.ts";

export { type HtmlForm, htmlForms, overLimit, type RenderedHtml } from "./rendered-html.ts";

const picturesMax = 50;
const altLengthMax = 500;

/** `pictures`: of the message that the page is a part of. `withDoubtful`: of text and Markdown, passages in doubt are given. */
export function renderHtml(
  source: string,
  form: HtmlForm,
  pictures = noPictures,
  withDoubtful = false,
): RenderedHtml {
  // However short it is.
  noteReading("html", Number.POSITIVE_INFINITY);
  try {
    return renderWithinBudget(source, form, pictures, withDoubtful);
  } catch (error) {
    // RangeError: nested deeper than the stack.
    if (error instanceof OverBudget || error instanceof RangeError) return overLimit;
    throw error;
  }
}

function renderWithinBudget(
  source: string,
  form: HtmlForm,
  pictureSizes: PictureSizes,
  withDoubtful: boolean,
): RenderedHtml {
  const meter = createWorkMeter();
  const tree = parseHtml(source, meter);
  // Style that stands behind the end of what is read could hide what stands before it.
  const rest = tree.cutAt === undefined ? "" : source.slice(tree.cutAt);
  if (/<style/i.test(rest)) return overLimit;
  const { styles, isUnclear: isStyleUnclear, hasRemoteSheet, counts: surveyed } = surveyTree(tree.root);
  const isUnclear =
    isStyleUnclear ||
    hasRichSelect(source) ||
    reachesBack.test(rest) ||
    (styles.length > 0 && /<[a-z]/i.test(rest));
  if (form === "frame")
    return { text: "", removed: [], pictures: [], isOverLimit: false, frame: writeFrame(tree, meter) };
  const counts = new Map(surveyed);
  const doubted = new Map<Doubt, number>();
  const count = (what: Removal, times: number, why?: Doubt): void => {
    if (why === undefined) counts.set(what, (counts.get(what) ?? 0) + times);
    else doubted.set(why, (doubted.get(why) ?? 0) + times);
  };
  const concealed: ConcealedText[] = [];
  // No page can write it: its words are escaped before the lines of the server take their places.
  const inPlace = randomUUID();
  const ownLines: string[] = [];
  const inPlaceOfLine = (passages: number): string => {
    ownLines.push(leftOutLine(passages));
    return inPlace;
  };
  const notes = { begin: randomUUID(), end: randomUUID() };
  const passageMarks = { begin: randomUUID(), end: randomUUID() };
  const writer =
    form === "html"
      ? new HtmlWriter(count)
      : form === "evidence"
        ? new EvidenceWriter(notes, concealed)
        : withDoubtful
          ? new DoubtWriter(form, notes, passageMarks)
          : new TextWriter(form, notes, inPlaceOfLine);
  const pictures: string[] = [];
  const picture = (alt: string): void => {
    if (pictures.length < picturesMax)
      pictures.push(cleanText(alt.slice(0, altLengthMax), count).replace(/\s+/g, " ").trim());
  };
  const { judgement, isCut } = judgeWindows(tree, styles, {
    meter,
    isUnclear,
    hasRemoteSheet,
    pictures: pictureSizes,
  });
  const words = walkPage(tree.root, writer, {
    judgement,
    base: baseOf(tree.root),
    meter,
    pictures: pictureSizes,
    count,
    picture,
  });
  if (isCut) return overLimit;
  const differs = judgement.differences();
  if (tree.cutAt !== undefined) count("over-limit", 1);
  const written =
    form === "html"
      ? writer.toString()
      : withNotes(escapeOwnLines(cleanText(writer.toString(), count)), notes);
  return {
    text: withPassages(
      written.replaceAll(inPlace, () => ownLines.shift() ?? ""),
      passageMarks,
    ),
    removed: inOrder(counts, doubted),
    pictures,
    isOverLimit: false,
    words,
    ...(differs.length === 0 ? {} : { differs }),
    ...(form === "evidence" ? { concealed } : {}),
  };
}

/** Browsers of today take any element inside of `select`; those of yesterday, and parse5, leave out what is not listed here. */
function hasRichSelect(source: string): boolean {
  if (!/<select/i.test(source)) return false;
  let isInside = false;
  const tags = [...source.matchAll(/<(\/?)([a-z!][^\s/>]*)/gi)];
  for (const [at, { 1: slash, 2: written, index }] of tags.entries()) {
    const name = written!.toLowerCase();
    if (isInside && name === "select" && slash !== "") isInside = false;
    else if (isInside && !plainInSelect.has(name)) return true;
    else if (name === "select" && slash === "") isInside = true;
    // What stands in quotes, or in a comment, may look like a tag.
    const tag = isInside ? source.slice(index, tags[at + 1]?.index) : "";
    const end = tag.indexOf(">") + 1;
    if (isInside && (end === 0 || (tag.slice(0, end).match(/["']/g) ?? []).length % 2 > 0)) return true;
  }
  return false;
}

const plainInSelect = new Set(["option", "optgroup", "hr"]);

/** What stands behind the end of what is read, and may hide what stands before it. */
const reachesBack = /<(?:body|html|dialog|template|math|select|link)[\s/>]|style\s*=/i;

function inOrder(counts: ReadonlyMap<Removal, number>, doubted: ReadonlyMap<Doubt, number>): RemovalCounts {
  return [
    ...removals.flatMap((what) => (counts.has(what) ? [[what, counts.get(what)!] as const] : [])),
    ...doubts.flatMap((why) => (doubted.has(why) ? [["doubtful", doubted.get(why)!, why] as const] : [])),
  ];
}
