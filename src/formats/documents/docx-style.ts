/** The letters of a Word document: what its styles and its own properties say of them (ECMA-376 part 1, sections 17.3.2 and 17.7). */
import { SaxesParser, type SaxesTagNS } from "saxes";
import { isDistinct } from "#/src/formats/html/contrast.ts";
import type { Removal } from "#/src/model/removal.ts";

/** undefined: not said. */
export interface LetterProperties {
  isVanished?: boolean;
  /** Six hexadecimal digits; "auto" is black or white, whatever is behind. */
  colour?: string;
  halfPoints?: number;
  /** Per cent of the usual width. */
  width?: number;
  fill?: string;
}

export interface DocumentStyles {
  /** Of a paragraph, a run or a cell with this style, and of the styles that it is based on. */
  of(style: string | undefined): LetterProperties;
  /** Of letters that no style is said for. */
  readonly usual: LetterProperties;
}

export const noStyles: DocumentStyles = { of: () => ({}), usual: {} };

/** Smallest font size that is read, in half points, and smallest width in per cent. */
const sizeMin = 6;
const widthMin = 33;
const depthMax = 20;
const stylesMax = 5000;
const highlights: Readonly<Record<string, string>> = {
  black: "000000",
  blue: "0000ff",
  cyan: "00ffff",
  darkBlue: "000080",
  darkCyan: "008080",
  darkGray: "808080",
  darkGreen: "008000",
  darkMagenta: "800080",
  darkRed: "800000",
  darkYellow: "808000",
  green: "00ff00",
  lightGray: "c0c0c0",
  magenta: "ff00ff",
  red: "ff0000",
  white: "ffffff",
  yellow: "ffff00",
};

export function attributeValue(tag: SaxesTagNS, name: string): string {
  return Object.values(tag.attributes).find((attribute) => attribute.local === name)?.value ?? "";
}

function isOn(tag: SaxesTagNS): boolean {
  return !["0", "false", "off"].includes(attributeValue(tag, "val"));
}

/** Notes an element of run properties, or the shading of a paragraph or a cell. */
export function noteProperty(properties: LetterProperties, tag: SaxesTagNS): void {
  const value = attributeValue(tag, "val");
  switch (tag.local) {
    case "vanish":
    case "webHidden":
    case "specVanish":
      properties.isVanished = isOn(tag);
      break;
    case "color":
      // Colours of the theme come with their value, which programs without the theme take.
      properties.colour = /^(?:background|light)/.test(attributeValue(tag, "themeColor"))
        ? hexOf(value) || "ffffff"
        : hexOf(value) || "auto";
      break;
    case "sz":
      properties.halfPoints = Number(value);
      break;
    case "w":
      properties.width = Number.parseFloat(value);
      break;
    case "shd": {
      const pattern = hexOf(attributeValue(tag, "color"));
      const fill = value === "solid" && pattern !== "" ? pattern : hexOf(attributeValue(tag, "fill"));
      if (fill !== "") properties.fill = fill;
      break;
    }
    case "highlight":
      if (highlights[value] !== undefined) properties.fill = highlights[value];
      break;
  }
}

function hexOf(value: string): string {
  return /^[0-9a-f]{6}$/i.test(value) ? value.toLowerCase() : "";
}

/** Why these letters are not seen; undefined for those that are. */
export function hidingOf({
  isVanished = false,
  colour = "auto",
  halfPoints = 20,
  width = 100,
  fill = "ffffff",
}: LetterProperties): Removal | undefined {
  if (isVanished) return "hidden-by-style";
  if (halfPoints < sizeMin || width < widthMin) return "zero-size-text";
  if (colour !== "auto" && !isDistinct(channels(colour), channels(fill))) return "invisible-colour";
  return undefined;
}

function channels(colour: string): [number, number, number, number] {
  const at = (from: number): number => Number.parseInt(colour.slice(from, from + 2), 16);
  return [at(0), at(2), at(4), 1];
}

/** `xml`: word/styles.xml. What is read before a fault counts. */
export function readStyles(xml: string): DocumentStyles {
  const styles = new Map<string, { readonly said: LetterProperties; basedOn?: string }>();
  const usual: LetterProperties = {};
  let style: { readonly said: LetterProperties; basedOn?: string } | undefined;
  let isDefault = false;
  const parser = new SaxesParser({ xmlns: true });
  parser.on("doctype", () => {
    throw new TypeError("A style sheet has no document type.");
  });
  parser.on("opentag", (tag) => {
    if (tag.local === "docDefaults") isDefault = true;
    else if (tag.local === "style" && styles.size < stylesMax) {
      style = { said: {} };
      styles.set(attributeValue(tag, "styleId"), style);
      if (attributeValue(tag, "default") === "1" && attributeValue(tag, "type") === "paragraph")
        styles.set("", style);
    } else if (tag.local === "basedOn" && style !== undefined) style.basedOn = attributeValue(tag, "val");
    else noteProperty(isDefault ? usual : (style?.said ?? {}), tag);
  });
  parser.on("closetag", (tag) => {
    if (tag.local === "docDefaults") isDefault = false;
    else if (tag.local === "style") style = undefined;
  });
  try {
    parser.write(xml).close();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
  }
  const known = new Map<string, LetterProperties>();
  const of = (name: string, depth = 0): LetterProperties => {
    const found = styles.get(name);
    if (found === undefined || depth > depthMax) return {};
    const before = known.get(name);
    if (before !== undefined) return before;
    const based = found.basedOn === undefined ? {} : of(found.basedOn, depth + 1);
    const all = { ...based, ...found.said };
    known.set(name, all);
    return all;
  };
  return { of: (name) => of(name ?? ""), usual };
}
