/** Reads colours: names, `#hex`, `rgb()`, `hsl()` and the colours of HTML attributes. A colour has red, green and blue from 0 to 255
 *  and an opacity from 0 to 1. */
import { asciiLower, asciiTrim } from "./ascii-case.ts";
import { numberOf } from "./length.ts";
import { namedColours, steadySystemColours } from "./named-colours.ts";
import { type CssToken, insideOf, skipComponent } from "./tokens.ts";

export type Colour = readonly [red: number, green: number, blue: number, alpha: number];

export const black: Colour = [0, 0, 0, 1];
export const white: Colour = [255, 255, 255, 1];
export const transparent: Colour = [0, 0, 0, 0];

/** `current`: the colour that `currentcolor` stands for. Answers undefined for a value that is not understood. */
export function colourOf(
  tokens: readonly CssToken[],
  current: Colour,
  isQuirky: boolean,
): Colour | undefined {
  const [token] = tokens;
  if (token === undefined) return undefined;
  if (token.type === "function")
    return skipComponent(tokens, 0) === tokens.length
      ? functionColour(token.value, insideOf(tokens))
      : undefined;
  if (tokens.length > 1) return undefined;
  if (token.type === "hash") return hexColour(token.value);
  if (token.type === "ident") {
    const name = asciiLower(token.value);
    if (name === "currentcolor") return current;
    if (name === "transparent") return transparent;
    return (
      namedColour(name, steadySystemColours) ??
      (isQuirky && /^(?:[0-9a-f]{3}|[0-9a-f]{6})$/.test(name) ? hexColour(name) : undefined)
    );
  }
  if (!isQuirky) return undefined;
  // In quirks mode a colour needs no "#". Then its token may be a number: 000000, 123, 12ab34.
  if (token.type === "number" && !token.isSigned && token.isInteger === true)
    return hexColour(String(token.number).padStart(6, "0"));
  if (token.type === "dimension" && !token.isSigned && token.isInteger === true)
    return hexColour(`${token.number}${token.unit}`.padStart(6, "0"));
  return undefined;
}

function hexColour(text: string): Colour | undefined {
  if (!/^(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i.test(text)) return undefined;
  const digits = text.length < 6 ? text.replace(/./g, "$&$&") : text;
  const at = (index: number): number => Number.parseInt(digits.slice(index * 2, index * 2 + 2), 16);
  return [at(0), at(1), at(2), digits.length === 8 ? at(3) / 255 : 1];
}

function namedColour(name: string, others?: ReadonlyMap<string, string>): Colour | undefined {
  const hex = namedColours.get(name) ?? others?.get(name);
  return hex === undefined ? undefined : hexColour(hex);
}

/** The colour of an attribute such as `bgcolor`, `color` or `text` (HTML section 2.4.6). Every value is a colour, except the empty
 *  one. `transparent` is none by the standard, and Firefox takes it. */
export function legacyColour(value: string): Colour | undefined {
  // Of blanks alone it is black.
  if (value === "") return undefined;
  const text = asciiLower(asciiTrim(value));
  if (text === "transparent") return transparent;
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

/** `rgb()` and `hsl()` with plain numbers. Other functions, and calculations inside, are not understood. */
function functionColour(name: string, inner: readonly CssToken[]): Colour | undefined {
  const word = asciiLower(name);
  const values = argumentsOf(inner);
  if (values === undefined || values.length < 3 || values.length > 4) return undefined;
  const [a, b, c, alphaToken] = values as [CssToken, CssToken, CssToken, CssToken | undefined];
  const alpha = alphaToken === undefined ? 1 : numberOf([alphaToken], 1);
  const rgb = channels(word, a, b, c);
  if (alpha === undefined || rgb === undefined || rgb.some((value) => !Number.isFinite(value)))
    return undefined;
  return [bound(rgb[0]), bound(rgb[1]), bound(rgb[2]), Math.max(0, Math.min(1, alpha))];
}

type Triple = readonly [number, number, number];

function channels(word: string, a: CssToken, b: CssToken, c: CssToken): Triple | undefined {
  if (word === "rgb" || word === "rgba") {
    if (a.type !== b.type || b.type !== c.type) return undefined;
    const [red, green, blue] = [numberOf([a], 255), numberOf([b], 255), numberOf([c], 255)];
    return red === undefined || green === undefined || blue === undefined ? undefined : [red, green, blue];
  }
  if (word !== "hsl" && word !== "hsla") return undefined;
  if (a.type !== "number" || b.type !== "percent" || c.type !== "percent") return undefined;
  // Newer browsers go on beyond the full colour.
  if (b.number > 100) return undefined;
  const share = (value: number): number => Math.max(0, Math.min(1, value / 100));
  return fromHsl(a.number, share(b.number), share(c.number));
}

/** The arguments: either all separated by commas, or all by white space and with a slash before the opacity (CSS Color Level 4
 *  section 5.1). */
function argumentsOf(inner: readonly CssToken[]): CssToken[] | undefined {
  const values: CssToken[] = [];
  let form = "";
  for (const token of inner) {
    if (token.type === "number" || token.type === "percent") {
      values.push(token);
      form += "n";
    } else if (token.type === ",") form += ",";
    else if (token.type === "delim" && token.value === "/") form += "/";
    else if (token.type !== "space") return undefined;
  }
  return /^(?:n,n,n(?:,n)?|nnn(?:\/n)?)$/.test(form) ? values : undefined;
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

/** The colour that a reader sees when `top` is painted over `under`. The result is opaque. */
export function over(top: Colour, under: Colour, opacity = 1): Colour {
  const alpha = top[3] * opacity;
  if (alpha >= 1) return [top[0], top[1], top[2], 1];
  const channel = (index: number): number => top[index]! * alpha + under[index]! * (1 - alpha);
  return [channel(0), channel(1), channel(2), 1];
}
