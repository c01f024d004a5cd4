/** H33: a bar. A part before or after that is empty, as wide as its element at most and a few pixels high, stands in the margin that its
 *  element keeps below itself. Nothing else stands there (F3), so whatever the bar paints covers no letter. */
import { lengthOf } from "#/src/formats/css/length.ts";
import { subjectOf } from "#/src/formats/css/properties.ts";
import type { Declaration } from "#/src/formats/css/stylesheet.ts";
import { type Value, wordOf, words } from "#/src/formats/css/value-forms.ts";
import type { Box } from "./box.ts";
import type { Letters } from "./computed-style.ts";
import type { Part } from "./part.ts";
import type { Values } from "./values.ts";

const heightMost = 4;
/** These change only what a bar paints in its own place. */
const paintNames = words(
  "background-color background-image background-clip background-size background-repeat background-position background-attachment " +
    "background-origin opacity color box-sizing border-top-left-radius border-top-right-radius border-bottom-left-radius " +
    "border-bottom-right-radius border-radius visibility clear",
);

/** Names of the parts of an element that are bars. */
export function barsOf(values: Values, box: Box, letters: Letters, parent: Part): readonly string[] {
  const { parts, unsureParts } = values.declared;
  if (parts.size === 0 || parent.box.items !== undefined || !keepsMargin(values, box)) return [];
  return ["before", "after"].filter((name) => {
    const declarations = parts.get(name);
    return (
      declarations !== undefined && !unsureParts.has(name) && isBar(declarations, box.margin.bottom, letters)
    );
  });
}

/** Whether its parts are placed in it, and its margin below, which it says itself, is kept free. */
function keepsMargin(values: Values, { position, display, isFloat, height, maxHeight, items }: Box): boolean {
  return (
    position === "relative" &&
    (display === "block" || display === "inline-block") &&
    !isFloat &&
    (height ?? maxHeight ?? items) === undefined &&
    values.has("margin-bottom") &&
    values.unclear.length + values.unsureNames.length === 0
  );
}

function isBar(
  declarations: readonly Declaration[],
  free: number,
  { fontSize, lineHeight }: Letters,
): boolean {
  const of = (name: string): readonly Value[] =>
    declarations.flatMap(({ property, value }) => (property === name ? [value] : []));
  const pixels = (value: Value): number =>
    lengthOf(value, { fontSize, lineHeight, whole: Number.NaN, isQuirky: false }) ?? Number.NaN;
  const isEach = (name: string, isRight: (value: Value) => boolean): boolean => {
    const all = of(name);
    return all.length > 0 && all.every(isRight);
  };
  const isNothing = (value: Value): boolean => pixels(value) === 0;
  const highest = Math.max(...of("height").map(pixels));
  return (
    isEach("position", (value) => wordOf(value) === "absolute") &&
    isEach("left", isNothing) &&
    isEach("right", isNothing) &&
    isEach("height", (value) => pixels(value) >= 0 && pixels(value) <= heightMost) &&
    isEach("bottom", (value) => -pixels(value) >= highest && -pixels(value) <= free) &&
    isEach("content", (value) => value.every((token) => token.type === "string" && token.value === "")) &&
    declarations.every((one) => placedNames.has(one.property) || isOfBar(one))
  );
}

const placedNames = words("position left right height bottom content");

function isOfBar({ property, value }: Declaration): boolean {
  if (property === "width") return wordOf(value) === "auto" || isShare(value);
  if (property === "display") return ["block", "inline-block"].includes(wordOf(value));
  if (property === "z-index") return wordOf(value) === "auto" || isCount(value);
  if (/^margin(?:-(?:top|right|bottom|left))?$/.test(property)) return value.every(isNoMargin);
  const subject = subjectOf(property);
  return subject.kind === "properties" && subject.names.every((name) => paintNames.has(name));
}

function isShare([token, ...more]: Value): boolean {
  return more.length === 0 && token?.type === "percent" && token.number >= 0 && token.number <= 100;
}

function isCount([token, ...more]: Value): boolean {
  return more.length === 0 && token?.type === "number" && token.number >= 0;
}

function isNoMargin(token: Value[number]): boolean {
  return (
    token.type === "space" ||
    ((token.type === "number" || token.type === "dimension") && token.number === 0) ||
    (token.type === "ident" && token.value === "auto")
  );
}
