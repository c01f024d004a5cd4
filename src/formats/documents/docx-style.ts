/** The letters of a Word document: what its own properties say of them (ECMA-376 part 1, sections 17.3.1 and 17.3.2). What is said twice in
 *  one place counts with the worse of both: programs differ in which one they take. */
import type { SaxesTagNS } from "saxes";
import type { Doubt } from "#/src/model/removal.ts";
import { type ThemeColours, themeColour } from "./docx-theme.ts";
import { attributeValue, hexOf, isOn, isWord2010, numberOf } from "./docx-xml.ts";

/** undefined: not said. Lengths are in twentieths of a point. */
export interface LetterProperties {
  isVanished?: boolean;
  /** All that it may be: programs without the theme take the value beside its name. "auto" is black or white, whatever is behind. */
  colours?: readonly string[];
  halfPoints?: number;
  /** Of letters of other scripts, and of all letters of a run that is marked as such. */
  otherHalfPoints?: number;
  /** Per cent of the usual width. */
  width?: number;
  /** Between letters. */
  spacing?: number;
  /** Over the line, in half points. */
  raise?: number;
  /** Shares of the size that is said: of letters over or under the line, and of small capitals. */
  lowered?: number;
  capitals?: number;
  /** All that it may be. */
  fills?: readonly string[];
  highlight?: string;
  /** Of a paragraph. */
  left?: number;
  right?: number;
  first?: number;
  line?: number;
  isExact?: boolean;
  isAtLeast?: boolean;
  /** Before or behind a paragraph, and each of them. */
  gap?: number;
  before?: number;
  after?: number;
  /** Its lines do not begin at the left. */
  isAside?: boolean;
  isFramed?: boolean;
  isNumbered?: boolean;
  /** Where a tab may take what follows it, and whether there is one. */
  tabStop?: number;
  isTabbed?: boolean;
  frame?: Doubt;
  /** The letters are not filled, or with something that is no colour. */
  isUnfilled?: boolean;
  isFilledUnclearly?: boolean;
  /** Programs differ in what is said: it is said twice, or where not all of them read it. */
  isUnclear?: boolean;
  /** Of cells, between their edges and their letters. */
  padLeft?: number;
  padRight?: number;
  /** Of a table, from the margin. */
  shift?: number;
  /** All letters are put into one width. */
  isFitted?: boolean;
  /** Fonts by kinds of letters, in small letters; "+mj" and "+mn" where the theme names it. */
  asciiFont?: string;
  hAnsiFont?: string;
  csFont?: string;
  eastAsiaFont?: string;
}

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
/** Hundredths of a letter, as twentieths of a point of a large one. */
const twentiethsOfLetter = 2.4;
/** That are said of one place. */
const coloursMax = 16;
/** Twentieths of a point: where something begins that is surely on the page. */
const acrossMost = 9000;
const downMost = 14_000;
const backMost = 1440;
const frameWidthLeast = 600;
/** Of letters over or under the line, in the program that draws them smallest, and of small capitals. */
const shareOfRaised = 0.58;
const shareOfCapitals = 0.8;
/** Shares of its own colour that a pattern of lines may have. */
const sharesOfLines: readonly number[] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8];

/** Of a frame or a table. */
export function isOffPage(across = 0, down = 0): boolean {
  return across > acrossMost || down > downMost || across < -backMost || down < -backMost;
}

/** Notes an element of run properties, or of those of a paragraph, a table, a row or a cell. */
export function noteProperty(properties: LetterProperties, tag: SaxesTagNS, theme: ThemeColours): void {
  const value = attributeValue(tag, "val");
  if (isWord2010(tag)) {
    noteFill(properties, tag, theme);
    return;
  }
  switch (tag.local) {
    case "vanish":
    case "webHidden":
    case "specVanish":
      properties.isVanished = properties.isVanished === true || isOn(tag);
      break;
    case "color":
      if (value !== "" && value !== "auto" && hexOf(value) === "") properties.isFilledUnclearly = true;
      noteColours(properties, "colours", coloursOf(hexOf(value) || "auto", tag, theme, "theme"));
      break;
    case "sz":
      properties.halfPoints = least(properties.halfPoints, numberOf(tag, "val") ?? 0);
      break;
    case "szCs":
      properties.otherHalfPoints = least(properties.otherHalfPoints, numberOf(tag, "val") ?? 0);
      break;
    case "w":
      properties.width = least(properties.width, numberOf(tag, "val") ?? 0);
      break;
    case "spacing":
      if (value !== "") properties.spacing = least(properties.spacing, numberOf(tag, "val") ?? 0);
      if (attributeValue(tag, "line") !== "")
        properties.line = least(properties.line, numberOf(tag, "line") ?? 0);
      if (attributeValue(tag, "lineRule") !== "")
        properties.isExact = properties.isExact === true || attributeValue(tag, "lineRule") === "exact";
      if (attributeValue(tag, "lineRule") !== "")
        properties.isAtLeast = attributeValue(tag, "lineRule") === "atLeast";
      for (const side of ["before", "after"] as const) {
        const gap = numberOf(tag, side);
        if (gap === undefined) continue;
        properties.gap = Math.max(properties.gap ?? 0, gap);
        properties[side] = Math.max(properties[side] ?? 0, gap);
      }
      break;
    case "jc":
      properties.isAside = properties.isAside === true || !["left", "start", "both"].includes(value);
      break;
    case "bidi":
      properties.isAside = true;
      break;
    case "position":
      properties.raise = farthest(properties.raise, numberOf(tag, "val") ?? 0);
      break;
    case "vertAlign":
      properties.lowered = least(properties.lowered, value === "baseline" ? 1 : shareOfRaised);
      break;
    case "smallCaps":
      properties.capitals = least(properties.capitals, isOn(tag) ? shareOfCapitals : 1);
      break;
    case "left":
    case "start":
      // Borders have the same names, and no width.
      noteMost(properties, "padLeft", numberOf(tag, "w"));
      break;
    case "right":
    case "end":
      noteMost(properties, "padRight", numberOf(tag, "w"));
      break;
    case "tblInd":
      noteMost(properties, "shift", numberOf(tag, "w"));
      break;
    case "fitText":
      properties.isFitted = true;
      break;
    case "ind":
      noteIndents(properties, tag);
      break;
    case "numPr":
      properties.isNumbered = true;
      break;
    case "tab":
      if (value !== "clear") properties.tabStop = farthest(properties.tabStop, numberOf(tag, "pos") ?? 0);
      break;
    case "eastAsianLayout":
      // Letters of half of their size, or turned.
      properties.isUnclear = true;
      break;
    case "framePr": {
      properties.isFramed = true;
      const doubt = doubtOfFrame(tag);
      if (doubt !== undefined) properties.frame = doubt;
      break;
    }
    case "rFonts":
      noteFonts(properties, tag);
      break;
    case "shd":
      noteShading(properties, tag, value, theme);
      break;
    case "highlight":
      if (value !== "none" && !Object.hasOwn(highlights, value)) properties.isFilledUnclearly = true;
      if (properties.highlight !== undefined) properties.isUnclear = true;
      properties.highlight = Object.hasOwn(highlights, value) ? highlights[value]! : "";
      break;
  }
}

function noteIndents(properties: LetterProperties, tag: SaxesTagNS): void {
  const said = (names: readonly string[], perUnit = 1): number | undefined => {
    const found = names.flatMap((name) => numberOf(tag, name) ?? []);
    return found.length === 0
      ? undefined
      : Math.max(...found.map(Math.abs)) === 0
        ? 0
        : farthestOf(found) * perUnit;
  };
  const side = (name: string, other: string): number | undefined =>
    said([`${name}Chars`, `${other}Chars`], twentiethsOfLetter) ?? said([name, other]);
  const [left, right] = [side("left", "start"), side("right", "end")];
  const hanging = side("hanging", "hanging");
  const first = hanging === undefined ? side("firstLine", "firstLine") : -hanging;
  if (left !== undefined) properties.left = farthest(properties.left, left);
  if (right !== undefined) properties.right = farthest(properties.right, right);
  if (first !== undefined) properties.first = farthest(properties.first, first);
}

/** `framePr` (section 17.3.1.11). */
function doubtOfFrame(tag: SaxesTagNS): Doubt | undefined {
  const width = numberOf(tag, "w");
  if (isOffPage(numberOf(tag, "x"), numberOf(tag, "y"))) return "may-be-off-screen";
  // Pages writes such a frame into every style: what has no size has the one of its text.
  if ((width ?? 0) === 0 && (numberOf(tag, "h") ?? 0) === 0) return undefined;
  if (width !== undefined && width < frameWidthLeast) return "may-be-cut-off";
  return attributeValue(tag, "hRule") === "exact" ? "may-be-cut-off" : undefined;
}

const fontKinds = ["ascii", "hAnsi", "cs", "eastAsia"] as const;

function noteFonts(properties: LetterProperties, tag: SaxesTagNS): void {
  for (const kind of fontKinds) {
    const themed = attributeValue(tag, kind === "cs" ? "cstheme" : `${kind}Theme`);
    const name = attributeValue(tag, kind).toLowerCase();
    if (themed === "" && name === "") continue;
    if (properties[`${kind}Font`] !== undefined) properties.isUnclear = true;
    properties[`${kind}Font`] = themed === "" ? name : themed.startsWith("major") ? "+mj" : "+mn";
  }
}

function noteShading(
  properties: LetterProperties,
  tag: SaxesTagNS,
  value: string,
  theme: ThemeColours,
): void {
  const said = attributeValue(tag, "fill");
  if (said !== "" && said !== "auto" && hexOf(said) === "") properties.isFilledUnclearly = true;
  const fills = coloursOf(hexOf(said), tag, theme, "themeFill");
  const pattern = coloursOf(hexOf(attributeValue(tag, "color")), tag, theme, "theme");
  const isPlain = value === "nil" || value === "clear" || value === "";
  const own = pattern.length === 0 ? ["000000"] : pattern;
  const found =
    value === "solid"
      ? own
      : isPlain
        ? fills
        : patternsOf(value, fills.length === 0 ? ["ffffff"] : fills, own);
  if (found.length > 0) noteColours(properties, "fills", found);
}

/** The colours of a pattern (section 17.18.78), and what programs paint where they mix them. */
function patternsOf(value: string, fills: readonly string[], own: readonly string[]): readonly string[] {
  const percent = /^pct(\d{1,2})$/.exec(value)?.[1];
  const shares = percent === undefined ? sharesOfLines : [Number(percent) / 100];
  const mixed = fills.flatMap((fill) => own.flatMap((one) => shares.map((share) => mix(fill, one, share))));
  return [...new Set([...fills, ...own, ...mixed])];
}

function mix(ground: string, colour: string, share: number): string {
  const channel = (from: number): string => {
    const [one, other] = [ground, colour].map((hex) => Number.parseInt(hex.slice(from, from + 2), 16));
    return Math.round(one! + (other! - one!) * share)
      .toString(16)
      .padStart(2, "0");
  };
  return channel(0) + channel(2) + channel(4);
}

/** Of `textFill`: what the letters are filled with. */
function noteFill(properties: LetterProperties, tag: SaxesTagNS, theme: ThemeColours): void {
  const value = attributeValue(tag, "val");
  switch (tag.local) {
    case "solidFill":
      break;
    case "noFill":
      properties.isUnfilled = true;
      break;
    case "srgbClr":
      if (hexOf(value) === "") properties.isFilledUnclearly = true;
      else properties.colours = [hexOf(value)];
      break;
    case "schemeClr":
      properties.colours = [themeColour(theme, value, "", "") ?? "ffffff"];
      break;
    default:
      // Another fill, or a change of the colour.
      properties.isFilledUnclearly = true;
  }
}

/** The value, and what the theme says where it is named. */
export function coloursOf(
  value: string,
  tag: SaxesTagNS,
  theme: ThemeColours,
  prefix: string,
): readonly string[] {
  const name = attributeValue(tag, prefix === "theme" ? "themeColor" : prefix);
  const said = value === "" ? [] : [value];
  if (name === "" || name === "none") return said;
  const themed = themeColour(
    theme,
    name,
    attributeValue(tag, `${prefix}Tint`),
    attributeValue(tag, `${prefix}Shade`),
  );
  // Without a theme the colour beside the name is all that there is. "auto" beside one counts for nobody.
  if (themed === undefined && theme.size === 0 && said.length > 0) return said;
  const known = themed ?? "ffffff";
  return value === "auto" || value === "" ? [known] : [...new Set([value, known])];
}

function noteColours(
  properties: LetterProperties,
  kind: "colours" | "fills",
  found: readonly string[],
): void {
  const all = new Set([...(properties[kind] ?? []), ...found]);
  if (all.size > coloursMax) properties.isUnclear = true;
  else properties[kind] = [...all];
}

function least(one: number | undefined, other: number): number {
  return Math.min(one ?? other, other);
}

function noteMost(
  properties: LetterProperties,
  kind: "padLeft" | "padRight" | "shift",
  value: number | undefined,
): void {
  if (value !== undefined) properties[kind] = Math.max(properties[kind] ?? value, value);
}

function farthest(one: number | undefined, other: number): number {
  return one === undefined ? other : farthestOf([one, other]);
}

function farthestOf(all: readonly number[]): number {
  return all.reduce((far, one) => (Math.abs(one) > Math.abs(far) ? one : far), 0);
}
