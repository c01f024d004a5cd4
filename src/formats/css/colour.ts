/** Colours (CSS Color Level 4 and 5, and the older way of HTML) as red, green, blue from 0 to 255 and opacity from 0 to 1. */

import { angleOf, numberOf } from "./length.ts";
import { namedColours } from "./named-colours.ts";
import { type CssToken, skipComponent, splitByComma, trimSpace } from "./tokens.ts";

export type Colour = readonly [red: number, green: number, blue: number, alpha: number];

export const black: Colour = [0, 0, 0, 1];
export const white: Colour = [255, 255, 255, 1];
export const transparent: Colour = [0, 0, 0, 0];

/** `current`: what `currentcolor` is. */
export function colourOf(
  tokens: readonly CssToken[],
  current: Colour,
  isQuirky: boolean,
  depth = 0,
): Colour | undefined {
  const [token] = tokens;
  if (token === undefined || depth > 8) return undefined;
  if (token.type === "function")
    return skipComponent(tokens, 0) === tokens.length
      ? functionColour(token.value, tokens.slice(1, -1), current, depth)
      : undefined;
  if (tokens.length > 1) return undefined;
  if (token.type === "hash") return hexColour(token.value);
  if (token.type === "ident") {
    const name = token.value.toLowerCase();
    if (name === "currentcolor") return current;
    if (name === "transparent") return transparent;
    return (
      namedColour(name) ??
      (isQuirky && /^(?:[0-9a-f]{3}|[0-9a-f]{6})$/.test(name) ? hexColour(name) : undefined)
    );
  }
  if (!isQuirky) return undefined;
  // A colour without its sign reads as a number: 000000, 123, 12ab34.
  if (token.type === "number" && !token.isSigned) return hexColour(String(token.number).padStart(6, "0"));
  if (token.type === "dimension" && !token.isSigned)
    return hexColour(`${token.number}${token.unit}`.padStart(6, "0"));
  return undefined;
}

function hexColour(text: string): Colour | undefined {
  if (!/^(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i.test(text)) return undefined;
  const digits = text.length < 6 ? text.replace(/./g, "$&$&") : text;
  const at = (index: number): number => Number.parseInt(digits.slice(index * 2, index * 2 + 2), 16);
  return [at(0), at(1), at(2), digits.length === 8 ? at(3) / 255 : 1];
}

function namedColour(name: string): Colour | undefined {
  const hex = namedColours.get(name);
  return hex === undefined ? undefined : hexColour(hex);
}

/** The value of `bgcolor`, `color` and `text` (HTML section 2.4.6): whatever it is, it is a colour. */
export function legacyColour(value: string): Colour | undefined {
  const text = value.trim().toLowerCase();
  if (text === "" || text === "transparent") return undefined;
  const named = namedColour(text);
  if (named !== undefined) return named;
  if (/^#[0-9a-f]{3}$/.test(text)) return hexColour(text.slice(1));
  let digits = [...text.replaceAll(/[\u{10000}-\u{10ffff}]/gu, "00")]
    .slice(0, 128)
    .join("")
    .replace(/^#/, "")
    .replaceAll(/[^0-9a-f]/g, "0");
  while (digits.length === 0 || digits.length % 3 !== 0) digits += "0";
  const length = digits.length / 3;
  let parts = [0, 1, 2].map((index) => digits.slice(index * length, (index + 1) * length).slice(-8));
  while (parts[0]!.length > 2 && parts.every((part) => part.startsWith("0")))
    parts = parts.map((part) => part.slice(1));
  return hexColour(parts.map((part) => part.slice(0, 2).padStart(2, "0")).join(""));
}

function functionColour(
  name: string,
  inner: readonly CssToken[],
  current: Colour,
  depth: number,
): Colour | undefined {
  const word = name.toLowerCase();
  if (word === "color-mix") return mixedColour(inner, current, depth);
  if (word === "light-dark") return colourOf(splitByComma(inner)[0] ?? [], current, false, depth + 1);
  const values = argumentsOf(inner);
  if (values === undefined) return undefined;
  if (values[0]?.type === "ident" && values[0].value.toLowerCase() === "from") return undefined;
  const space = word === "color" ? values.shift() : undefined;
  const alphaToken = values[3];
  const alpha = alphaToken === undefined ? 1 : share(alphaToken, 1);
  if (values.length < 3 || values.length > 4 || alpha === undefined) return undefined;
  const [a, b, c] = values as [CssToken, CssToken, CssToken];
  const rgb = channels(word, space, a, b, c);
  if (rgb === undefined || rgb.some((value) => !Number.isFinite(value))) return undefined;
  return [bound(rgb[0]), bound(rgb[1]), bound(rgb[2]), Math.max(0, Math.min(1, alpha))];
}

type Triple = readonly [number, number, number];

function channels(
  word: string,
  space: CssToken | undefined,
  a: CssToken,
  b: CssToken,
  c: CssToken,
): Triple | undefined {
  const all = (whole: number, first = whole): Triple | undefined => {
    const values = [share(a, first), share(b, whole), share(c, whole)];
    return values.includes(undefined) ? undefined : (values as unknown as Triple);
  };
  switch (word) {
    case "rgb":
    case "rgba":
      return all(255);
    case "hsl":
    case "hsla":
    case "hwb": {
      const hue = hueOf(a);
      const [second, third] = [share(b, 100), share(c, 100)];
      if (hue === undefined || second === undefined || third === undefined) return undefined;
      return word === "hwb"
        ? fromHwb(hue, second / 100, third / 100)
        : fromHsl(hue, second / 100, third / 100);
    }
    case "lab":
    case "oklab": {
      const isOk = word === "oklab";
      const values = all(isOk ? 0.4 : 125, isOk ? 1 : 100);
      return values && (isOk ? fromOklab(...values) : fromLab(...values));
    }
    case "lch":
    case "oklch": {
      const isOk = word === "oklch";
      const [light, chroma, hue] = [share(a, isOk ? 1 : 100), share(b, isOk ? 0.4 : 150), hueOf(c)];
      if (light === undefined || chroma === undefined || hue === undefined) return undefined;
      const angle = (hue * Math.PI) / 180;
      const [x, y] = [chroma * Math.cos(angle), chroma * Math.sin(angle)];
      return isOk ? fromOklab(light, x, y) : fromLab(light, x, y);
    }
    case "color": {
      const values = all(1);
      const name = space?.type === "ident" ? space.value.toLowerCase() : "";
      if (values === undefined) return undefined;
      if (name === "srgb-linear") return encode(values);
      if (name === "xyz" || name === "xyz-d65") return fromXyz(...values);
      // Wider colours are near enough the ones of the same numbers.
      return ["srgb", "display-p3", "a98-rgb", "rec2020", "prophoto-rgb"].includes(name)
        ? [values[0] * 255, values[1] * 255, values[2] * 255]
        : undefined;
    }
  }
  return undefined;
}

/** Values between commas, spaces or a slash; a calculation is one value. */
function argumentsOf(inner: readonly CssToken[]): CssToken[] | undefined {
  const values: CssToken[] = [];
  for (let at = 0; at < inner.length; ) {
    const token = inner[at]!;
    const end = skipComponent(inner, at);
    if (token.type === "function") {
      const number = numberOf(inner.slice(at, end), 1);
      if (number === undefined) return undefined;
      values.push({ type: "number", number, isSigned: false });
    } else if (
      token.type !== "space" &&
      token.type !== "," &&
      !(token.type === "delim" && token.value === "/")
    )
      values.push(token);
    at = end;
  }
  return values;
}

function share(token: CssToken, whole: number): number | undefined {
  if (token.type === "ident" && token.value.toLowerCase() === "none") return 0;
  return numberOf([token], whole);
}

function hueOf(token: CssToken): number | undefined {
  if (token.type === "number") return token.number;
  return token.type === "ident" ? share(token, 1) : angleOf([token]);
}

function bound(value: number): number {
  return Math.max(0, Math.min(255, value));
}

function fromHsl(hue: number, saturation: number, light: number): Triple {
  const amplitude = saturation * Math.min(light, 1 - light);
  const channel = (offset: number): number => {
    const k = (((offset + hue / 30) % 12) + 12) % 12;
    return 255 * (light - amplitude * Math.max(-1, Math.min(k - 3, 9 - k, 1)));
  };
  return [channel(0), channel(8), channel(4)];
}

function fromHwb(hue: number, whiteness: number, blackness: number): Triple {
  if (whiteness + blackness >= 1) {
    const grey = (255 * whiteness) / (whiteness + blackness);
    return [grey, grey, grey];
  }
  const [r, g, b] = fromHsl(hue, 1, 0.5);
  const mix = (value: number): number => value * (1 - whiteness - blackness) + 255 * whiteness;
  return [mix(r), mix(g), mix(b)];
}

function fromLab(light: number, a: number, b: number): Triple {
  const fy = (light + 16) / 116;
  const inverse = (f: number): number => (f ** 3 > 216 / 24389 ? f ** 3 : (116 * f - 16) / (24389 / 27));
  const x = inverse(fy + a / 500) * 0.9505;
  const y = light > 8 ? fy ** 3 : light / (24389 / 27);
  return fromXyz(x, y, inverse(fy - b / 200) * 1.089);
}

function fromXyz(x: number, y: number, z: number): Triple {
  return encode([
    3.2406 * x - 1.5372 * y - 0.4986 * z,
    -0.9689 * x + 1.8758 * y + 0.0415 * z,
    0.0557 * x - 0.204 * y + 1.057 * z,
  ]);
}

function fromOklab(light: number, a: number, b: number): Triple {
  const l = (light + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (light - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (light - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return encode([
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ]);
}

/** Linear light to sRGB. */
function encode(linear: Triple): Triple {
  const channel = (value: number): number =>
    255 * (value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055);
  return [channel(linear[0]), channel(linear[1]), channel(linear[2])];
}

/** color-mix(in space, colour share, colour share), mixed in sRGB whatever the space. */
function mixedColour(inner: readonly CssToken[], current: Colour, depth: number): Colour | undefined {
  const [, ...parts] = splitByComma(inner);
  if (parts.length !== 2) return undefined;
  const read = parts.map((part) => {
    const percent = part.find((token) => token.type === "percent");
    const rest = trimSpace(part.filter((token) => token !== percent));
    return {
      colour: colourOf(rest, current, false, depth + 1),
      share: percent?.type === "percent" ? percent.number / 100 : undefined,
    };
  });
  const [first, second] = read as [(typeof read)[0], (typeof read)[0]];
  if (first.colour === undefined || second.colour === undefined) return undefined;
  const one = first.share ?? (second.share === undefined ? 0.5 : 1 - second.share);
  const two = second.share ?? 1 - one;
  if (one + two <= 0) return undefined;
  const part = one / (one + two);
  const channel = (index: number): number =>
    first.colour![index]! * part + second.colour![index]! * (1 - part);
  return [channel(0), channel(1), channel(2), channel(3) * Math.min(1, one + two)];
}

/** One colour seen through another. */
export function over(top: Colour, under: Colour, opacity = 1): Colour {
  const alpha = top[3] * opacity;
  if (alpha >= 1) return [top[0], top[1], top[2], 1];
  const channel = (index: number): number => top[index]! * alpha + under[index]! * (1 - alpha);
  return [channel(0), channel(1), channel(2), 1];
}

function luminance([red, green, blue]: Colour): number {
  const linear = (value: number): number =>
    value <= 10.31 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4;
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

/** Contrast (WCAG 2.2) below which letters melt into what is behind them: #ddd on white is 1.36. */
const contrastMin = 1.3;
/** Equally light colours differ when they are this far apart: red on green. */
const distanceMin = 80;

export function isDistinct(one: Colour, other: Colour): boolean {
  const [a, b] = [luminance(one), luminance(other)];
  if ((Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) >= contrastMin) return true;
  return Math.hypot(one[0] - other[0], one[1] - other[1], one[2] - other[2]) >= distanceMin;
}
