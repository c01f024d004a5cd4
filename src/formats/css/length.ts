/** Reads lengths, percentages, numbers, and simple arithmetic with them (CSS Values Level 4). */
import { asciiLower } from "./ascii-case.ts";
import { type CssToken, insideOf, skipComponent, splitByComma } from "./tokens.ts";

/** The sizes that relative units refer to, in pixels. */
export interface LengthBasis {
  readonly fontSize: number;
  readonly lineHeight: number;
  /** The length that 100 % stands for. */
  readonly whole: number;
  readonly isQuirky: boolean;
  /** Font size of the root element, for `rem`. */
  readonly rootFontSize?: number;
  /** Height of the letter x, as a share of the font size. */
  readonly ex?: number;
}

/** The smallest `ex` of common fonts. */
export const leastEx = 0.4;
const usualEx = 0.5;

export const initialFontSize = 16;

/** Units with a fixed size, in pixels. */
const absolute: ReadonlyMap<string, number> = new Map([
  ["px", 1],
  ["pt", 4 / 3],
  ["pc", 16],
  ["in", 96],
  ["cm", 96 / 2.54],
  ["mm", 96 / 25.4],
  ["q", 96 / 101.6],
]);
/** Valid units whose size is not known, for example because it depends on the font or on the window. */
export const otherUnits: ReadonlySet<string> = new Set(
  (
    "vw ch ic cap lh rlh rex rch ric rcap vh vi vb vmin vmax svw svh svi svb svmin svmax lvw lvh lvi lvb lvmin lvmax " +
    "dvw dvh dvi dvb dvmin dvmax cqw cqh cqi cqb cqmin cqmax"
  ).split(" "),
);

export function isAbsoluteUnit(unit: string): boolean {
  return absolute.has(unit);
}

export function isKnownUnit(unit: string): boolean {
  return isAbsoluteUnit(unit) || ["em", "ex", "rem"].includes(unit);
}

const maths = new Set(["calc", "-webkit-calc", "min", "max", "clamp"]);

/** The length or percentage in pixels; undefined when the value is not understood. */
export function lengthOf(tokens: readonly CssToken[], basis: LengthBasis): number | undefined {
  const [token] = tokens;
  if (token === undefined) return undefined;
  if (token.type === "function")
    return tokens.length === skipComponent(tokens, 0) ? mathOf(tokens, basis) : undefined;
  return tokens.length === 1 ? simpleLength(token, basis) : undefined;
}

function simpleLength(token: CssToken, basis: LengthBasis): number | undefined {
  if (token.type === "number") return token.number === 0 || basis.isQuirky ? token.number : undefined;
  if (token.type === "percent") return (token.number / 100) * basis.whole;
  if (token.type !== "dimension") return undefined;
  const size = absolute.get(token.unit);
  if (size !== undefined) return token.number * size;
  if (token.unit === "rem") return token.number * (basis.rootFontSize ?? initialFontSize);
  if (token.unit === "ex") return token.number * (basis.ex ?? usualEx) * basis.fontSize;
  return token.unit === "em" ? token.number * basis.fontSize : undefined;
}

/** The bounds of a length that depends on the window, `clamp(1rem, 4vw, 2rem)`; undefined for any other value. */
export function boundsOf(
  tokens: readonly CssToken[],
  basis: LengthBasis,
): { readonly least: number; readonly most: number } | undefined {
  const [token] = tokens;
  if (token?.type !== "function" || asciiLower(token.value) !== "clamp") return undefined;
  if (tokens.length !== skipComponent(tokens, 0)) return undefined;
  const [first, middle, last, ...more] = splitByComma(insideOf(tokens)).map((part) =>
    part.filter(({ type }) => type !== "space"),
  );
  const [size] = middle ?? [];
  const isOfWindow =
    middle?.length === 1 && size?.type === "dimension" && /^v(?:w|h|min|max)$/.test(size.unit);
  const least = lengthOf(first ?? [], basis);
  const most = lengthOf(last ?? [], basis);
  if (!isOfWindow || more.length > 0 || least === undefined || most === undefined) return undefined;
  return least <= most ? { least, most } : undefined;
}

/** A number, or a percentage of `whole`; undefined for any other value. */
export function numberOf(tokens: readonly CssToken[], whole: number): number | undefined {
  const [token] = tokens;
  if (tokens.length === 1 && token?.type === "number") return token.number;
  if (tokens.length === 1 && token?.type === "percent") return (token.number / 100) * whole;
  return undefined;
}

const depthMax = 8;

/** Browsers calculate with fewer digits, so a number outside of these bounds is not understood. */
const smallest = 1e-6;
const largest = 1e6;

function keptOf(one: Quantity): Quantity | undefined {
  const size = Math.abs(one.size);
  return size === 0 || (size >= smallest && size <= largest) ? one : undefined;
}

/** `isBare`: a number without a unit. */
interface Quantity {
  readonly size: number;
  readonly isBare: boolean;
}

function mathOf(tokens: readonly CssToken[], basis: LengthBasis): number | undefined {
  const result = quantityOf(tokens, basis, 0);
  return result === undefined || result.isBare ? undefined : result.size;
}

/** undefined for a function that is not understood. It may be valid. */
function quantityOf(tokens: readonly CssToken[], basis: LengthBasis, depth: number): Quantity | undefined {
  const [token] = tokens;
  if (token?.type !== "function" || depth > depthMax) return undefined;
  const name = asciiLower(token.value);
  if (!maths.has(name)) return undefined;
  const parts: Quantity[] = [];
  for (const part of splitByComma(insideOf(tokens))) {
    const one = sumOf(part, basis, depth + 1);
    if (one === undefined || !Number.isFinite(one.size) || one.isBare !== (parts[0] ?? one).isBare)
      return undefined;
    parts.push(one);
  }
  const sizes = parts.map(({ size }) => size);
  const isBare = parts[0]?.isBare === true;
  if (name === "min") return { size: Math.min(...sizes), isBare };
  if (name === "max") return { size: Math.max(...sizes), isBare };
  if (name === "clamp")
    return sizes.length === 3
      ? { size: Math.max(sizes[0]!, Math.min(sizes[1]!, sizes[2]!)), isBare }
      : undefined;
  return sizes.length === 1 ? parts[0] : undefined;
}

function sumOf(tokens: readonly CssToken[], basis: LengthBasis, depth: number): Quantity | undefined {
  let sum: Quantity | undefined;
  let product: Quantity | undefined;
  let sign = 1;
  let operator = "";
  const add = (): boolean => {
    if (product === undefined || (sum !== undefined && sum.isBare !== product.isBare)) return false;
    sum = { size: (sum?.size ?? 0) + sign * product.size, isBare: product.isBare };
    product = undefined;
    return true;
  };
  for (let at = 0; at < tokens.length; ) {
    const token = tokens[at]!;
    if (token.type === "space") {
      at++;
      continue;
    }
    if (token.type === "delim" && product !== undefined && operator === "") {
      if (token.value === "+" || token.value === "-") {
        // Without spaces on both sides, the sign is not an operator.
        if (tokens[at - 1]?.type !== "space" || tokens[at + 1]?.type !== "space" || !add()) return undefined;
        sign = token.value === "+" ? 1 : -1;
      } else operator = token.value;
      at++;
      continue;
    }
    const end = skipComponent(tokens, at);
    const one = operandOf(tokens.slice(at, end), basis, depth);
    if (one === undefined) return undefined;
    if (product === undefined) product = one;
    else if (operator === "*" && (product.isBare || one.isBare))
      product = { size: product.size * one.size, isBare: product.isBare && one.isBare };
    else if (operator === "/" && one.isBare && one.size !== 0)
      product = { size: product.size / one.size, isBare: product.isBare };
    else return undefined;
    if (keptOf(product) === undefined) return undefined;
    operator = "";
    at = end;
  }
  return operator === "" && add() ? sum : undefined;
}

function operandOf(tokens: readonly CssToken[], basis: LengthBasis, depth: number): Quantity | undefined {
  const [token] = tokens;
  if (depth > depthMax || token === undefined) return undefined;
  if (token.type === "(") return sumOf(insideOf(tokens), basis, depth + 1);
  if (token.type === "function") return quantityOf(tokens, basis, depth);
  if (token.type === "number") return keptOf({ size: token.number, isBare: true });
  const size = simpleLength(token, basis);
  return size === undefined ? undefined : keptOf({ size, isBare: false });
}
