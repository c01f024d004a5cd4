/** What is surely hidden: it is told as hidden, and not as doubtful. Only if no declaration that may apply says otherwise. */

import type { Removal } from "#/src/model/removal.ts";
import type { Box } from "./box.ts";
import type { Letters, Style } from "./computed-style.ts";
import type { HtmlElement } from "./tree.ts";
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
  const isThick = box.padding.top + box.padding.bottom + box.minHeight > 0 && !box.isBorderBox;
  if (
    isTiny &&
    box.clips &&
    isBlock &&
    !isRoot &&
    !isThick &&
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
