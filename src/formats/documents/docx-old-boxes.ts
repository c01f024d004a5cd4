/** Text boxes of Word documents of old programs (VML, ECMA-376 part 4, section 19.1.2): which of them are plain boxes on the page, so that their
 *  text is judged as in boxes of today. Whatever is said of one and not known here makes its text doubtful. */
import type { SaxesTagNS } from "saxes";
import { type Box, unknownBox } from "./docx-boxes.ts";
import type { Cover } from "./docx-covers.ts";
import { attributeValue, hexOf } from "./docx-xml.ts";

/** The outline of a text box. */
const usualPath = "m,l,21600r21600,l21600,xe";
const knownAttributes: ReadonlySet<string> = new Set(
  "id spid type style fillcolor filled stroked strokecolor strokeweight gfxdata alt title spt allowincell allowoverlap".split(
    " ",
  ),
);
const knownStyle =
  /^(?:position:absolute|(?:margin-left|margin-top|left|top|width|height):[\d.a-z-]{1,20}|z-index:\d{1,12}|visibility:visible|mso-wrap-style:square|mso-wrap-(?:distance-(?:left|right|top|bottom)|edited):[\w.-]{1,20}|mso-(?:width|height)-percent:0|mso-(?:width|height)-relative:\w{1,20}|mso-position-(?:horizontal|vertical):absolute|mso-position-(?:horizontal|vertical)-relative:(?:text|page|margin)|v-text-anchor:(?:top|middle|bottom))$/;
const colours: Readonly<Record<string, string>> = {
  white: "ffffff",
  black: "000000",
  silver: "c0c0c0",
  "": "ffffff",
};
/** Points of a unit, and of an edge. */
const pointsOfUnit: Readonly<Record<string, number>> = {
  "": 1 / 12_700,
  pt: 1,
  mm: 2.84,
  px: 0.75,
  in: 72,
  cm: 28.4,
};
const edgeMost = 4;
/** Points from the edges of a page in which a box surely stands on it. */
const acrossMost = 500;
const downMost = 700;
const backMost = 72;

export class OldBoxes {
  /** Names of types of shapes that are plain boxes. */
  readonly #types = new Set<string>();
  #isInType = false;
  #type = "";

  /** `cover`: what the shape may cover. `isInside`: it stands in another one. */
  boxOf(tag: SaxesTagNS, cover: Cover | undefined, isInside: boolean): Box {
    const box: Box = { ...unknownBox(), isOld: true };
    const rect = cover?.rect;
    if (rect === undefined || cover?.isBehind === true || isInside || !this.#isPlain(tag)) return box;
    const [wide, tall] = [rect.right - rect.left, rect.bottom - rect.top];
    const isOnPage =
      rect.left >= -backMost && rect.left <= acrossMost && rect.top >= -backMost && rect.top <= downMost;
    const said = attributeValue(tag, "fillcolor")
      .toLowerCase()
      .replace(/ \[\d{1,6}\]$/, "");
    const colour = Object.hasOwn(colours, said) ? colours[said]! : hexOf(said.slice(1));
    if (colour === "") return box;
    const isFilled = !["f", "false", "0"].includes(attributeValue(tag, "filled"));
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
      isFilled,
      isFillSaid: true,
      hasColour: isFilled,
      paper: isFilled ? [colour] : [],
    };
  }

  #isPlain(tag: SaxesTagNS): boolean {
    const isBox =
      tag.local === "rect" ||
      (tag.local === "shape" && this.#types.has(attributeValue(tag, "type").slice(1)));
    const style = attributeValue(tag, "style").toLowerCase().replace(/\s/g, "").split(";").filter(Boolean);
    const [, number, unit = ""] =
      /^(\d{1,6}(?:\.\d{1,9})?)([a-z]{2})?$/.exec(attributeValue(tag, "strokeweight") || "1pt") ?? [];
    const edge = Object.hasOwn(pointsOfUnit, unit) ? Number(number) * pointsOfUnit[unit]! : Number.NaN;
    return (
      isBox &&
      edge <= edgeMost &&
      new Set(style.map((one) => one.split(":", 1)[0])).size === new Set(style).size &&
      style.every((one) => knownStyle.test(one)) &&
      Object.values(tag.attributes).every(({ local }) => knownAttributes.has(local.toLowerCase()))
    );
  }

  /** An element that says what a type of shapes is. */
  open(tag: SaxesTagNS): void {
    if (tag.local === "shapetype") {
      this.#isInType = true;
      this.#type = attributeValue(tag, "id");
      if (attributeValue(tag, "path") === usualPath && attributeValue(tag, "coordsize") === "21600,21600")
        this.#types.add(this.#type);
      else this.#types.delete(this.#type);
    } else if (this.#isInType && !isKnownInType(tag)) this.#types.delete(this.#type);
  }

  close(name: string): void {
    if (name === "shapetype") this.#isInType = false;
  }
}

function isKnownInType(tag: SaxesTagNS): boolean {
  const names = Object.values(tag.attributes).map(({ local }) => local.toLowerCase());
  return (
    (tag.local === "stroke" && names.every((one) => one === "joinstyle")) ||
    (tag.local === "path" && names.every((one) => ["gradientshapeok", "connecttype"].includes(one)))
  );
}

/** An element of an old text box that leaves its text where it is. */
export function isKnownInBox(tag: SaxesTagNS): boolean {
  const { local } = tag;
  const names = Object.values(tag.attributes).map((one) => one.local.toLowerCase());
  if (local === "stroke") return names.every((one) => ["joinstyle", "endcap", "color"].includes(one));
  if (local === "wrap") return names.every((one) => ["type", "anchorx", "anchory"].includes(one));
  if (local === "fill")
    return (
      names.every((one) => ["type", "color2", "detectmouseclick"].includes(one)) &&
      ["", "solid"].includes(attributeValue(tag, "type"))
    );
  if (local !== "textbox") return false;
  const style = attributeValue(tag, "style").replace(/\s/g, "").toLowerCase();
  return names.every((one) => one === "style") && ["", "mso-fit-shape-to-text:t"].includes(style);
}
