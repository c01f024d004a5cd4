/** The heights of pictures that go by their proportions. */
import { asciiLower } from "#/src/formats/css/ascii-case.ts";
import { heldAddresses, sizeOfHeld } from "#/src/formats/html/held-pictures.ts";
import { attributeOf, type HtmlElement } from "#/src/formats/html/tree.ts";
import type { Box, Style } from "./computed-style.ts";

/** Elements that keep the proportions of their attributes. */
const proportioned = new Set(["img", "input", "video", "canvas", "object", "embed", "iframe", "picture"]);

/** The greatest height that its proportions give it, 0 where it has none; undefined where that is not known. */
export function scaledHeight(element: HtmlElement, { display, values }: Style, box: Box): number | undefined {
  if (box.height !== undefined || display === "none") return 0;
  const said = /^\s*\d+(?:\.\d+)?(?:px)?\s*$/i.test(attributeOf(element, "height") ?? "");
  const isHeightSaid = said && !values.has("height");
  if (!element.isHtml) {
    const hasBox = element.attributes.some(({ name }) => asciiLower(name) === "viewbox");
    return isHeightSaid || !hasBox ? 0 : undefined;
  }
  const [width, height] = ["width", "height"].map((name) =>
    Number.parseFloat(attributeOf(element, name) ?? ""),
  );
  const hasWidth = ["width", "min-width"].some((name) => values.has(name));
  const most = Math.max(box.asked, hasWidth ? 1024 : 0);
  let high = 0;
  if (
    proportioned.has(element.name) &&
    width! > 0 &&
    height! > 0 &&
    (!isHeightSaid || element.name === "canvas")
  )
    high = (height! / width!) * Math.max(most, width!);
  if (isHeightSaid) return high;
  for (const address of heldAddresses(element)) {
    const size = sizeOfHeld(address);
    if (size === undefined) return undefined;
    high = Math.max(high, (size.height / size.width) * Math.max(most, size.width));
  }
  return high;
}
