/** Selectors (Selectors Level 4): parsed once, with their specificity. A valid part that is not understood becomes a test that may
 *  match or not. */

import { asciiLower } from "./ascii-case.ts";
import { parseNth } from "./nth.ts";
import { type CssToken, skipComponent, splitByComma, trimSpace } from "./tokens.ts";

export type Combinator = " " | ">" | "+" | "~";

export interface ComplexSelector {
  /** From left to right. Each has the combinator before it. */
  readonly compounds: readonly Compound[];
  /** A million for each id, a thousand for each class, attribute or pseudo-class, one for each type; at most 999 of each. */
  readonly specificity: number;
  /** The match depends on whether a link has been visited (`:link`, `:visited`). */
  readonly asksVisit: boolean;
}

export interface Compound {
  readonly combinator: Combinator;
  readonly tests: readonly SimpleTest[];
  /** The pseudo-element (`::before`), without its colons. */
  readonly part: string | undefined;
}

export type SimpleTest =
  | { readonly kind: "type"; readonly name: string; readonly folded: string }
  /** "unknown": may match or not. */
  | { readonly kind: "any" | "root" | "link" | "unvisited" | "visited" }
  | { readonly kind: "empty" | "never" | "checked" | "unknown" }
  | { readonly kind: "id" | "class"; readonly name: string; readonly folded: string }
  | {
      readonly kind: "attribute";
      readonly name: string;
      readonly operator: "" | "=" | "~=" | "|=" | "^=" | "$=" | "*=";
      readonly value: string;
      /** Whether case is ignored; undefined: HTML decides for this attribute. */
      readonly hasNoCase: boolean | undefined;
    }
  | { readonly kind: "not"; readonly list: readonly ComplexSelector[] }
  | {
      readonly kind: "nth";
      readonly step: number;
      readonly offset: number;
      readonly isLast: boolean;
      readonly isOfType: boolean;
    };

const ids = 1_000_000;
const classes = 1000;
const countMax = 999;
const surelyCounted = 255;
/** Limit of selectors inside selectors. A deeper one throws a RangeError, because then nothing is known about the style. */
const depthMax = 8;

export interface SelectorList {
  readonly list: readonly ComplexSelector[];
  /** false if a part of the list may be invalid, which would make the rule invalid. */
  readonly isSure: boolean;
}

/** undefined for an invalid list, which makes the rule invalid. */
export function parseSelectorList(tokens: readonly CssToken[], isNested = false): SelectorList | undefined {
  const context = { depth: 0, isNested, grammar: { isSure: true } };
  const list = parseList(tokens, context);
  return list === undefined ? undefined : { list, isSure: context.grammar.isSure };
}

interface Context {
  readonly depth: number;
  /** Inside of another rule: the selector may begin with a combinator, and only its last compound is checked. */
  readonly isNested: boolean;
  readonly grammar: { isSure: boolean };
}

function parseList(tokens: readonly CssToken[], context: Context): readonly ComplexSelector[] | undefined {
  if (context.depth > depthMax) throw new RangeError("selectors nested too deep");
  const list: ComplexSelector[] = [];
  for (const part of splitByComma(tokens)) {
    const complex = parseComplex(part, context);
    if (complex === undefined) return undefined;
    list.push(context.isNested ? lastOf(complex) : complex);
  }
  return list;
}

/** The last compound alone, as a selector that may match or not. */
function lastOf({ compounds, specificity, asksVisit }: ComplexSelector): ComplexSelector {
  const last = compounds.at(-1)!;
  return { compounds: [{ ...last, tests: [...last.tests, { kind: "unknown" }] }], specificity, asksVisit };
}

function parseComplex(tokens: readonly CssToken[], context: Context): ComplexSelector | undefined {
  const compounds: Compound[] = [];
  let ofIds = 0;
  let ofClasses = 0;
  let ofTypes = 0;
  let combinator: Combinator | undefined;
  let at = 0;
  while (at < tokens.length) {
    const token = tokens[at]!;
    if (token.type === "space") {
      combinator ??= " ";
      at++;
      continue;
    }
    if (token.type === "delim" && (token.value === ">" || token.value === "+" || token.value === "~")) {
      if (combinator !== undefined && combinator !== " ") return undefined;
      if (compounds.length === 0 && !context.isNested) return undefined;
      combinator = token.value;
      at++;
      continue;
    }
    const read = parseCompound(tokens, at, combinator ?? " ", context);
    if (read === undefined) return undefined;
    // Most compounds after a pseudo-element are invalid.
    if (compounds.at(-1)?.part !== undefined) context.grammar.isSure = false;
    compounds.push(read.compound);
    for (const test of read.compound.tests) {
      const weight = weightOf(test);
      ofIds += Math.floor(weight / ids);
      ofClasses += Math.floor(weight / classes) % 1000;
      ofTypes += weight % 1000;
    }
    at = read.end;
    combinator = undefined;
  }
  if (compounds.length === 0 || (combinator !== undefined && combinator !== " ")) return undefined;
  // Browsers have different limits for these counts.
  if (Math.max(ofIds, ofClasses, ofTypes) > surelyCounted) context.grammar.isSure = false;
  const specificity =
    Math.min(countMax, ofIds) * ids + Math.min(countMax, ofClasses) * classes + Math.min(countMax, ofTypes);
  return { compounds, specificity, asksVisit: compounds.some(({ tests }) => tests.some(asksVisit)) };
}

function asksVisit(test: SimpleTest): boolean {
  if (test.kind === "not") return test.list.some((one) => one.asksVisit);
  return test.kind === "unvisited" || test.kind === "visited";
}

function weightOf(test: SimpleTest): number {
  switch (test.kind) {
    case "type":
      return 1;
    case "id":
      return ids;
    case "any":
      return 0;
    case "not":
      return strongest(test.list);
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
  let part: string | undefined;
  let at = start;
  for (; at < tokens.length; ) {
    const token = tokens[at]!;
    if (part !== undefined && startsSimple(token)) context.grammar.isSure = false;
    const isBar = (one: CssToken | undefined): boolean => one?.type === "delim" && one.value === "|";
    if (token.type === "ident" || (token.type === "delim" && (token.value === "*" || token.value === "|"))) {
      if (at !== start) return undefined;
      const barAt = isBar(token) ? at : isBar(tokens[at + 1]) ? at + 1 : undefined;
      if (barAt !== undefined) {
        const name = tokens[barAt + 1];
        if (name?.type !== "ident" && !(name?.type === "delim" && name.value === "*")) return undefined;
        // A namespace prefix that is not declared makes the rule invalid. A declared prefix makes the page doubtful.
        if (token.type === "ident") return undefined;
        tests.push(typeTest(name.value), { kind: "unknown" });
        at = barAt + 2;
        continue;
      }
      tests.push(typeTest(token.value));
      at++;
    } else if (token.type === "delim" && token.value === "&") {
      tests.push({ kind: "unknown" });
      at++;
    } else if (token.type === "hash") {
      if (token.isId !== true) return undefined;
      tests.push({ kind: "id", name: token.value, folded: asciiLower(token.value) });
      at++;
    } else if (token.type === "delim" && token.value === ".") {
      const name = tokens[at + 1];
      if (name?.type !== "ident") return undefined;
      tests.push({ kind: "class", name: name.value, folded: asciiLower(name.value) });
      at += 2;
    } else if (token.type === "[") {
      const end = skipComponent(tokens, at);
      const test = parseAttribute(trimSpace(tokens.slice(at + 1, end - 1)));
      if (test === undefined) return undefined;
      tests.push(test);
      // Only some browsers know `[a=b s]`.
      if (test.kind === "attribute" && test.operator !== "" && test.hasNoCase === false) {
        tests.push({ kind: "unknown" });
        context.grammar.isSure = false;
      }
      at = end;
    } else if (token.type === ":") {
      const isDouble = tokens[at + 1]?.type === ":";
      const nameAt = isDouble ? at + 2 : at + 1;
      const name = tokens[nameAt];
      if (name?.type !== "ident" && name?.type !== "function") return undefined;
      const end = skipComponent(tokens, nameAt);
      const word = asciiLower(name.value);
      // Names of old engines make a rule invalid. Names of Gecko make a rule that may apply.
      if (foreignPseudo.test(word)) return undefined;
      if (isDouble || oldPseudoElements.has(word)) {
        if (!knownParts.test(word) || name.type === "function") context.grammar.isSure = false;
        part = word;
      } else {
        const inner = name.type === "function" ? trimSpace(tokens.slice(nameAt + 1, end - 1)) : undefined;
        const test = pseudoClass(word, inner, context);
        if (test === undefined) return undefined;
        const isKnown = (name.type === "function" ? knownFunctions : knownStates).has(word);
        if (
          (test.some(({ kind }) => kind === "unknown") && !isKnown) ||
          inner?.some(({ type }) => type === "{")
        )
          context.grammar.isSure = false;
        tests.push(...test);
      }
      at = end;
    } else break;
  }
  if (at === start) return undefined;
  return { compound: { combinator, tests, part }, end: at };
}

const foreignPseudo = /^-(?:ms|o|khtml)-/;
/** Pseudo-elements that every current browser knows. Every name with WebKit's prefix is valid. */
const knownParts =
  /^(?:before|after|first-line|first-letter|marker|selection|placeholder|backdrop|file-selector-button|-webkit-.*)$/;
/** Pseudo-classes that every current browser knows. */
const knownStates = new Set(
  "enabled disabled required optional valid invalid default indeterminate read-only read-write placeholder-shown any-link in-range out-of-range autofill".split(
    " ",
  ),
);

const knownFunctions = new Set(["is", "where"]);

function startsSimple(token: CssToken): boolean {
  return (
    token.type === ":" ||
    token.type === "hash" ||
    token.type === "[" ||
    token.type === "ident" ||
    (token.type === "delim" && token.value === ".")
  );
}

const oldPseudoElements = new Set(["before", "after", "first-line", "first-letter"]);

function typeTest(name: string): SimpleTest {
  return name === "*" ? { kind: "any" } : { kind: "type", name, folded: asciiLower(name) };
}

/** `[a|b]`, but not `[a|=b]`. */
function isPrefix(tokens: readonly CssToken[], at: number): boolean {
  const [bar, next] = [tokens[at], tokens[at + 1]];
  return bar?.type === "delim" && bar.value === "|" && next?.type === "ident";
}

function delimOf(token: CssToken | undefined): string {
  return token?.type === "delim" ? token.value : "";
}

function parseAttribute(tokens: readonly CssToken[]): SimpleTest | undefined {
  const first = delimOf(tokens[0]);
  // `*|name` and `|name`.
  let at =
    first === "" ? 0 : first === "|" ? 1 : first === "*" && delimOf(tokens[1]) === "|" ? 2 : tokens.length;
  const name = tokens[at++];
  if (at < tokens.length && isPrefix(tokens, at)) return undefined;
  if (name?.type !== "ident") return undefined;
  const rest = tokens.slice(at).filter((token) => token.type !== "space");
  const base = { kind: "attribute", name: asciiLower(name.value) } as const;
  if (rest.length === 0) return { ...base, operator: "", value: "", hasNoCase: false };
  const operator = delimOf(rest.shift());
  if (!["=", "~=", "|=", "^=", "$=", "*="].includes(operator)) return undefined;
  const [value, flag] = rest;
  if (value?.type !== "ident" && value?.type !== "string") return undefined;
  if (rest.length > 2) return undefined;
  if (flag !== undefined && !(flag.type === "ident" && /^[is]$/i.test(flag.value))) return undefined;
  return {
    ...base,
    operator: operator as "=",
    value: value.value,
    hasNoCase: flag === undefined ? undefined : /^i$/i.test(flag.value),
  };
}

/** Pseudo-classes that match no element of a page that nobody has touched. */
const neverStates = new Set("hover focus focus-within focus-visible active target".split(" "));

function pseudoClass(
  word: string,
  inner: readonly CssToken[] | undefined,
  context: Context,
): SimpleTest[] | undefined {
  if (inner === undefined) {
    switch (word) {
      case "root":
        return [{ kind: "root" }];
      case "link":
        return [{ kind: "unvisited" }];
      case "any-link":
        return [{ kind: "link" }];
      case "visited":
        return [{ kind: "visited" }];
      case "empty":
      case "checked":
        return [{ kind: word }];
      case "first-child":
      case "first-of-type":
        return [nth(0, 1, false, word === "first-of-type")];
      case "last-child":
      case "last-of-type":
        return [nth(0, 1, true, word === "last-of-type")];
      case "only-child":
      case "only-of-type": {
        const isOfType = word === "only-of-type";
        return [nth(0, 1, false, isOfType), nth(0, 1, true, isOfType)];
      }
    }
    return [{ kind: neverStates.has(word) ? "never" : "unknown" }];
  }
  switch (word) {
    case "not": {
      const list = parseList(inner, { ...context, depth: context.depth + 1, isNested: false });
      return list === undefined ||
        list.some(({ compounds }) => compounds.some(({ part }) => part !== undefined))
        ? undefined
        : [{ kind: "not", list }];
    }
    case "nth-child":
    case "nth-last-child":
    case "nth-of-type":
    case "nth-last-of-type": {
      const read = parseNth(inner);
      if (read === undefined) return [{ kind: "unknown" }];
      return [nth(read.step, read.offset, word.includes("last"), word.endsWith("of-type"))];
    }
  }
  return [{ kind: "unknown" }];
}

function nth(step: number, offset: number, isLast: boolean, isOfType: boolean): SimpleTest {
  return { kind: "nth", step, offset, isLast, isOfType };
}
