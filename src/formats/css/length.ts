/** Lengths, percentages and numbers with their arithmetic (CSS Values Level 4), as far as a size can be told without a
 *  layout. */
import { viewport } from "./media.ts";
import { type CssToken, skipComponent, splitByComma } from "./tokens.ts";

/** What relative units go by. */
export interface LengthBasis {
  readonly fontSize: number;
  readonly lineHeight: number;
  /** What 100 % is. */
  readonly whole: number;
  readonly isQuirky: boolean;
}

export const initialFontSize = 16;

const absolute: ReadonlyMap<string, number> = new Map([
  ["px", 1],
  ["pt", 4 / 3],
  ["pc", 16],
  ["in", 96],
  ["cm", 96 / 2.54],
  ["mm", 96 / 25.4],
  ["q", 96 / 101.6],
  ["rem", initialFontSize],
  ["rlh", initialFontSize * 1.2],
  ...["", "s", "l", "d"].flatMap((size): [string, number][] => [
    [`${size}vw`, viewport.width / 100],
    [`${size}vh`, viewport.height / 100],
    [`${size}vi`, viewport.width / 100],
    [`${size}vb`, viewport.height / 100],
    [`${size}vmin`, viewport.height / 100],
    [`${size}vmax`, viewport.width / 100],
  ]),
  ["cqw", viewport.width / 100],
  ["cqh", viewport.height / 100],
]);
const ofFont: ReadonlyMap<string, number> = new Map([
  ["em", 1],
  ["ex", 0.5],
  ["ch", 0.5],
  ["ic", 1],
  ["cap", 0.7],
]);

/** Pixels of a length or percentage; undefined when it is none. */
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
  const times = ofFont.get(token.unit);
  if (times !== undefined) return token.number * times * basis.fontSize;
  return token.unit === "lh" ? token.number * basis.lineHeight : undefined;
}

/** A number or, where `whole` is 1, a percentage. */
export function numberOf(tokens: readonly CssToken[], whole: number): number | undefined {
  const [token] = tokens;
  if (tokens.length === 1 && token?.type === "number") return token.number;
  if (tokens.length === 1 && token?.type === "percent") return (token.number / 100) * whole;
  if (token?.type !== "function") return undefined;
  return mathOf(tokens, { fontSize: 0, lineHeight: 0, whole, isQuirky: true });
}

/** Degrees. */
export function angleOf(tokens: readonly CssToken[]): number | undefined {
  const [token] = tokens;
  if (token?.type === "number" && token.number === 0) return 0;
  if (token?.type !== "dimension") return undefined;
  const unit = { deg: 1, rad: 180 / Math.PI, grad: 0.9, turn: 360 }[token.unit];
  return unit === undefined ? undefined : token.number * unit;
}

const depthMax = 16;

function mathOf(tokens: readonly CssToken[], basis: LengthBasis, depth = 0): number | undefined {
  const [token] = tokens;
  if (token?.type !== "function" || depth > depthMax) return undefined;
  const inner = tokens.slice(1, skipComponent(tokens, 0) - 1);
  const values = splitByComma(inner).map((part) => sumOf(part, basis, depth + 1));
  if (values.some((value) => value === undefined)) return undefined;
  const numbers = values as number[];
  switch (token.value.toLowerCase()) {
    case "calc":
    case "-webkit-calc":
    case "-moz-calc":
      return numbers[0];
    case "min":
      return Math.min(...numbers);
    case "max":
      return Math.max(...numbers);
    case "clamp":
      return numbers.length === 3 ? Math.max(numbers[0]!, Math.min(numbers[1]!, numbers[2]!)) : undefined;
    case "abs":
      return Math.abs(numbers[0]!);
    case "sign":
      return Math.sign(numbers[0]!);
    case "round":
      return Math.round(numbers[0]!);
  }
  return undefined;
}

function sumOf(tokens: readonly CssToken[], basis: LengthBasis, depth: number): number | undefined {
  let sum = 0;
  let product: number | undefined;
  let sign = 1;
  let operator = "";
  for (let at = 0; at < tokens.length; ) {
    const token = tokens[at]!;
    if (token.type === "space") {
      at++;
      continue;
    }
    if (token.type === "delim" && product !== undefined && operator === "") {
      if (token.value === "+" || token.value === "-") {
        sum += sign * product;
        product = undefined;
        sign = token.value === "+" ? 1 : -1;
      } else operator = token.value;
      at++;
      continue;
    }
    const end = skipComponent(tokens, at);
    const value = operandOf(tokens.slice(at, end), basis, depth);
    if (value === undefined) return undefined;
    if (product === undefined) product = value;
    else if (operator === "*") product *= value;
    else if (operator === "/") product /= value;
    else return undefined;
    operator = "";
    at = end;
  }
  return product === undefined ? undefined : sum + sign * product;
}

function operandOf(tokens: readonly CssToken[], basis: LengthBasis, depth: number): number | undefined {
  const [token] = tokens;
  if (depth > depthMax || token === undefined) return undefined;
  if (token.type === "(") return sumOf(tokens.slice(1, -1), basis, depth + 1);
  if (token.type === "function") return mathOf(tokens, basis, depth);
  if (token.type === "number") return token.number;
  if (token.type === "ident")
    return { infinity: 1e9, "-infinity": -1e9, pi: Math.PI, e: Math.E }[token.value.toLowerCase()];
  return simpleLength(token, basis);
}
