/** Round corners (H17). Lengths are in CSS pixels. */
import { tallInsideOf, tallOutsideOf } from "./box.ts";
import type { Cascade } from "./cascade.ts";
import { doom, isWithin, type Part } from "./part.ts";

const cornerMost = 30;
/** A corner of so many lines takes the ends of one. */
const linesMost = 2.2;
/** The height of a line, in em, in any font. */
const lineMost = 1.4;
/** Elements that browsers raise or lower in their line. */
const raised = /^(?:sub|sup|ruby|rt|button|fieldset|legend)$/;

/** A corner takes at most the ends of a line. In a box of few words its radius is at most the height of the box, or half of it if all
 *  corners are alike, and the letters stand inside of the circle. */
export function judgeCorner(part: Part, cascade: Cascade): void {
  const { corner } = part.box;
  if (!part.hasText || corner === 0 || corner <= Math.min(cornerMost, linesMost * leastLine(part))) return;
  if (isPadded(part.box)) return;
  if (!Number.isFinite(corner) || !isInside(part, cascade)) doom(part, "colours-may-match");
}

/** Whether a corner of a box around takes what a drawing or the place of a picture has at its own. */
export function isInCorner({ parent }: Part): boolean {
  return parent !== undefined && isWithin(parent, ({ box }) => box.corner > cornerMost && !isPadded(box));
}

/** Whether its padding is as wide on each side as its corner takes. */
function isPadded({ corner, padding }: Part["box"]): boolean {
  return Math.min(...Object.values(padding)) >= 0.3 * corner;
}

/** The height of its lowest line. */
function leastLine({ text, style, children }: Part): number {
  return text === undefined
    ? Math.min(Number.POSITIVE_INFINITY, ...children.map(leastLine))
    : Math.max(style.lineHeight, style.fontSize);
}

function isInside(part: Part, cascade: Cascade): boolean {
  if (growsWithOthers(part)) return false;
  let [aside, above, below, high, line] = [0, 0, 0, 0, 0];
  let inner = part;
  for (; inner.text === undefined; inner = inner.children[0]!) {
    const { box, style, element, children } = inner;
    const { padding, border } = box;
    const isHigh = box.height !== undefined || box.minHeight > 0 || box.isHeightShare;
    if (children.length !== 1 || element === undefined || isHigh || raised.test(element.name)) return false;
    if (style.values.has("vertical-align") && !box.display.startsWith("table")) return false;
    if (cascade.styleOf(element).parts.size > 0) return false;
    line = Math.max(line, style.lineHeight, style.fontSize * lineMost);
    aside += Math.min(padding.left + border.left, padding.right + border.right);
    if (box.isInline) continue;
    above += padding.top + border.top;
    below += padding.bottom + border.bottom;
    high += tallInsideOf(box);
    if (inner === part) continue;
    high += tallOutsideOf(box) + style.spacing;
    if (box.display.startsWith("inline-")) high += inner.parent!.style.lineHeight;
  }
  high += linesOf(inner) * Math.max(line, inner.style.lineHeight, inner.style.fontSize * lineMost);
  const radius = Math.min(part.box.corner, part.box.isCornerEven ? high / 2 : high);
  return [above, below].every(
    (far) => Math.hypot(Math.max(0, radius - aside), Math.max(0, radius - far)) <= radius,
  );
}

/** The lines that the text has at most. */
function linesOf({ text, style }: Part): number {
  const { text: words } = text!;
  if (style.whiteSpace !== "normal" && style.whiteSpace !== "nowrap") return Number.POSITIVE_INFINITY;
  const isWhole =
    style.whiteSpace === "normal" && (style.breaksWords || style.hyphenates || !latin.test(words));
  return isWhole ? words.length : words.trim().split(breaks).length;
}

const latin = /^[\s\u0021-\u024f\u2010-\u2027]*$/;
const breaks = /[^\p{L}\p{N}]+/u;

/** Whether what stands beside it makes it higher: a cell among others, or an item. */
function growsWithOthers(part: Part): boolean {
  let at: Part | undefined = part;
  for (; at?.box.display.startsWith("table-"); at = at.parent)
    if (at.box.height !== undefined || at.box.isHeightShare || (at.parent?.children.length ?? 0) > 1)
      return true;
  if (at === undefined) return true;
  const isTable =
    at !== part && (at.box.height !== undefined || at.box.minHeight > 0 || at.box.isHeightShare);
  return isTable || at.parent?.box.items !== undefined;
}
