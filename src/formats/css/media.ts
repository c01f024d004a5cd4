/** Answers media queries (Media Queries Level 4) with yes, no or "not known": for all windows of a desk at once. They are 700 to 2560
 *  pixels wide, of any height, with one to three device pixels for each, and light. What is not the same in all of them is not known. */
import { asciiLower } from "./ascii-case.ts";
import { type CssToken, skipComponent, splitByComma, trimSpace } from "./tokens.ts";

export const windowLeast = 700;
export const windowMost = 2560;

/** undefined: not known. Rules under the query may apply or not. */
export type Answer = boolean | undefined;

/** Whether the condition is understood, so that each window answers it. */
export function dependsOnWindow(prelude: readonly CssToken[]): boolean {
  return answerIn(oneWindow, prelude) !== undefined;
}

/** In the window of a phone. */
export function answerOnPhone(prelude: readonly CssToken[]): Answer {
  return answerIn(phone, prelude);
}

function answerIn(windows: typeof desk, prelude: readonly CssToken[]): Answer {
  const before = known;
  known = windows;
  try {
    return answerMedia(prelude);
  } finally {
    known = before;
  }
}

/** What is found where the windows are only so wide, and the widths at which an answer changes: it is another one from each on. There
 *  are none where two conditions are so alike that an engine may hold them to contradict each other or not. */
export function inWindows<T>(width: Interval, find: () => T): { readonly found: T; readonly cuts: number[] } {
  const before = [known, asks] as const;
  known = { ...desk, __proto__: null as never, width };
  asks = new Map();
  try {
    return { found: find(), cuts: cutsOf(asks) };
  } finally {
    [known, asks] = before;
  }
}

/** Chromium takes widths for equal that differ by a 64th of a pixel, but not for `<` and `>`; Firefox rounds to a 60th. */
function cutsOf(asked: typeof asks): number[] {
  const widths = [...asked.keys()].toSorted((one, other) => one - other);
  const areApart = widths.every(
    (width, at) =>
      width - (widths[at - 1] ?? 0) > 1 / 16 &&
      new Set([...asked.get(width)!].map((sign) => sign.length > 1 || sign === "=")).size === 1,
  );
  const cuts = widths.flatMap((width) =>
    [...asked.get(width)!].flatMap((sign) => {
      if (sign === "=") return [width, width + justAbove];
      return sign === "<=" || sign === ">" ? [width + justAbove] : [width];
    }),
  );
  return areApart ? [...new Set(cuts)] : [];
}

/** `scheme`: that of the window. */
export function answerMedia(prelude: readonly CssToken[], scheme: "light" | "dark" = "light"): Answer {
  known["prefers-color-scheme"] = scheme;
  const queries = splitByComma(prelude);
  if (queries.length === 1 && queries[0]!.length === 0) return true;
  const answers = queries.map(answerQuery);
  if (answers.includes(true)) return true;
  return answers.includes(undefined) ? undefined : false;
}

function answerQuery(tokens: readonly CssToken[]): Answer {
  if (tokens.some((token) => token.type === "ident" && gone.test(asciiLower(token.value))))
    return tokens.some((token) => token.type === "ident" && /^(?:not|or)$/i.test(token.value))
      ? undefined
      : false;
  const words = tokens.filter((token) => token.type !== "space");
  const first = words[0];
  if (first?.type === "ident") {
    let at = 0;
    const lead = asciiLower(first.value);
    const isNot = lead === "not";
    if (isNot || lead === "only") at++;
    const type = words[at];
    if (type?.type === "ident") {
      const name = asciiLower(type.value);
      const rest = words[at + 1];
      if (["and", "or", "not", "only", "layer"].includes(name)) return undefined;
      let answer: Answer = name === "all" || name === "screen";
      if (rest !== undefined) {
        if (rest.type !== "ident" || asciiLower(rest.value) !== "and") return undefined;
        // After it stands a bracket, a function or `not`: another word makes the query one for no window (section 3.2).
        const after = words[at + 2];
        if (after?.type === "ident" && asciiLower(after.value) !== "not") return false;
        answer = allOf([answer, condition(words.slice(at + 2), false)]);
      }
      return isNot ? opposite(answer) : answer;
    }
  }
  return condition(words);
}

/** One condition in brackets, or several conditions, joined either by `and` or by `or`. */
function condition(words: readonly CssToken[], mayChoose = true): Answer {
  const answers: Answer[] = [];
  let joint: string | undefined;
  for (let at = 0; at < words.length; ) {
    let token = words[at]!;
    let isNot = false;
    if (token.type === "ident") {
      const word = asciiLower(token.value);
      // `not` may stand only before a single condition. Elsewhere it makes the query invalid.
      if (word === "not") {
        if (at > 0 || !mayChoose || skipComponent(words, 1) < words.length) return undefined;
        isNot = true;
      } else if (
        (word === "and" || (word === "or" && mayChoose)) &&
        answers.length > 0 &&
        (joint ?? word) === word
      )
        joint = word;
      else return undefined;
      token = words[++at]!;
    }
    if (token === undefined) return undefined;
    const end = skipComponent(words, at);
    const inner = words.slice(at + 1, end - 1);
    // Only a bracket or a function is valid here.
    if (token.type !== "(" && token.type !== "function") return undefined;
    const answer = token.type === "(" ? bracket(inner) : undefined;
    answers.push(isNot ? opposite(answer) : answer);
    at = end;
  }
  if (answers.length === 0) return undefined;
  return joint === "or" ? opposite(allOf(answers.map(opposite))) : allOf(answers);
}

function allOf(answers: readonly Answer[]): Answer {
  if (answers.includes(false)) return false;
  return answers.includes(undefined) ? undefined : true;
}

function opposite(answer: Answer): Answer {
  return answer === undefined ? undefined : !answer;
}

function bracket(inner: readonly CssToken[]): Answer {
  const [first] = inner;
  if (first?.type === "(" || (first?.type === "ident" && asciiLower(first.value) === "not"))
    return condition(inner);
  return feature(inner);
}

/** (name), (name: value), (name >= value), (value < name <= value). */
function feature(inner: readonly CssToken[]): Answer {
  const tokens = trimSpace(inner);
  const [first, second] = tokens;
  if (first?.type === "ident" && (second === undefined || second.type === ":")) {
    const name = asciiLower(first.value);
    const value = tokens.slice(2);
    if (second === undefined) return name in known ? true : undefined;
    const range = /^(-webkit-)?(min|max)-(.+)$/.exec(name);
    if (range !== null && !name.includes("--"))
      return compare(`${range[1] ?? ""}${range[3]}`, range[2] === "min" ? ">=" : "<=", value);
    return compare(name, "=", value);
  }
  const parts: (CssToken[] | string)[] = [[]];
  for (const token of tokens) {
    if (token.type === "delim" && "<>=".includes(token.value)) {
      const last = parts.at(-1)!;
      if (typeof last === "string") parts[parts.length - 1] = last + token.value;
      else parts.push(token.value);
    } else {
      if (typeof parts.at(-1) === "string") parts.push([]);
      (parts.at(-1) as CssToken[]).push(token);
    }
  }
  if (parts.length === 3) {
    const [left, operator, right] = parts as [CssToken[], string, CssToken[]];
    const [name, sign, value] = isName(left)
      ? [nameOf(left), operator, right]
      : isName(right)
        ? [nameOf(right), turned(operator), left]
        : ["", "", []];
    return typeof known[name] === "object" ? compare(name, sign, value) : undefined;
  }
  if (parts.length === 5) {
    const [low, one, name, two, high] = parts as [CssToken[], string, CssToken[], string, CssToken[]];
    const isOneWay = /^(?:<=?,<=?|>=?,>=?)$/.test(`${one},${two}`);
    if (isName(name) && isOneWay)
      return allOf([compare(nameOf(name), turned(one), low), compare(nameOf(name), two, high)]);
  }
  return undefined;
}

function isName(tokens: readonly CssToken[]): boolean {
  return tokens.length === 1 && tokens[0]!.type === "ident";
}

function nameOf(tokens: readonly CssToken[]): string {
  return asciiLower((tokens[0] as { readonly value: string }).value);
}

function turned(operator: string): string {
  return operator.replace(/[<>]/, (sign) => (sign === "<" ? ">" : "<"));
}

type Interval = readonly [least: number, most: number];

/** Features of the window, as pixels, numbers or words. The list has only features that are the same in the windows of all mail
 *  programs, or that follow from the choice of the window. */
const desk: Record<string, Interval | string> = {
  __proto__: null as never,
  width: [windowLeast, windowMost],
  // A screen may be wider than its windows.
  "device-width": [windowLeast, 10_000],
  orientation: "?",
  resolution: [1, 3],
  "-webkit-device-pixel-ratio": [1, 3],
  "prefers-color-scheme": "light",
};
const oneWindow: typeof desk = {
  ...desk,
  __proto__: null as never,
  width: [1280, 1280],
  "device-width": [1280, 1280],
  orientation: "landscape",
  resolution: [1, 1],
  "-webkit-device-pixel-ratio": [1, 1],
};
const phone: typeof desk = {
  ...desk,
  __proto__: null as never,
  width: [360, 360],
  "device-width": [360, 360],
  orientation: "portrait",
};
let known = desk;
/** The widths of which an answer is not the same in all windows, with the signs before them. */
let asks = new Map<number, Set<string>>();
/** A width is just above another. */
const justAbove = 1e-6;
/** The valid words of features that take a word. */
const valuesOf: Readonly<Record<string, readonly string[]>> = {
  __proto__: null as never,
  orientation: ["landscape", "portrait"],
  "prefers-color-scheme": ["light", "dark"],
};
/** Features of old browsers. All other browsers drop a query with one of them. */
const gone = /^-(?:ms|o)-/;

const pixels: Readonly<Record<string, number>> = {
  __proto__: null as never,
  px: 1,
  em: 16,
  rem: 16,
  pt: 4 / 3,
  pc: 16,
  in: 96,
  cm: 96 / 2.54,
  mm: 96 / 25.4,
};
const resolutions: Readonly<Record<string, number>> = {
  __proto__: null as never,
  dppx: 1,
  x: 1,
  dpi: 1 / 96,
  dpcm: 2.54 / 96,
};

function compare(name: string, operator: string, value: readonly CssToken[]): Answer {
  const has = known[name];
  if (has === undefined) return undefined;
  const words = value.filter((token) => token.type !== "space");
  const asked = words.length === 1 ? read(words[0]!, name) : undefined;
  if (asked === undefined) return undefined;
  if (typeof has === "string" || typeof asked === "string")
    return operator === "=" && has !== "?" ? has === asked : undefined;
  const [least, most] = has;
  const sides: Answer[] = [];
  if (operator === "=") {
    if (asked < least || asked > most) return false;
    if (least === most) return true;
  }
  for (const one of [least, most])
    if (operator === ">=") sides.push(one >= asked);
    else if (operator === "<=") sides.push(one <= asked);
    else if (operator === ">") sides.push(one > asked);
    else if (operator === "<") sides.push(one < asked);
  if (sides.length === 2 && sides[0] === sides[1]) return sides[0];
  if (name === "width" && (operator === "=" || sides.length === 2)) {
    const signs = asks.get(asked) ?? new Set();
    asks.set(asked, signs.add(operator));
    // People choose how large letters are that nothing else says, so it may be another width.
    if (words[0]!.type === "dimension" && words[0]!.unit.endsWith("em")) signs.add("<").add("<=");
  }
  return undefined;
}

/** The value; undefined if the feature does not take this kind of value. */
function read(token: CssToken, name: string): number | string | undefined {
  if (typeof known[name] === "string") {
    const word = token.type === "ident" ? asciiLower(token.value) : "";
    return valuesOf[name]?.includes(word) === true ? word : undefined;
  }
  if (name === "-webkit-device-pixel-ratio") return token.type === "number" ? token.number : undefined;
  if (token.type === "number") return token.number === 0 && name !== "resolution" ? 0 : undefined;
  if (token.type !== "dimension") return undefined;
  const size = (name === "resolution" ? resolutions : pixels)[token.unit];
  return size === undefined || (name === "resolution" && token.number < 0) ? undefined : token.number * size;
}
