/** Reads An+B of `:nth-child()` (CSS Syntax Level 3 section 6) in its usual spellings. */
import { asciiLower } from "./ascii-case.ts";
import type { CssToken } from "./tokens.ts";

export interface Nth {
  readonly step: number;
  readonly offset: number;
}

/** undefined for an unusual spelling or an invalid value. */
export function parseNth(tokens: readonly CssToken[]): Nth | undefined {
  const texts = tokens.map(nthText);
  const isWhole = texts.every((text, at) => text !== undefined && mayFollow(tokens[at]!, tokens[at - 1], at));
  return isWhole ? readNth(asciiLower(texts.join(""))) : undefined;
}

/** Browsers differ in how they handle larger numbers. */
const nthMax = 1e6;

/** undefined for an unusual spelling. */
function nthText(token: CssToken): string | undefined {
  switch (token.type) {
    case "ident":
      return /^(?:even|odd|-?n(?:-\d{0,6})?)$/i.test(token.value) ? token.value : undefined;
    case "delim":
      return token.value;
    case "number":
    case "dimension": {
      if (token.isInteger !== true || Math.abs(token.number) > nthMax) return undefined;
      const unit = token.type === "dimension" ? token.unit : "";
      const isUsual = unit === "" || /^n(?:-\d{0,6})?$/.test(unit);
      return isUsual ? `${token.isSigned && token.number >= 0 ? "+" : ""}${token.number}${unit}` : undefined;
    }
    case "space":
      return " ";
    default:
      return undefined;
  }
}

/** Whether the token may follow the token before it. Tokens that only a comment separates are not joined. */
function mayFollow(token: CssToken, before: CssToken | undefined, at: number): boolean {
  if (before === undefined || before.type === "space" || token.type === "space") return true;
  if (before.type === "delim")
    return at === 1 ? before.value === "+" && token.type === "ident" : token.type === "number";
  return token.type === "delim" || (token.type === "number" && token.isSigned);
}

function readNth(formula: string): Nth | undefined {
  if (formula === "even") return { step: 2, offset: 0 };
  if (formula === "odd") return { step: 2, offset: 1 };
  // White space is valid only around the second sign.
  const match = /^(?:([+-]?\d*)n(?: ?([+-]) ?(\d+))?|([+-]?\d+))$/.exec(formula);
  if (match === null) return undefined;
  const [, step, offsetSign = "", offset = "0", alone] = match;
  if (alone !== undefined) return { step: 0, offset: Number(alone) };
  const sign = step === "" || step === "+" ? 1 : step === "-" ? -1 : Number(step);
  return { step: sign, offset: Number(offsetSign + offset) };
}
