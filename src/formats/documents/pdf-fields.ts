/** What a person sees of the fields of a form and of what is typed over a page (ISO 32000-1 sections 12.5 and 12.7). Programs show what a field
 *  is drawn as, or its value, in letters of their own: it is given if both are the same and what is drawn is seen. Forms in XML (XFA) have values
 *  that only some programs show, so nothing is given of their fields. */
import type { NoteKind } from "#/src/formats/text/own-lines.ts";
import { type Box, boxOf, widened } from "./pdf-geometry.ts";
import { textOfRuns } from "./pdf-order.ts";
import type { Paint, TextRun } from "./pdf-painted.ts";
import type { Seen } from "./pdf-visible.ts";

/** What pdf.js tells of an annotation. */
export interface Annotation {
  readonly id: string;
  readonly subtype: string;
  readonly rect: readonly number[];
  readonly hasAppearance?: boolean;
  readonly contentsObj?: { readonly str?: string };
  /** Of a field of a form. */
  readonly backgroundColor?: unknown;
  readonly borderColor?: unknown;
  readonly borderStyle?: { readonly width?: unknown };
  readonly fieldType?: string | null;
  readonly fieldValue?: unknown;
  readonly options?: readonly { readonly exportValue?: unknown; readonly displayValue?: unknown }[];
  readonly pushButton?: boolean;
  readonly hidden?: boolean;
}

/** Points of a border that hides no letters. */
const thinBorder = 2;

/** Of these nothing is painted that covers text but a border, or pdf.js paints them itself. */
const neverPainted: ReadonlySet<string> = new Set([
  "Link",
  "Popup",
  "Text",
  "Highlight",
  "Underline",
  "Squiggly",
  "StrikeOut",
]);

/** Annotations that programs may paint although the file does not say how (ISO 32000-1 section 12.5.5). */
export function unpainted(annotations: readonly Annotation[]): readonly Paint[] {
  return annotations
    .filter(
      (one) =>
        borderOf(one) > thinBorder ||
        (!neverPainted.has(one.subtype) &&
          (one.subtype === "Widget" ? one.backgroundColor != null : one.hasAppearance !== true)),
    )
    .map((one) => ({ box: widened(boxOf(one.rect), borderOf(one) / 2), id: one.id }))
    .map(({ box, id }) => ({
      kind: "picture",
      box,
      colour: undefined,
      alpha: 1,
      isWhole: false,
      cuts: [],
      annotation: id,
      at: Number.POSITIVE_INFINITY,
      size: 0,
    }));
}

/** Points of the border that programs paint around a link or a field. */
function borderOf({ subtype, borderStyle, borderColor }: Annotation): number {
  const width = Number(borderStyle?.width ?? 0);
  return subtype === "Link" || (subtype === "Widget" && borderColor != null) ? width : 0;
}

export interface FieldNote {
  readonly kind: NoteKind;
  readonly words: string;
  readonly rect: Box;
}

export interface FieldNotes {
  readonly notes: readonly FieldNote[];
  /** How many may show something else, how many are hidden, and how many are remarks that stand beside the page. */
  readonly doubtful: number;
  readonly hidden: number;
  readonly remarks: number;
}

/** `verdicts`: of all runs of the page. */
export function notesOf(
  annotations: readonly Annotation[],
  runs: readonly TextRun[],
  verdicts: ReadonlyMap<TextRun, Seen>,
  { hasForm, hasXfa }: { readonly hasForm: boolean; readonly hasXfa: boolean },
): FieldNotes {
  const drawn = Map.groupBy(runs, ({ annotation }) => annotation);
  const notes: FieldNote[] = [];
  let [doubtful, hidden, remarks] = [0, 0, 0];
  for (const annotation of annotations) {
    const { id, subtype, rect, fieldType, pushButton } = annotation;
    const own = drawn.get(id) ?? [];
    const isSeen =
      isDrawn(annotation, hasForm) && own.length > 0 && own.every((run) => verdicts.get(run) === "visible");
    const words = isSeen ? textOfRuns(own, () => true, new Map()) : "";
    const isValue = fieldType === "Tx" || fieldType === "Ch";
    const value = isValue ? saidBy(annotation) : "";
    const isSame = !isValue || (!hasXfa && plain(words) === plain(value));
    if (annotation.hidden === true && value !== "") hidden++;
    else if (isSeen && isSame)
      notes.push({
        kind: pushButton === true ? "button" : "field",
        words: (isValue ? value : words).replace(/\s+/g, " ").trim(),
        rect: boxOf(rect),
      });
    else if (own.length > 0 || value !== "") doubtful++;
    else if ((annotation.contentsObj?.str ?? "") !== "") {
      if (subtype === "FreeText") doubtful++;
      else if (subtype !== "Popup") remarks++;
    }
  }
  return { notes, doubtful, hidden, remarks };
}

/** Not all programs draw what a file draws for a link or a remark, and fields of a document without a form. */
function isDrawn({ subtype }: Annotation, hasForm: boolean): boolean {
  return subtype === "Widget" ? hasForm : subtype !== "Link" && subtype !== "Popup";
}

/** What a field says: of a choice what stands in the list. */
function saidBy({ fieldValue, options = [] }: Annotation): string {
  const values = Array.isArray(fieldValue) ? fieldValue : [fieldValue];
  const said = values.filter((one) => typeof one === "string");
  return said
    .map((one) => options.find(({ exportValue }) => exportValue === one)?.displayValue ?? one)
    .join(" ");
}

function plain(text: string): string {
  return text.normalize("NFKC").replace(/\s+/g, "");
}

/** Points that a field may begin before the end of its label. */
const overlapMost = 3;

/** The word behind which the note is read: the last one before the field on its line, or else the nearest one above it. */
export function labelOf({ rect }: FieldNote, runs: readonly TextRun[]): TextRun | undefined {
  const middle = (rect.bottom + rect.top) / 2;
  let beside: TextRun | undefined;
  let above: TextRun | undefined;
  for (const run of runs) {
    const { box } = run;
    const isOnLine = box.bottom < Math.max(rect.top, middle) && box.top > Math.min(rect.bottom, middle);
    if (isOnLine && box.right <= rect.left + overlapMost) {
      if (beside === undefined || box.right >= beside.box.right) beside = run;
    } else if (box.bottom >= middle && (above === undefined || box.bottom <= above.box.bottom)) above = run;
  }
  return beside ?? above ?? runs.at(-1);
}
