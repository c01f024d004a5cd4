/** Reads An+B of `:nth-child()` (CSS Syntax Level 3 section 6) in its usual spellings. */
import { asciiLower } from "./ascii-case.ts";
import type { CssToken } from "./tokens.ts";

export interface Nth {
  readonly step: number;
  readonly offset: number;
}

/** Browsers differ in how they handle larger numbers. */
const nthMax = 1e6;

/** undefined for an unusual spelling or an invalid value. */
export function parseNth(tokens: readonly CssToken[]): Nth | undefined {
  const [first, ...rest] = tokens.filter(({ type }) => type !== "space");
  if (first?.type !== "ident" && first?.type !== "number" && first?.type !== "dimension") return undefined;
  const word = first.type === "ident" ? asciiLower(first.value) : "";
  if (rest.length === 0 && /^(?:even|odd)$/.test(word)) return { step: 2, offset: word === "odd" ? 1 : 0 };
  if (first.type !== "ident" && !isWhole(first)) return undefined;
  if (first.type === "number") return rest.length === 0 ? { step: 0, offset: first.number } : undefined;
  const match = /^(-?)n(-\d{1,6})?$/.exec(first.type === "dimension" ? first.unit : word);
  if (match === null || (first.type === "dimension" && match[1] !== "")) return undefined;
  const step = first.type === "dimension" ? first.number : match[1] === "" ? 1 : -1;
  if (match[2] !== undefined) return rest.length === 0 ? { step, offset: Number(match[2]) } : undefined;
  const offset = offsetOf(rest);
  return offset === undefined ? undefined : { step, offset };
}

/** Nothing, a number with a sign, or a sign and a number. */
function offsetOf([sign, number, ...more]: readonly CssToken[]): number | undefined {
  if (sign === undefined) return 0;
  if (number === undefined)
    return sign.type === "number" && sign.isSigned && isWhole(sign) ? sign.number : undefined;
  if (more.length > 0 || number.type !== "number" || number.isSigned || !isWhole(number)) return undefined;
  if (sign.type !== "delim" || !/^[+-]$/.test(sign.value)) return undefined;
  return sign.value === "+" ? number.number : -number.number;
}

function isWhole(token: CssToken): boolean {
  return "isInteger" in token && token.isInteger === true && Math.abs(token.number) <= nthMax;
}
