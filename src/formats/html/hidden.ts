/** What is surely hidden: it is told as hidden, and not as doubtful. Only if no declaration that may apply says otherwise. */

import type { Removal } from "#/src/model/removal.ts";
import { type Box, insideOf, outsideOf, sideNames } from "./box.ts";
import type { Letters, Style } from "./computed-style.ts";
import { doom, type Part } from "./part.ts";
import { attributeOf, type HtmlElement, type HtmlNode } from "./tree.ts";
import type { Values } from "./values.ts";

const opacityHidden = 0.1;
/** A box of this size that cuts off shows no letter. */
const boxHidden = 1;
/** What begins so far to the left or above is in no window. */
const farOutside = 1000;

export function hiddenOf(
  element: HtmlElement,
  values: Values,
  box: Box,
  letters: Letters,
  parent: Style,
  opacity: number,
): Removal | undefined {
  if (parent.hidden !== undefined) return parent.hidden;
  const isSure = (...names: string[]): boolean => names.every((name) => !values.isUnsure(name));
  if (/^(?:none|table-column)/.test(box.display) && isSure("display")) return "hidden-by-style";
  if (
    values.word("content-visibility") === "hidden" &&
    isSure("content-visibility", "display") &&
    !box.isInline
  )
    return "hidden-by-style";
  if (opacity < opacityHidden) return "hidden-by-style";
  const isTiny = [box.height, box.maxHeight].some((px) => px !== undefined && px <= boxHidden);
  const isRoot = element.name === "html" || element.name === "body";
  const isBlock = /^(?:block|inline-block|list-item|flow-root)$/.test(box.display);
  if (
    isTiny &&
    box.clips &&
    isBlock &&
    !isRoot &&
    box.minHeight === 0 &&
    box.padding.top + box.padding.bottom === 0 &&
    isSure(
      "height",
      "max-height",
      "min-height",
      "overflow-x",
      "overflow-y",
      "padding-top",
      "padding-bottom",
      "display",
      "position",
    )
  )
    return "zero-size-text";
  if (box.isOutOfFlow && isSure("position", "left", "top") && isFarOut(values, letters)) return "off-screen";
  if (letters.textIndent < -3000 && !box.isInline && isSure("text-indent")) return "off-screen";
  return undefined;
}

function isFarOut(values: Values, { fontSize, lineHeight, rootFontSize }: Letters): boolean {
  return ["left", "top"].some((side) => {
    const px = values.length(side, { fontSize, lineHeight, rootFontSize, whole: 0, isQuirky: false });
    return px !== undefined && px <= -farOutside;
  });
}

/** Whether what begins left of the window ends there too. */
export function staysAway(part: Part, values: Values): boolean {
  const { box, style, longest } = part;
  for (let at = part.parent; at !== undefined; at = at.parent)
    if (at.box.position !== "" || at.flaws.length > 0) return false;
  if (values.unclear.length > 0 || values.has("right") || !isPlainInside(part)) return false;
  const { fontSize, lineHeight, rootFontSize } = style;
  const left = values.length("left", { fontSize, lineHeight, rootFontSize, whole: 0, isQuirky: false });
  const isShare = [box.width, box.maxWidth].some((size) => (size?.share ?? 0) > 0);
  const wide = Math.max(longest, box.width?.px ?? 0, box.minWidth) + insideOf(box) + outsideOf(box);
  return !isShare && left !== undefined && left + wide < 0;
}

/** Whether all that is in it begins at its left edge, and is as wide as its lines are. */
function isPlainInside({ children }: Part): boolean {
  return children.every(
    (one) =>
      one.text !== undefined ||
      ((one.box.isInline || one.box.display === "block") &&
        sideNames.every((side) => one.box.margin[side] === 0) &&
        [one.box.width, one.box.maxWidth, one.box.items].every((size) => size === undefined) &&
        one.box.minWidth + one.box.sideShare === 0 &&
        !one.box.isFloat &&
        one.flaws.length === 0 &&
        isPlainInside(one)),
  );
}

/** Of closed `details` the summary alone is shown. */
export function childrenSeen(element: HtmlElement, part: Part): readonly HtmlNode[] {
  if (element.name !== "details") return element.children;
  // Of several with one name only one stays open.
  if ((attributeOf(element, "name") ?? "") !== "") doom(part, "element-not-understood");
  if (attributeOf(element, "open") !== undefined) return element.children;
  const summary = element.children.find((node) => node.kind === "element" && node.name === "summary");
  return summary === undefined ? [] : [summary];
}
