/** Selectors (Selectors Level 4) as they are written: parsed once, with their specificity. */
import { type CssToken, skipComponent, splitByComma, trimSpace } from "./tokens.ts";

export type Combinator = " " | ">" | "+" | "~";

export interface ComplexSelector {
  /** From left to right; each has the combinator that stands before it. */
  readonly compounds: readonly Compound[];
  /** Ids, classes and their like, types: each counts up to a thousand. */
  readonly specificity: number;
}

export interface Compound {
  readonly combinator: Combinator;
  readonly tests: readonly SimpleTest[];
  /** Of something that is no element (`::before`): fits none. */
  readonly isPseudoElement: boolean;
}

export type SimpleTest =
  | { readonly kind: "type"; readonly name: string; readonly folded: string }
  | { readonly kind: "any" | "root" | "link" | "empty" | "never" | "checked" | "always" }
  | { readonly kind: "id" | "class"; readonly name: string; readonly folded: string }
  | {
      readonly kind: "attribute";
      readonly name: string;
      readonly operator: "" | "=" | "~=" | "|=" | "^=" | "$=" | "*=";
      readonly value: string;
      readonly hasNoCase: boolean;
    }
  | { readonly kind: "is" | "not"; readonly list: readonly ComplexSelector[] }
  | { readonly kind: "has"; readonly list: readonly ComplexSelector[] }
  | {
      readonly kind: "nth";
      readonly step: number;
      readonly offset: number;
      readonly isLast: boolean;
      readonly isOfType: boolean;
      readonly list: readonly ComplexSelector[] | undefined;
    }
  | { readonly kind: "lang"; readonly ranges: readonly string[] };

const ids = 1_000_000;
const classes = 1000;
const countMax = 999;
/** Selectors inside selectors; beyond that nothing is known of the style, and RangeError says so. */
const depthMax = 8;

/** `parent`: the list that `&` stands for. undefined when the list is wrong, which makes the rule void. */
export function parseSelectorList(
  tokens: readonly CssToken[],
  parent?: readonly ComplexSelector[],
): readonly ComplexSelector[] | undefined {
  return parseList(tokens, { parent, depth: 0, isRelative: false, isForgiving: false });
}

interface Context {
  readonly parent: readonly ComplexSelector[] | undefined;
  readonly depth: number;
  /** May begin with a combinator. */
  readonly isRelative: boolean;
  readonly isForgiving: boolean;
}

function parseList(tokens: readonly CssToken[], context: Context): readonly ComplexSelector[] | undefined {
  if (context.depth > depthMax) throw new RangeError("selectors nested too deep");
  const list: ComplexSelector[] = [];
  for (const part of splitByComma(tokens)) {
    const complex = parseComplex(part, context);
    if (complex !== undefined) list.push(complex);
    else if (!context.isForgiving) return undefined;
  }
  return list;
}

function parseComplex(tokens: readonly CssToken[], context: Context): ComplexSelector | undefined {
  const isNested = context.parent !== undefined && context.depth === 0;
  const compounds: Compound[] = [];
  let ofIds = 0;
  let ofClasses = 0;
  let ofTypes = 0;
  let combinator: Combinator | undefined;
  let at = 0;
  const add = (compound: Compound): void => {
    compounds.push(compound);
    for (const test of compound.tests) {
      const weight = weightOf(test);
      ofIds += Math.floor(weight / ids);
      ofClasses += Math.floor(weight / classes) % 1000;
      ofTypes += weight % 1000;
    }
  };
  const parentCompound = (): Compound => ({
    combinator: " ",
    tests: [{ kind: "is", list: context.parent! }],
    isPseudoElement: false,
  });
  if (isNested && !tokens.some((token) => token.type === "delim" && token.value === "&"))
    add(parentCompound());
  while (at < tokens.length) {
    const token = tokens[at]!;
    if (token.type === "space") {
      combinator ??= " ";
      at++;
      continue;
    }
    if (token.type === "delim" && (token.value === ">" || token.value === "+" || token.value === "~")) {
      if (combinator !== undefined && combinator !== " ") return undefined;
      if (compounds.length === 0 && !context.isRelative) return undefined;
      combinator = token.value;
      at++;
      continue;
    }
    const read = parseCompound(tokens, at, combinator ?? " ", context);
    if (read === undefined) return undefined;
    add(read.compound);
    at = read.end;
    combinator = undefined;
  }
  if (compounds.length === 0 || (combinator !== undefined && combinator !== " ")) return undefined;
  const specificity =
    Math.min(countMax, ofIds) * ids + Math.min(countMax, ofClasses) * classes + Math.min(countMax, ofTypes);
  return { compounds, specificity };
}

function weightOf(test: SimpleTest): number {
  switch (test.kind) {
    case "type":
      return 1;
    case "id":
      return ids;
    case "any":
      return 0;
    case "is":
    case "not":
    case "has":
      return strongest(test.list);
    case "nth":
      return classes + strongest(test.list ?? []);
    default:
      return classes;
  }
}

function strongest(list: readonly ComplexSelector[]): number {
  return list.reduce((most, { specificity }) => Math.max(most, specificity), 0);
}

function parseCompound(
  tokens: readonly CssToken[],
  start: number,
  combinator: Combinator,
  context: Context,
): { readonly compound: Compound; readonly end: number } | undefined {
  const tests: SimpleTest[] = [];
  let isPseudoElement = false;
  let at = start;
  for (; at < tokens.length; ) {
    const token = tokens[at]!;
    if (token.type === "ident" || (token.type === "delim" && token.value === "*")) {
      if (at !== start) return undefined;
      // A namespace prefix: only the name counts.
      const bar = tokens[at + 1];
      const name = tokens[at + 2];
      if (bar?.type === "delim" && bar.value === "|" && (name?.type === "ident" || name?.type === "delim")) {
        tests.push(typeTest(name.value));
        at += 3;
        continue;
      }
      tests.push(typeTest(token.value));
      at++;
    } else if (token.type === "delim" && token.value === "&") {
      tests.push(context.parent === undefined ? { kind: "root" } : { kind: "is", list: context.parent });
      at++;
    } else if (token.type === "hash") {
      tests.push({ kind: "id", name: token.value, folded: token.value.toLowerCase() });
      at++;
    } else if (token.type === "delim" && token.value === ".") {
      const name = tokens[at + 1];
      if (name?.type !== "ident") return undefined;
      tests.push({ kind: "class", name: name.value, folded: name.value.toLowerCase() });
      at += 2;
    } else if (token.type === "[") {
      const end = skipComponent(tokens, at);
      const test = parseAttribute(trimSpace(tokens.slice(at + 1, end - 1)));
      if (test === undefined) return undefined;
      tests.push(test);
      at = end;
    } else if (token.type === ":") {
      const isDouble = tokens[at + 1]?.type === ":";
      const nameAt = isDouble ? at + 2 : at + 1;
      const name = tokens[nameAt];
      if (name?.type !== "ident" && name?.type !== "function") return undefined;
      const end = skipComponent(tokens, nameAt);
      const word = name.value.toLowerCase();
      if (isDouble || oldPseudoElements.has(word)) isPseudoElement = true;
      else {
        const inner = name.type === "function" ? trimSpace(tokens.slice(nameAt + 1, end - 1)) : undefined;
        const test = pseudoClass(word, inner, context);
        if (test === undefined) return undefined;
        tests.push(test);
      }
      at = end;
    } else break;
  }
  if (at === start) return undefined;
  return { compound: { combinator, tests, isPseudoElement }, end: at };
}

const oldPseudoElements = new Set(["before", "after", "first-line", "first-letter"]);

function typeTest(name: string): SimpleTest {
  return name === "*" ? { kind: "any" } : { kind: "type", name, folded: name.toLowerCase() };
}

function parseAttribute(tokens: readonly CssToken[]): SimpleTest | undefined {
  let at = 0;
  if (tokens[0]?.type === "delim" && (tokens[0].value === "*" || tokens[0].value === "|")) at++;
  if (tokens[at]?.type === "delim") at++;
  const name = tokens[at++];
  if (name?.type !== "ident") return undefined;
  const rest = tokens.slice(at).filter((token) => token.type !== "space");
  const base = { kind: "attribute", name: name.value.toLowerCase() } as const;
  if (rest.length === 0) return { ...base, operator: "", value: "", hasNoCase: false };
  let operator = "";
  while (rest[0]?.type === "delim" && operator.length < 2)
    operator += (rest.shift() as { value: string }).value;
  if (!["=", "~=", "|=", "^=", "$=", "*="].includes(operator)) return undefined;
  const [value, flag] = rest;
  if (value?.type !== "ident" && value?.type !== "string") return undefined;
  if (rest.length > 2 || (flag !== undefined && flag.type !== "ident")) return undefined;
  return {
    ...base,
    operator: operator as "=",
    value: value.value,
    hasNoCase: flag?.type === "ident" ? flag.value.toLowerCase() === "i" : caselessValues.has(base.name),
  };
}

/** Attributes whose values have no case in HTML (its section on case-sensitivity of selectors), as far as mail has them. */
const caselessValues = new Set([
  "align",
  "bgcolor",
  "color",
  "dir",
  "type",
  "valign",
  "face",
  "lang",
  "rel",
  "method",
]);

/** States of a page that is looked at and not touched. */
const neverStates = new Set(
  (
    "hover focus focus-within focus-visible active visited target target-within current past future playing disabled " +
    "indeterminate invalid user-invalid user-valid out-of-range in-range autofill fullscreen modal popover-open " +
    "picture-in-picture placeholder-shown default -webkit-autofill -moz-focusring buffering muted paused seeking " +
    "stalled volume-locked open"
  ).split(" "),
);

function pseudoClass(
  word: string,
  inner: readonly CssToken[] | undefined,
  context: Context,
): SimpleTest | undefined {
  if (inner === undefined) {
    switch (word) {
      case "root":
      case "scope":
        return { kind: "root" };
      case "link":
      case "any-link":
      case "-webkit-any-link":
        return { kind: "link" };
      case "empty":
      case "checked":
        return { kind: word };
      case "defined":
      case "enabled":
      case "valid":
      case "optional":
      case "read-only":
        return { kind: "always" };
      case "first-child":
      case "first-of-type":
        return nth(0, 1, false, word === "first-of-type");
      case "last-child":
      case "last-of-type":
        return nth(0, 1, true, word === "last-of-type");
      case "only-child":
      case "only-of-type": {
        const isOfType = word === "only-of-type";
        const both = [nth(0, 1, false, isOfType), nth(0, 1, true, isOfType)];
        return {
          kind: "is",
          list: [
            { compounds: [{ combinator: " ", tests: both, isPseudoElement: false }], specificity: classes },
          ],
        };
      }
    }
    return neverStates.has(word) ? { kind: "never" } : undefined;
  }
  const deeper = { ...context, depth: context.depth + 1, isRelative: false };
  switch (word) {
    case "is":
    case "where":
    case "matches":
    case "any":
    case "-webkit-any":
    case "-moz-any": {
      const list = parseList(inner, { ...deeper, isForgiving: true });
      if (list === undefined) return undefined;
      return { kind: "is", list: word === "where" ? list.map((one) => ({ ...one, specificity: 0 })) : list };
    }
    case "not": {
      const list = parseList(inner, deeper);
      return list && { kind: "not", list };
    }
    case "has": {
      const list = parseList(inner, { ...deeper, isRelative: true, isForgiving: true });
      return list && { kind: "has", list };
    }
    case "nth-child":
    case "nth-last-child":
    case "nth-of-type":
    case "nth-last-of-type":
      return parseNth(inner, word.includes("last"), word.endsWith("of-type"), deeper);
    case "lang":
      return {
        kind: "lang",
        ranges: splitByComma(inner).map(([one]) =>
          one?.type === "ident" || one?.type === "string" ? one.value.toLowerCase() : "",
        ),
      };
    case "dir":
    case "state":
    case "host":
    case "host-context":
    case "current":
      return { kind: "never" };
  }
  return undefined;
}

function nth(step: number, offset: number, isLast: boolean, isOfType: boolean): SimpleTest {
  return { kind: "nth", step, offset, isLast, isOfType, list: undefined };
}

/** An+B [of S] (CSS Syntax Level 3 section 6, Selectors Level 4 section 13.3.1). */
function parseNth(
  tokens: readonly CssToken[],
  isLast: boolean,
  isOfType: boolean,
  context: Context,
): SimpleTest | undefined {
  const ofAt = tokens.findIndex((token) => token.type === "ident" && token.value.toLowerCase() === "of");
  const formula = (ofAt === -1 ? tokens : tokens.slice(0, ofAt)).map(nthText).join("").toLowerCase();
  const list = ofAt === -1 ? undefined : parseList(tokens.slice(ofAt + 1), context);
  if (ofAt !== -1 && (list === undefined || isOfType)) return undefined;
  const read = readNth(formula);
  return read && { kind: "nth", ...read, isLast, isOfType, list };
}

function nthText(token: CssToken): string {
  switch (token.type) {
    case "ident":
    case "delim":
      return token.value;
    case "number":
      return `${token.isSigned && token.number >= 0 ? "+" : ""}${token.number}`;
    case "dimension":
      return `${token.isSigned && token.number >= 0 ? "+" : ""}${token.number}${token.unit}`;
    case "space":
      return "";
    default:
      return "?";
  }
}

function readNth(formula: string): { readonly step: number; readonly offset: number } | undefined {
  if (formula === "even") return { step: 2, offset: 0 };
  if (formula === "odd") return { step: 2, offset: 1 };
  const match = /^(?:([+-]?\d*)n([+-]\d+)?|([+-]?\d+))$/.exec(formula);
  if (match === null) return undefined;
  const [, step, offset, alone] = match;
  if (alone !== undefined) return { step: 0, offset: Number(alone) };
  const sign = step === "" || step === "+" ? 1 : step === "-" ? -1 : Number(step);
  return { step: sign, offset: Number(offset ?? 0) };
}
