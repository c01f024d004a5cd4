/** What elements paint besides letters; and inline boxes with paint, which lies over what stands above and below their line. */
import { sideNames, tallInsideOf } from "./box.ts";
import { lineLeast } from "./contents.ts";
import { mayHold } from "./held-pictures.ts";
import { contentArea } from "./ink.ts";
import { edge, type Flaw, type Part } from "./part.ts";
import { attributeOf } from "./tree.ts";
import type { Values } from "./values.ts";

/** Elements that paint what is not letters. */
export const paintedElements = new Set(
  "img hr button fieldset meter progress svg video canvas iframe object embed input select textarea dialog marquee".split(
    " ",
  ),
);
/** Whether it paints in colours that style does not say: drawings, controls, pictures of the message, and lines of one colour that leave too
 *  little of letters. A picture that is not in the message counts as absent. */
export function paintsUnknown({ element, box }: Part): boolean {
  if (element === undefined || !paintedElements.has(element.name)) return false;
  const has = (name: string): boolean => attributeOf(element, name) !== undefined;
  if (element.name === "img") return mayHold(element);
  const high = Math.max(box.height ?? 0, box.minHeight) + tallInsideOf(box);
  return element.name !== "hr" || ((has("color") || has("noshade")) && (box.isHeightShare || high > edge));
}

/** What is not known of these may paint. */
export const mayPaint = /^(?:(?:background|border)-|animation-name$)/;

/** H20: borders alone of two pixels, in the next lines at most, leave the rest of the letters that they cross (F5). */
export function isThinLine(part: Part, values: Values): boolean {
  for (let at: Part | undefined = part.parent; at?.box.isInline; at = at.parent) if (at.paints) return false;
  const { border } = part.box;
  const isSure = !values.unsureNames.some((one) => /^(?:background|border)-/.test(one));
  return (
    isSure && sideNames.every((side) => border[side] <= edge) && Math.max(...overLine(part)) <= lineLeast
  );
}

/** H20: an inline box is painted over what stands above it as far as it reaches over its line. */
export function inlinePaint(part: Part, flaws: Flaw[]): void {
  const { style, box } = part;
  const [above, below] = overLine(part);
  const far = Math.max(above, below);
  if (far > 60 || (far > edge && (box.position !== "" || style.opacity < 1)))
    flaws.push({ reach: "page", why: "may-be-covered", px: 0 });
  if (above > edge) flaws.push({ reach: "over", why: "may-be-covered", px: above });
  if (below > edge) flaws.push({ reach: "after", why: "may-be-covered", px: below });
}

/** How far the box of an inline element is painted over its line. */
function overLine({ style, box }: Part): readonly [above: number, below: number] {
  const over = (style.fontSize * contentArea - style.lineHeight) / 2;
  return [over + box.padding.top + box.border.top, over + box.padding.bottom + box.border.bottom];
}
