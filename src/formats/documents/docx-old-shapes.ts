/** Shapes of Word documents of old programs (VML, ECMA-376 part 4, section 19). Their places and sizes are style. */
import type { SaxesTagNS } from "saxes";
import type { Cover, Ground } from "./docx-covers.ts";
import { attributeValue, hexOf } from "./docx-xml.ts";

/** Shapes of VML, which may hold text. */
export const oldShapes: ReadonlySet<string> = new Set(
  "shape rect roundrect oval arc curve line polyline image group".split(" "),
);
export function isOldDrawing({ uri }: SaxesTagNS): boolean {
  return uri === "urn:schemas-microsoft-com:vml";
}

/** Points of a unit of length of VML. */
export const pointsOfUnit: Readonly<Record<string, number>> = {
  pt: 1,
  in: 72,
  cm: 72 / 2.54,
  mm: 72 / 25.4,
  px: 0.75,
  pc: 12,
};

const origins: Readonly<Record<string, string>> = {
  "": "paragraph",
  text: "paragraph",
  line: "line",
  page: "page",
  margin: "margin",
};

export function isFilled(tag: SaxesTagNS): boolean {
  return !["f", "false", "0"].includes(attributeValue(tag, "filled"));
}

/** It is not painted itself; what stands in it may be. */
export function isUnfilled(tag: SaxesTagNS): boolean {
  return !isFilled(tag) && attributeValue(tag, "strokeweight") === "";
}

/** Elements in a shape that paint it. */
export const oldPaints: ReadonlySet<string> = new Set(["imagedata", "fill", "stroke"]);

/** An element that leaves a shape the colour that it says. */
export function isPlainPaint(tag: SaxesTagNS): boolean {
  const isSolid = ["", "solid"].includes(attributeValue(tag, "type"));
  return tag.local === "stroke" || (tag.local === "fill" && isSolid && attributeValue(tag, "color") === "");
}

const colours = new Map([
  ["silver", "c0c0c0"],
  ["white", "ffffff"],
  ["black", "000000"],
]);

/** The colour that an attribute says; "" if it is not known. */
export function colourOfOld(said: string): string {
  return colours.get(said) ?? hexOf(said.slice(1));
}

/** The colour of a shape, which may be mixed with white. */
function groundOf(tag: SaxesTagNS): Ground {
  const colour = colourOfOld(attributeValue(tag, "fillcolor").toLowerCase());
  if (colour === "" || ["group", "image"].includes(tag.local)) return "any";
  const mixed = (share: number): string =>
    [0, 2, 4]
      .map((at) => Math.round(255 - share * (255 - Number.parseInt(colour.slice(at, at + 2), 16))))
      .map((value) => value.toString(16).padStart(2, "0"))
      .join("");
  return [1, 0.8, 0.6, 0.4, 0.2].map(mixed);
}

/** What a shape may cover; undefined if it stands in a line. */
export function coverOf(tag: SaxesTagNS): Cover | undefined {
  const pairs = attributeValue(tag, "style").slice(0, 4096).toLowerCase().split(";");
  const said = new Map(pairs.map((one) => one.split(":").map((part) => part.trim()) as [string, string]));
  if (said.get("position") !== "absolute") return undefined;
  const points = (name: string, usual: number): number => {
    const value = said.get(name);
    if (value === undefined || value === "0") return value === undefined ? usual : 0;
    const [, number, unit = ""] = /^(-?\d{1,9}(?:\.\d{1,20})?|-?\.\d{1,20})([a-z]{2})$/.exec(value) ?? [];
    return Object.hasOwn(pointsOfUnit, unit)
      ? Number(number) * pointsOfUnit[unit]!
      : Number.POSITIVE_INFINITY;
  };
  const [width, height] = [
    points("width", Number.POSITIVE_INFINITY),
    points("height", Number.POSITIVE_INFINITY),
  ];
  const [left, top] = [
    points("margin-left", 0) + points("left", 0),
    points("margin-top", 0) + points("top", 0),
  ];
  const from = (axis: string): string => said.get(`mso-position-${axis}-relative`) ?? "";
  const isPlaced = ["horizontal", "vertical"].every(
    (axis) =>
      ["", "absolute"].includes(said.get(`mso-position-${axis}`) ?? "") && Object.hasOwn(origins, from(axis)),
  );
  const isKnown = isPlaced && !said.has("rotation") && [width, height, left, top].every(Number.isFinite);
  const acrossFrom = origins[from("horizontal")] === "paragraph" ? "column" : from("horizontal");
  return {
    rect: isKnown
      ? {
          left,
          top,
          right: left + width,
          bottom: top + height,
          acrossFrom,
          downFrom: origins[from("vertical")]!,
        }
      : undefined,
    isBehind: said.get("z-index")?.startsWith("-") === true,
    ground: groundOf(tag),
    area: width * height,
    isAside: false,
    boxes: [],
  };
}
