/** Tokens of CSS (CSS Syntax Level 3 section 4), without comments and with decoded escapes. No input is refused. */
import { asciiLower, asciiTrim } from "./ascii-case.ts";

export type CssToken =
  | {
      readonly type: "ident" | "function" | "at" | "string" | "delim" | "url";
      readonly value: string;
    }
  | {
      readonly type: "hash";
      readonly value: string;
      /** The value is valid as an id. */
      readonly isId?: boolean;
    }
  | {
      readonly type: "number" | "percent";
      readonly number: number;
      readonly isSigned: boolean;
      /** Written without a point and without an exponent. */
      readonly isInteger?: boolean;
    }
  | {
      readonly type: "dimension";
      readonly number: number;
      readonly unit: string;
      readonly isSigned: boolean;
      readonly isInteger?: boolean;
    }
  | {
      readonly type: "space" | "bad" | "cdo" | "cdc" | ":" | ";" | "," | "[" | "]" | "(" | ")" | "{" | "}";
    };

const numberText = /[+-]?(?:\d*\.\d+|\d+)(?:e[+-]?\d+)?/iy;
const nameText = /(?:[\w\u0080-\u{10ffff}-]|\\(?:[0-9a-f]{1,6}(?:\r\n|[ \t\n\r\f])|[^\n\r\f]))+/iuy;
const space = /[ \t\n\r\f]+/y;
const escaped = /\\(?:([0-9a-f]{1,6})(?:\r\n|[ \t\n\r\f])?|([\s\S]))/giu;
const singles = new Set([":", ";", ",", "[", "]", "(", ")", "{", "}"]);

/** Reads at most `tokensMax` tokens. `isCut`: there were more. */
export function tokenizeCss(
  source: string,
  tokensMax: number,
): { readonly tokens: CssToken[]; readonly isCut: boolean } {
  // CSS Syntax section 3.3.
  const css = source.replaceAll(/\r\n?|\f/g, "\n").replaceAll("\0", "\ufffd");
  const tokens: CssToken[] = [];
  let at = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    if (!pattern.test(css)) return undefined;
    const text = css.slice(at, pattern.lastIndex);
    at = pattern.lastIndex;
    return text;
  };
  while (at < css.length) {
    if (tokens.length >= tokensMax) return { tokens, isCut: true };
    const character = css[at]!;
    if (character === "/" && css[at + 1] === "*") {
      const end = css.indexOf("*/", at + 2);
      at = end === -1 ? css.length : end + 2;
    } else if (isSpace(character) && take(space) !== undefined) {
      if (tokens.at(-1)?.type !== "space") tokens.push({ type: "space" });
    } else if (character === '"' || character === "'") tokens.push(takeString(character));
    else if (startsNumber(css, at)) tokens.push(takeNumber());
    else if (css.startsWith("<!--", at)) {
      at += 4;
      tokens.push({ type: "cdo" });
    } else if (css.startsWith("-->", at)) {
      at += 3;
      tokens.push({ type: "cdc" });
    } else if (startsName(css, at)) tokens.push(takeIdentLike());
    else if ((character === "#" && isNameAt(css, at + 1)) || (character === "@" && startsName(css, at + 1))) {
      at++;
      const isId = startsName(css, at);
      const value = unescapeName(take(nameText)!);
      tokens.push(character === "#" ? { type: "hash", value, isId } : { type: "at", value });
    } else {
      at += character.length;
      // `~=` and similar operators, with nothing between their characters.
      if (/[~|^$*]/.test(character) && css[at] === "=") {
        at++;
        tokens.push({ type: "delim", value: `${character}=` });
      } else if (singles.has(character)) tokens.push({ type: character as ":" });
      else tokens.push({ type: "delim", value: character });
    }
  }
  return { tokens, isCut: false };

  function takeString(quote: string): CssToken {
    const start = ++at;
    for (; at < css.length; at++) {
      const character = css[at];
      if (character === quote) return { type: "string", value: unescapeName(css.slice(start, at++)) };
      if (character === "\n") return { type: "bad" };
      if (character === "\\") at++;
    }
    return { type: "string", value: unescapeName(css.slice(start, at)) };
  }

  function takeNumber(): CssToken {
    const text = take(numberText)!;
    const number = Number(text);
    const isSigned = text[0] === "+" || text[0] === "-";
    if (css[at] === "%") {
      at++;
      return { type: "percent", number, isSigned };
    }
    const isInteger = /^[+-]?\d+$/.test(text);
    if (!startsName(css, at)) return { type: "number", number, isSigned, isInteger };
    return {
      type: "dimension",
      number,
      unit: asciiLower(unescapeName(take(nameText)!)),
      isSigned,
      isInteger,
    };
  }

  function takeIdentLike(): CssToken {
    const value = unescapeName(take(nameText)!);
    if (css[at] !== "(") return { type: "ident", value };
    at++;
    if (asciiLower(value) !== "url") return { type: "function", value };
    const quoted = /[ \t\n\r\f]*["']/y;
    quoted.lastIndex = at;
    if (quoted.test(css)) return { type: "function", value };
    const start = at;
    for (; at < css.length && css[at] !== ")"; at++) if (css[at] === "\\") at++;
    const address = asciiTrim(css.slice(start, at++));
    // With a quote, an opening bracket, white space or a control character inside, it is not a URL (CSS Syntax section 4.3.6).
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them
    return /["'( \u0000-\u001f\u007f]/.test(address)
      ? { type: "bad" }
      : { type: "url", value: unescapeName(address) };
  }
}

function isSpace(character: string): boolean {
  return character === " " || character === "\n" || character === "\t";
}

function startsNumber(css: string, at: number): boolean {
  let next = at;
  if (css[next] === "+" || css[next] === "-") next++;
  if (css[next] === ".") next++;
  return isDigit(css.charCodeAt(next));
}

function isDigit(unit: number): boolean {
  return unit >= 48 && unit <= 57;
}

function startsName(css: string, at: number): boolean {
  if (css[at] !== "-") return isNameStart(css, at);
  return css[at + 1] === "-" || isNameStart(css, at + 1);
}

function isNameStart(css: string, at: number): boolean {
  return isNameAt(css, at) && css[at] !== "-" && !isDigit(css.charCodeAt(at));
}

function isNameAt(css: string, at: number): boolean {
  const unit = css.charCodeAt(at);
  if (unit === 92) return at + 1 < css.length && !/[\n\r\f]/.test(css[at + 1]!);
  return (
    unit >= 128 ||
    unit === 95 ||
    unit === 45 ||
    isDigit(unit) ||
    (unit >= 65 && unit <= 90) ||
    (unit >= 97 && unit <= 122)
  );
}

function unescapeName(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replace(escaped, (_, hex: string | undefined, character: string | undefined) => {
    if (hex === undefined) return character === "\n" ? "" : character!;
    const point = Number.parseInt(hex, 16);
    return point === 0 || point > 0x10ffff || (point >= 0xd800 && point < 0xe000)
      ? "\ufffd"
      : String.fromCodePoint(point);
  });
}

/** The end of the component at `at`: the position after the closing bracket of a bracket or function, otherwise after the token. */
export function skipComponent(tokens: readonly CssToken[], at: number): number {
  const closers: string[] = [];
  let next = at;
  do {
    const token = tokens[next++];
    if (token === undefined) return tokens.length;
    if (token.type === "(" || token.type === "function") closers.push(")");
    else if (token.type === "[") closers.push("]");
    else if (token.type === "{") closers.push("}");
    else if (token.type === closers.at(-1)) closers.pop();
  } while (closers.length > 0);
  return next;
}

/** The parts between the commas outside of brackets. */
export function splitByComma(tokens: readonly CssToken[]): CssToken[][] {
  const parts: CssToken[][] = [[]];
  for (let at = 0; at < tokens.length; ) {
    if (tokens[at]!.type === ",") {
      parts.push([]);
      at++;
      continue;
    }
    const end = skipComponent(tokens, at);
    for (; at < end; at++) parts.at(-1)!.push(tokens[at]!);
  }
  return parts.map(trimSpace);
}

export function trimSpace(tokens: readonly CssToken[]): CssToken[] {
  let start = 0;
  let end = tokens.length;
  while (start < end && tokens[start]!.type === "space") start++;
  while (end > start && tokens[end - 1]!.type === "space") end--;
  return tokens.slice(start, end);
}

/** The content of a function or bracket. The end of the source closes it too. */
export function insideOf(tokens: readonly CssToken[]): readonly CssToken[] {
  return tokens.slice(1, tokens.at(-1)?.type === ")" ? -1 : undefined);
}
