/** The letters of a Word document: what its styles and its own properties say of them (ECMA-376 part 1, sections 17.3.1, 17.3.2 and 17.7). */
import { SaxesParser, type SaxesTagNS } from "saxes";
import { type ThemeColours, themeColour } from "./docx-theme.ts";

/** undefined: not said. Lengths are in twentieths of a point. */
export interface LetterProperties {
  isVanished?: boolean;
  /** All that it may be: programs without the theme take the value beside its name. "auto" is black or white, whatever is behind. */
  colours?: readonly string[];
  halfPoints?: number;
  /** Per cent of the usual width. */
  width?: number;
  /** Between letters. */
  spacing?: number;
  /** Over the line, in half points. */
  raise?: number;
  /** All that it may be. */
  fills?: readonly string[];
  highlight?: string;
  /** Of a paragraph. */
  indents?: readonly number[];
  exactLine?: number | undefined;
  /** The letters are not filled, or with something that is no colour. */
  isUnfilled?: boolean;
  isFilledUnclearly?: boolean;
}

export interface DocumentStyles {
  /** Of a paragraph, a run or a cell with this style, and of the styles that it is based on. */
  of(style: string | undefined): LetterProperties;
  /** Of letters that no style is said for. */
  readonly usual: LetterProperties;
  /** What a style of tables says of the whole table and of its rows and columns, each by itself. */
  ofTable(style: string | undefined): readonly LetterProperties[];
}

export const noStyles: DocumentStyles = { of: () => ({}), usual: {}, ofTable: () => [{}] };

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

export function isOn(tag: SaxesTagNS): boolean {
  return !["0", "false", "off"].includes(attributeValue(tag, "val"));
}

export function numberOf(tag: SaxesTagNS, name: string): number | undefined {
  const value = Number.parseFloat(attributeValue(tag, name));
  return Number.isFinite(value) ? value : undefined;
}

/** Elements that Word 2010 and later draw letters by, beside those of the standard. */
export const wordNamespace2010 = "http://schemas.microsoft.com/office/word/2010/wordml";

/** Notes an element of run properties, or of those of a paragraph or a cell. */
export function noteProperty(properties: LetterProperties, tag: SaxesTagNS, theme: ThemeColours): void {
  const value = attributeValue(tag, "val");
  if (tag.uri === wordNamespace2010) {
    noteFill(properties, tag, theme);
    return;
  }
  switch (tag.local) {
    case "vanish":
    case "webHidden":
    case "specVanish":
      properties.isVanished = isOn(tag);
      break;
    case "color":
      properties.colours = coloursOf(hexOf(value) || "auto", tag, theme, "theme");
      break;
    case "sz":
      properties.halfPoints = Number(value);
      break;
    case "w":
      properties.width = Number.parseFloat(value);
      break;
    case "spacing":
      if (value !== "") properties.spacing = Number.parseFloat(value);
      if (attributeValue(tag, "line") !== "")
        properties.exactLine =
          attributeValue(tag, "lineRule") === "exact" ? numberOf(tag, "line") : undefined;
      break;
    case "position":
      properties.raise = Number.parseFloat(value);
      break;
    case "ind":
      properties.indents = ["left", "start", "right", "end", "firstLine", "hanging"].map(
        (side) => numberOf(tag, side) ?? 0,
      );
      break;
    case "shd": {
      const fills = coloursOf(hexOf(attributeValue(tag, "fill")), tag, theme, "themeFill");
      const pattern = coloursOf(hexOf(attributeValue(tag, "color")), tag, theme, "theme");
      if (value === "solid") properties.fills = pattern.length === 0 ? ["000000"] : pattern;
      else if (value === "nil" || value === "clear" || value === "") {
        if (fills.length > 0) properties.fills = fills;
      } else
        properties.fills = [
          ...(fills.length === 0 ? ["ffffff"] : fills),
          ...(pattern.length === 0 ? ["000000"] : pattern),
        ];
      break;
    }
    case "highlight":
      properties.highlight = Object.hasOwn(highlights, value) ? highlights[value]! : "";
      break;
  }
}

/** `textFill`: what the letters are filled with. */
function noteFill(
  properties: LetterProperties,
  { local, attributes }: SaxesTagNS,
  theme: ThemeColours,
): void {
  const value = Object.values(attributes).find((one) => one.local === "val")?.value ?? "";
  if (local === "noFill") properties.isUnfilled = true;
  else if (["gradFill", "pattFill", "blipFill", "alpha"].includes(local)) properties.isFilledUnclearly = true;
  else if (local === "srgbClr" && hexOf(value) !== "") properties.colours = [hexOf(value)];
  else if (local === "schemeClr") properties.colours = [themeColour(theme, value, "", "") ?? "ffffff"];
}

/** The value, and what the theme says where it is named. */
function coloursOf(value: string, tag: SaxesTagNS, theme: ThemeColours, prefix: string): readonly string[] {
  const name = attributeValue(tag, prefix === "theme" ? "themeColor" : prefix);
  const said = value === "" ? [] : [value];
  if (name === "" || name === "none") return said;
  const themed = themeColour(
    theme,
    name,
    attributeValue(tag, `${prefix}Tint`),
    attributeValue(tag, `${prefix}Shade`),
  );
  // The colour beside the name counts for programs without the theme, "auto" beside one for nobody.
  if (themed === undefined) return said.length === 0 ? ["ffffff"] : said;
  return value === "auto" || value === "" ? [themed] : [...new Set([value, themed])];
}

export function hexOf(value: string): string {
  return /^[0-9a-f]{6}$/i.test(value) ? value.toLowerCase() : "";
}

interface Style {
  readonly said: LetterProperties;
  /** Of rows and columns of a table. */
  readonly parts: LetterProperties[];
  basedOn?: string;
}

/** Elements that say what a style was before a change that a person has not accepted. */
export function isOfBefore(name: string): boolean {
  return name.endsWith("Change");
}

/** `xml`: word/styles.xml. What is read before a fault counts. */
export function readStyles(xml: string, theme: ThemeColours): DocumentStyles {
  const styles = new Map<string, Style>();
  const usual: LetterProperties = {};
  let style: Style | undefined;
  let part: LetterProperties | undefined;
  let isDefault = false;
  let before = 0;
  const parser = new SaxesParser({ xmlns: true });
  parser.on("doctype", () => {
    throw new TypeError("A style sheet has no document type.");
  });
  parser.on("opentag", (tag) => {
    if (isOfBefore(tag.local)) before++;
    else if (before > 0) return;
    else if (tag.local === "docDefaults") isDefault = true;
    else if (tag.local === "style" && styles.size < stylesMax) {
      style = { said: {}, parts: [] };
      styles.set(attributeValue(tag, "styleId"), style);
      if (attributeValue(tag, "default") === "1" && attributeValue(tag, "type") === "paragraph")
        styles.set("", style);
    } else if (tag.local === "basedOn" && style !== undefined) style.basedOn = attributeValue(tag, "val");
    else if (tag.local === "tblStylePr") {
      part = {};
      style?.parts.push(part);
    } else noteProperty(isDefault ? usual : (part ?? style?.said ?? {}), tag, theme);
  });
  parser.on("closetag", ({ local }) => {
    if (isOfBefore(local)) before--;
    else if (local === "docDefaults") isDefault = false;
    else if (local === "style") style = undefined;
    else if (local === "tblStylePr") part = undefined;
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
    const earlier = known.get(name);
    if (earlier !== undefined) return earlier;
    const based = found.basedOn === undefined ? {} : of(found.basedOn, depth + 1);
    const all = { ...based, ...found.said };
    known.set(name, all);
    return all;
  };
  const partsOf = (name: string, depth = 0): readonly LetterProperties[] => {
    const found = styles.get(name);
    if (found === undefined || depth > depthMax) return [];
    return [...found.parts, ...(found.basedOn === undefined ? [] : partsOf(found.basedOn, depth + 1))];
  };
  return {
    of: (name) => of(name ?? ""),
    usual,
    ofTable(name) {
      const whole = of(name ?? " ");
      return name === undefined ? [{}] : [whole, ...partsOf(name).map((one) => ({ ...whole, ...one }))];
    },
  };
}
