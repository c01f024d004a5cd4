/** Text boxes of Word documents of old programs (VML, ECMA-376 part 4, section 19.1.2): which of them are plain boxes on the page, so that their
 *  text is judged as in boxes of today. Whatever is said of one and not known here makes its text doubtful. */
import type { SaxesTagNS } from "saxes";
import { acrossMost, type Box, backMost, downMost, unknownBox } from "./docx-boxes.ts";
import type { Cover } from "./docx-covers.ts";
import { colourOfOld, isFilled, isPlainPaint, pointsOfUnit } from "./docx-old-shapes.ts";
import { attributeValue } from "./docx-xml.ts";

/** The outline of a text box. */
const usualPath = "m,l,21600r21600,l21600,xe";
const knownAttributes =
  "id spid type style fillcolor filled stroked strokecolor strokeweight gfxdata alt title spt allowincell allowoverlap".split(
    " ",
  );
const knownStyle =
  /^(?:position:absolute|(?:margin-left|margin-top|left|top|width|height):[\d.a-z-]{1,20}|z-index:\d{1,12}|visibility:visible|mso-wrap-style:square|mso-wrap-(?:distance-(?:left|right|top|bottom)|edited):[\w.-]{1,20}|mso-(?:width|height)-percent:0|mso-(?:width|height)-relative:\w{1,20}|mso-position-(?:horizontal|vertical):absolute|mso-position-(?:horizontal|vertical)-relative:(?:text|page|margin)|v-text-anchor:(?:top|middle|bottom))$/;
/** Points of a unit of an edge, and of an edge. */
const pointsOfEdge: Readonly<Record<string, number>> = { ...pointsOfUnit, "": 1 / 12_700 };
const edgeMost = 4;

export class OldBoxes {
  /** Names of types of shapes that are plain boxes. */
  readonly #types = new Set<string>();
  /** That in which the reader is. */
  #type: string | undefined;

  /** `cover`: what the shape may cover. `isInside`: it stands in another one. */
  boxOf(tag: SaxesTagNS, cover: Cover | undefined, isInside: boolean): Box {
    const box: Box = { ...unknownBox(), isOld: true, boxes: cover?.boxes ?? [] };
    const rect = cover?.rect;
    if (rect === undefined || cover?.isBehind === true || isInside || !this.#isPlain(tag)) return box;
    const [wide, tall] = [rect.right - rect.left, rect.bottom - rect.top];
    const isOnPage =
      rect.left >= -backMost && rect.left <= acrossMost && rect.top >= -backMost && rect.top <= downMost;
    const said = attributeValue(tag, "fillcolor")
      .toLowerCase()
      .replace(/ \[\d{1,6}\]$/, "");
    const colour = said === "" ? "ffffff" : colourOfOld(said);
    if (colour === "") return box;
    const hasColour = isFilled(tag);
    return {
      ...box,
      doubt: isOnPage ? undefined : "may-be-off-screen",
      width: wide,
      height: tall,
      wide,
      tall,
      left: rect.left,
      top: rect.top,
      acrossFrom: rect.acrossFrom,
      downFrom: rect.downFrom,
      isFilled: hasColour,
      isFillSaid: true,
      hasColour,
      paper: hasColour ? [colour] : [],
    };
  }

  #isPlain(tag: SaxesTagNS): boolean {
    const isBox =
      tag.local === "rect" ||
      (tag.local === "shape" && this.#types.has(attributeValue(tag, "type").slice(1)));
    const style = attributeValue(tag, "style").toLowerCase().replace(/\s/g, "").split(";").filter(Boolean);
    const [, number, unit = ""] =
      /^(\d{1,6}(?:\.\d{1,9})?)([a-z]{2})?$/.exec(attributeValue(tag, "strokeweight") || "1pt") ?? [];
    const edge = Object.hasOwn(pointsOfEdge, unit) ? Number(number) * pointsOfEdge[unit]! : Number.NaN;
    return (
      isBox &&
      edge <= edgeMost &&
      new Set(style.map((one) => one.split(":", 1)[0])).size === new Set(style).size &&
      style.every((one) => knownStyle.test(one)) &&
      hasOnly(tag, ...knownAttributes)
    );
  }

  /** An element that says what a type of shapes is. */
  open(tag: SaxesTagNS): void {
    if (tag.local === "shapetype") {
      this.#type = attributeValue(tag, "id");
      if (attributeValue(tag, "path") === usualPath && attributeValue(tag, "coordsize") === "21600,21600")
        this.#types.add(this.#type);
      else this.#types.delete(this.#type);
    } else if (this.#type !== undefined && !isKnownInType(tag)) this.#types.delete(this.#type);
  }

  close(name: string): void {
    if (name === "shapetype") this.#type = undefined;
  }
}

/** Whether an element has attributes of these names alone. */
function hasOnly({ attributes }: SaxesTagNS, ...names: readonly string[]): boolean {
  return Object.values(attributes).every(({ local }) => names.includes(local.toLowerCase()));
}

function isKnownInType(tag: SaxesTagNS): boolean {
  if (tag.local === "stroke") return hasOnly(tag, "joinstyle");
  return tag.local === "path" && hasOnly(tag, "gradientshapeok", "connecttype");
}

/** An element of an old text box that leaves its text where it is. */
export function isKnownInBox(tag: SaxesTagNS): boolean {
  const { local } = tag;
  if (local === "stroke") return hasOnly(tag, "joinstyle", "endcap", "color");
  if (local === "wrap") return hasOnly(tag, "type", "anchorx", "anchory");
  if (local === "fill") return hasOnly(tag, "type", "color2", "detectmouseclick") && isPlainPaint(tag);
  if (local !== "textbox") return false;
  const style = attributeValue(tag, "style").replace(/\s/g, "").toLowerCase();
  return hasOnly(tag, "style") && ["", "mso-fit-shape-to-text:t"].includes(style);
}
