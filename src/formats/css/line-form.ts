/** Grammars of shorthands whose parts may have any order, each part at most once (CSS Values and Units, "||"). A value with the same
 *  part twice is invalid, and an earlier declaration counts. */
import { isKnownUnit, otherUnits } from "./length.ts";
import type { CssToken } from "./tokens.ts";
import {
  addressOf,
  colour,
  componentsOf,
  horizontal,
  isGradient,
  type Reading,
  type Value,
  vertical,
  wordOf,
  words,
} from "./value-forms.ts";

type Fault = Exclude<Reading, "understood">;

const lineStyles = words("none hidden dotted dashed solid double groove ridge inset outset");
const lineWidths = words("thin medium thick");

export interface LineForm {
  readonly style: string | undefined;
  readonly width: Value | undefined;
}

/** The width, style and colour of a border or an outline. */
export function readLine(value: Value, otherStyles: readonly string[], isQuirky: boolean): LineForm | Fault {
  let style: string | undefined;
  let width: Value | undefined;
  let hasColour = false;
  for (const part of componentsOf(value)) {
    const word = wordOf(part);
    if (lineStyles.has(word) || otherStyles.includes(word)) {
      if (style !== undefined) return "dropped";
      style = word;
    } else if (lineWidths.has(word) || isSize(part)) {
      if (width !== undefined) return "dropped";
      width = part;
    } else {
      const reading = colour(part, isQuirky);
      // A function that is not understood may be the width.
      if (reading !== "understood" && part[0]?.type === "function") return "unknown";
      if (reading === "dropped" || hasColour) return "dropped";
      hasColour = true;
    }
  }
  return { style, width };
}

export function isSize(part: Value): boolean {
  const [token] = part;
  if (part.length !== 1 || token === undefined) return false;
  if (token.type === "number") return true;
  return token.type === "dimension" && (isKnownUnit(token.unit) || otherUnits.has(token.unit));
}

export function isSlash(token: CssToken | undefined): boolean {
  return token?.type === "delim" && token.value === "/";
}

const oneRepeat = words("repeat-x repeat-y");
const repeats = words("repeat no-repeat round space");
const attachments = words("scroll fixed local");
const boxes = words("border-box padding-box content-box text border-area");
const sizes = words("auto cover contain");

export interface BackgroundLayer {
  readonly picture: Value | undefined;
  readonly colour: Value | undefined;
  readonly clip: string | undefined;
  readonly isPlaced: boolean;
}

/** One layer of `background` (CSS Backgrounds and Borders Level 3, section 3.10). */
export function readBackgroundLayer(layer: Value, isQuirky: boolean): BackgroundLayer | Fault {
  let picture: Value | undefined;
  let shade: Value | undefined;
  const clips: string[] = [];
  const said = { repeat: [] as string[], attachment: 0, places: [] as Value[], sizes: [] as Value[] };
  let isSizing = false;
  let last = "";
  for (const part of componentsOf(layer)) {
    const word = wordOf(part);
    let kind = "";
    if (addressOf(part) !== undefined || isGradient(part) || word === "none") {
      if (picture !== undefined) return "dropped";
      picture = part;
    } else if (word === "text" || word === "border-area") return "unknown";
    else if (boxes.has(word)) clips.push(word);
    else if (repeats.has(word) || oneRepeat.has(word)) {
      kind = "repeat";
      if (said.repeat.length > 0 && last !== kind) return "dropped";
      said.repeat.push(word);
    } else if (attachments.has(word)) said.attachment++;
    else if (isSlash(part[0])) {
      kind = "size";
      if (last !== "place" || isSizing) return "dropped";
      isSizing = true;
    } else if (last === "size" && (sizes.has(word) || isPlace(part))) {
      kind = "size";
      said.sizes.push(part);
    } else if (isPlace(part) || horizontal.has(word) || vertical.has(word) || word === "center") {
      kind = "place";
      if (said.places.length > 0 && last !== kind) return "dropped";
      said.places.push(part);
    } else {
      const reading = colour(part, isQuirky);
      if (reading !== "understood") return reading;
      if (shade !== undefined) return "dropped";
      shade = part;
    }
    last = kind;
  }
  if (clips.length > 2 || said.attachment > 1) return "dropped";
  if (said.repeat.length > 2 || (said.repeat.length === 2 && said.repeat.some((one) => oneRepeat.has(one))))
    return "dropped";
  if (isSizing && (said.sizes.length === 0 || said.sizes.length > 2)) return "dropped";
  if (said.sizes.length === 2 && said.sizes.some((one) => ["cover", "contain"].includes(wordOf(one))))
    return "dropped";
  // Browsers drop sizes below zero, and those without a unit.
  if (
    said.sizes.some(
      ([token]) =>
        token !== undefined &&
        "number" in token &&
        (token.number < 0 || (token.type === "number" && token.number > 0)),
    )
  )
    return "unknown";
  const place = readPlace(said.places);
  if (place !== "understood") return place;
  const isPlaced = said.repeat.length + said.attachment + said.places.length + said.sizes.length > 0;
  return { picture, colour: shade, clip: clips.at(-1), isPlaced };
}

function isPlace(part: Value): boolean {
  return (part.length === 1 && part[0]?.type === "percent") || isSize(part);
}

/** `background-position` of one layer. Forms with three or four parts are not understood. */
function readPlace(places: readonly Value[]): Reading {
  // On some pages a number without a unit is a length.
  if (places.some(([token]) => token?.type === "number" && token.number !== 0)) return "unknown";
  if (places.length < 2) return "understood";
  if (places.length > 2) return places.length > 4 ? "dropped" : "unknown";
  const [one, two] = places.map(wordOf) as [string, string];
  const isInOrder = !vertical.has(one) && !horizontal.has(two);
  const isTurned = one !== "" && two !== "" && !horizontal.has(one) && !vertical.has(two);
  return isInOrder || isTurned ? "understood" : "dropped";
}
