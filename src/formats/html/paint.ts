/** What elements paint besides letters; and inline boxes with paint, which lies over what stands above and below their line. */
import { sideNames } from "./box.ts";
import { lineLeast } from "./contents.ts";
import { contentArea } from "./ink.ts";
import type { Flaw, Part } from "./part.ts";
import type { Values } from "./values.ts";

/** Elements that paint what is not letters. */
export const paintedElements = new Set(
  "img hr button fieldset meter progress svg video canvas iframe object embed input select textarea dialog marquee".split(
    " ",
  ),
);
/** What is not known of these may paint. */
export const mayPaint = /^(?:(?:background|border)-|animation-name$)/;

/** H20: borders alone of two pixels, in the next lines at most, leave the rest of the letters that they cross (F5). */
export function isThinLine(part: Part, values: Values): boolean {
  for (let at: Part | undefined = part.parent; at?.box.isInline; at = at.parent) if (at.paints) return false;
  const { padding, border } = part.box;
  const far = Math.max(padding.top + border.top, padding.bottom + border.bottom);
  const overLine = (part.style.fontSize * contentArea - part.style.lineHeight) / 2;
  const isSure = !values.unsureNames.some((one) => /^(?:background|border)-/.test(one));
  return isSure && sideNames.every((side) => border[side] <= 2) && overLine + far <= lineLeast;
}

/** H20: an inline box is painted over what stands above it as far as it reaches over its line. */
export function inlinePaint({ style, box }: Part, flaws: Flaw[]): void {
  const overLine = (style.fontSize * contentArea - style.lineHeight) / 2;
  const above = overLine + box.padding.top + box.border.top;
  const below = overLine + box.padding.bottom + box.border.bottom;
  if (
    Math.max(above, below) > 60 ||
    (Math.max(above, below) > 2 && (box.position !== "" || style.opacity < 1))
  )
    flaws.push({ reach: "page", why: "may-be-covered", px: 0 });
  if (above > 2) flaws.push({ reach: "over", why: "may-be-covered", px: above });
  if (below > 2) flaws.push({ reach: "after", why: "may-be-covered", px: below });
}
