/** The heights that the content of a box is declared to have. Lengths are in CSS pixels. */
import { windowMost } from "#/src/formats/css/media.ts";
import { isPartOfTable, tallInsideOf, tallOutsideOf } from "./box.ts";
import type { Style } from "./computed-style.ts";
import { isBlank } from "./fonts.ts";
import { contentArea } from "./ink.ts";
import { isInLine, type Part } from "./part.ts";
import type { Values } from "./values.ts";

/** The height of two parts with distances of 20 pixels each (H25). */
const partsMost = 200;

/** The function that finds the height of the content of a part. */
export function heightsOf(
  valuesOf: ReadonlyMap<Part, Values>,
): (part: Part, isOneLine: boolean, isInPaint?: boolean) => number {
  /** The heights that the content is declared to have. `isOneLine`: no line of it breaks; else each word may have a line. */
  function highIn(part: Part, isOneLine: boolean, isInPaint = false): number {
    const { items } = part.box;
    const gaps = items === undefined || items.isRow ? 0 : items.gap * (part.children.length - 1);
    let high = (isInPaint ? blankHigh(part) : 0) + gaps;
    for (const child of part.children) {
      const { box, text } = child;
      const isPaint = isInPaint || child.paints;
      if (text !== undefined) {
        const isOne = isOneLine && child.style.whiteSpace === "normal";
        high += (isOne ? 1 : linesIn(text.text, child.style)) * lineOf(child.style);
        continue;
      }
      if (child.element?.name === "br") high += lineOf(part.style);
      if (box.isOutOfFlow) continue;
      // A table, and each part of it, grows with what it holds.
      const isGrown = isPartOfTable(box.display) || box.display.endsWith("table");
      const inner =
        box.height !== undefined && !isGrown
          ? 0
          : child.children.length > 0
            ? highIn(child, isOneLine, isPaint)
            : child.high > 0
              ? child.high
              : child.paints && isPicture(child)
                ? Number.POSITIVE_INFINITY
                : isPaint
                  ? blankHigh(child)
                  : 0;
      const own = Math.max(inner, box.height ?? 0, box.minHeight);
      const line = box.isInline ? child.style.lineHeight : 0;
      // What has no letters stands on the line of those around, which is as high as they are, and painted by a box around.
      const below = isInPaint && isInLine(child) ? part.style.lineHeight - (child.hasText ? line : 0) : 0;
      // What is raised or lowered makes its line higher by no more than the letters.
      const isRaised =
        /^su[bp]$/.test(child.element?.name ?? "") || valuesOf.get(child)?.has("vertical-align") === true;
      const raised = isInPaint && isInLine(child) && isRaised ? part.style.fontSize : 0;
      high +=
        Math.max(own, line) +
        Math.max(0, below) +
        raised +
        box.tallShare * windowMost +
        tallInsideOf(box) +
        tallOutsideOf(box);
    }
    return high;
  }

  /** The height of what has no letters: blanks that do not go away, marks, the space between rows, parts before and after. */
  function blankHigh(part: Part): number {
    const { element, style, box } = part;
    const isKept = !/^(?:normal|nowrap)$/.test(style.whiteSpace);
    let lines = box.display === "list-item" ? 1 : 0;
    for (const one of element?.children ?? [])
      if (one.kind === "text" && (isKept || /[\u0080-\uffff]/.test(one.text)) && isBlank(one.text))
        lines += isKept ? one.text.split("\n").length : 1;
    const isOfRows = box.display.endsWith("table") || box.display === "table-row";
    const hasParts = (valuesOf.get(part)?.declared.parts.size ?? 0) > 0;
    return lines * lineOf(style) + (isOfRows ? 2 * style.spacing : 0) + (hasParts ? partsMost : 0);
  }

  return highIn;
}

function lineOf({ lineHeight, fontSize }: Style): number {
  return Math.max(lineHeight, fontSize * contentArea);
}

/** Lines break at blanks, after signs that are no letters, and beside dashes. */
const breaks = /\s+|(?<=[^\p{L}\p{N}\p{M}\s])(?=\S)|(?=[\u2010-\u2027])/u;
/** Scripts whose lines break between letters. */
const brokenScripts = /[\u0e00-\u1fff\u2e80-\uffff]/;

/** The most lines that a text takes: of one word each, or of one letter where words break. */
function linesIn(text: string, { whiteSpace, breaksWords, hyphenates }: Style): number {
  if (breaksWords || hyphenates || brokenScripts.test(text)) return text.length;
  const kept = whiteSpace.startsWith("pre") ? text.split("\n").length : 0;
  return text.trim().split(breaks).length + kept;
}

function isPicture({ element }: Part): boolean {
  return element !== undefined && !/^(?:hr|br|div|p|span|td|table)$/.test(element.name);
}
