/** Style sheets and style attributes as rules and declarations (CSS Syntax Level 3). A rule under a condition that is not
 *  known may apply. What says nothing of any property that matters is left out. */
import { asciiLower } from "./ascii-case.ts";
import { answerMedia } from "./media.ts";
import { isNeutral } from "./neutral.ts";
import { type ComplexSelector, parseSelectorList } from "./selector.ts";
import { hasVariable, reachOfProperty, subjectOf, unknownValue } from "./shorthands.ts";
import { type CssToken, insideOf, skipComponent, splitByComma, tokenizeCss, trimSpace } from "./tokens.ts";
import { addressOf, isHeld } from "./value-forms.ts";

export interface Declaration {
  /** Lower case; a custom property keeps its case. */
  readonly property: string;
  readonly value: readonly CssToken[];
  readonly isImportant: boolean;
}

export interface StyleRule {
  readonly selectors: readonly ComplexSelector[];
  readonly declarations: readonly Declaration[];
  /** Under a condition that is not known. */
  readonly isMaybe: boolean;
  /** Specificity and order decide between it and others; layers, scopes and nesting decide before them. */
  readonly isRanked: boolean;
}

export interface StyleSource {
  readonly text: string;
  /** Of a sheet that may not be in force. */
  readonly isMaybe: boolean;
}

export interface StyleSheets {
  readonly rules: readonly StyleRule[];
  /** Fonts (in lower case) that the author makes of bytes or sizes of his own. */
  readonly ownFonts: ReadonlySet<string>;
  /** Animations may change anything on the page, and not only what they are of. */
  readonly hasFarAnimation: boolean;
  /** Something in it makes doubtful whatever it may apply to, and that is not known. */
  readonly isUnclear: boolean;
  /** Part of it was too much to read, so that nothing is known of what is hidden. */
  readonly isCut: boolean;
}

/** Tokens of all style elements of a document; Word writes 15,000. */
const tokensMax = 120_000;
const attributeTokensMax = 2000;
const rulesMax = 5000;
const nestingMax = 16;

export function parseStyleSheets(sources: readonly StyleSource[]): StyleSheets {
  const reader = new SheetReader();
  let left = tokensMax;
  for (const { text, isMaybe } of sources) {
    const { tokens, isCut } = tokenizeCss(text, left);
    left -= tokens.length;
    if (isCut) reader.isCut = true;
    reader.readSheet(tokens, isMaybe);
  }
  return reader;
}

export function parseStyleAttribute(source: string): {
  readonly declarations: readonly Declaration[];
  readonly isCut: boolean;
} {
  const { tokens, isCut } = tokenizeCss(source, attributeTokensMax);
  return { declarations: new SheetReader().readDeclarations(tokens), isCut };
}

interface Scope {
  readonly isMaybe: boolean;
  readonly isRanked: boolean;
  /** Inside of a style rule. */
  readonly isNested: boolean;
  readonly depth: number;
}

/** Rules that say nothing of what is on a screen. `@font-face` is read for its name, `@keyframes` for how far it reaches. */
const neutralRules = new Set(["charset", "page", "viewport", "-ms-viewport", "-o-viewport"]);
/** Rules that hold rules; that their condition holds is not known. */
const conditions = new Set([
  "supports",
  "layer",
  "container",
  "scope",
  "starting-style",
  "document",
  "-moz-document",
]);

/** Of these, the rules that apply rank as all others do. */
const rankedConditions = new Set(["supports", "container", "document", "-moz-document"]);

class SheetReader implements StyleSheets {
  readonly rules: StyleRule[] = [];
  readonly ownFonts = new Set<string>();
  hasFarAnimation = false;
  isUnclear = false;
  isCut = false;

  readSheet(tokens: readonly CssToken[], isMaybe: boolean): void {
    this.#readRules(tokens, { isMaybe, isRanked: true, isNested: false, depth: 0 });
  }

  #readRules(tokens: readonly CssToken[], scope: Scope): void {
    for (let at = 0; at < tokens.length; ) {
      const { type } = tokens[at]!;
      if (type === "space" || type === "cdo" || type === "cdc" || type === ";") at++;
      else if (type === "at") at = this.#readAtRule(tokens, at, scope);
      else at = this.#readStyleRule(tokens, at, scope);
    }
  }

  #readStyleRule(tokens: readonly CssToken[], start: number, scope: Scope): number {
    const open = findBlock(tokens, start, false);
    if (tokens[open]?.type !== "{") return open + 1;
    const end = skipComponent(tokens, open);
    if (scope.depth > nestingMax || this.rules.length >= rulesMax) {
      this.isCut = true;
      return end;
    }
    const selectors = parseSelectorList(trimSpace(tokens.slice(start, open)), scope.isNested);
    if (selectors !== undefined)
      this.#readBlock(
        blockOf(tokens, open, end),
        { ...scope, isRanked: scope.isRanked && !scope.isNested, isNested: true, depth: scope.depth + 1 },
        selectors.list,
        scope.isNested || scope.isMaybe || !selectors.isSure,
      );
    return end;
  }

  /** Declarations and, by nesting, rules. */
  #readBlock(
    tokens: readonly CssToken[],
    scope: Scope,
    selectors: readonly ComplexSelector[],
    isMaybe: boolean,
  ): void {
    // What is nested ranks behind it.
    const place = this.rules.length;
    const declarations = this.readDeclarations(tokens, (at) =>
      tokens[at]!.type === "at"
        ? this.#readAtRule(tokens, at, scope, selectors)
        : this.#readStyleRule(tokens, at, scope),
    );
    if (declarations.length > 0)
      this.rules.splice(place, 0, { selectors, declarations, isMaybe, isRanked: scope.isRanked });
  }

  readDeclarations(tokens: readonly CssToken[], readNested?: (at: number) => number): Declaration[] {
    const declarations: Declaration[] = [];
    for (let at = 0; at < tokens.length; ) {
      const token = tokens[at]!;
      if (token.type === "space" || token.type === ";") {
        at++;
        continue;
      }
      if (token.type === "at") {
        at = readNested?.(at) ?? endOfAtRule(tokens, at);
        continue;
      }
      const isDeclaration = token.type === "ident" && startsValue(tokens, at + 1) !== undefined;
      const end = endOfStatement(tokens, at);
      const open = readNested === undefined ? -1 : findBlock(tokens, at, true);
      const isRule = open !== -1 && tokens[open]?.type === "{";
      if (isRule && (!isDeclaration || !(token.type === "ident" && token.value.startsWith("--")))) {
        at = readNested!(at);
        continue;
      }
      if (isDeclaration) {
        const declaration = this.#declaration(token.value, tokens.slice(startsValue(tokens, at + 1), end));
        if (declaration !== undefined) declarations.push(declaration);
      }
      at = end;
    }
    return declarations;
  }

  #declaration(name: string, tokens: readonly CssToken[]): Declaration | undefined {
    const property = name.startsWith("--") ? name : asciiLower(name);
    let value: readonly CssToken[] = trimSpace(tokens);
    let isImportant = false;
    const last = value.at(-1);
    if (last?.type === "ident" && asciiLower(last.value) === "important") {
      const before = trimSpace(value.slice(0, -1));
      const mark = before.at(-1);
      if (mark?.type === "delim" && mark.value === "!") {
        isImportant = true;
        value = trimSpace(before.slice(0, -1));
      }
    }
    if (value.some((token) => token.type === "bad") || !isBalanced(value)) return undefined;
    if (value.some((token) => token.type === "delim" && token.value === "!")) {
      // In brackets of what is substituted, it is a sign like any other.
      if (!property.startsWith("--") && !hasVariable(value)) return undefined;
      value = unknownValue;
    }
    if (hasWrongVariable(value)) value = unknownValue;
    if (!property.startsWith("--")) {
      const subject = subjectOf(property);
      if (subject.kind === "neutral" && isNeutral(subject.name, value)) return undefined;
    }
    return { property, value, isImportant };
  }

  /** `selectors`: those of the rule that it stands in. */
  #readAtRule(
    tokens: readonly CssToken[],
    start: number,
    scope: Scope,
    selectors?: readonly ComplexSelector[],
  ): number {
    const name = asciiLower((tokens[start] as { readonly value: string }).value);
    const open = findBlock(tokens, start + 1, true);
    const prelude = trimSpace(tokens.slice(start + 1, open));
    if (tokens[open]?.type !== "{") {
      if (name === "import") this.#readImport(prelude);
      else if (name === "namespace") this.isUnclear = true;
      return open + 1;
    }
    const end = skipComponent(tokens, open);
    const block = blockOf(tokens, open, end);
    if (scope.depth > nestingMax) {
      this.isCut = true;
      return end;
    }
    const deeper = { ...scope, depth: scope.depth + 1 };
    if (neutralRules.has(name)) return end;
    if (name === "media") {
      const answer = answerMedia(prelude);
      if (answer !== false)
        this.#readInner(block, { ...deeper, isMaybe: scope.isMaybe || answer === undefined }, selectors);
    } else if (conditions.has(name))
      this.#readInner(
        block,
        { ...deeper, isMaybe: true, isRanked: scope.isRanked && rankedConditions.has(name) },
        selectors,
      );
    else if (name === "font-face") this.#readFont(block);
    else if (name === "keyframes" || name === "-webkit-keyframes") this.#readKeyframes(block);
    else if (!name.startsWith("-moz-") && !name.startsWith("-ms-") && !name.startsWith("-o-"))
      this.#readUnknown(block, deeper);
    return end;
  }

  #readInner(block: readonly CssToken[], scope: Scope, selectors?: readonly ComplexSelector[]): void {
    if (selectors === undefined) this.#readRules(block, scope);
    else this.#readBlock(block, scope, selectors, true);
  }

  /** Rules of a rule that is not known may apply; declarations of it may be about anything. */
  #readUnknown(block: readonly CssToken[], scope: Scope): void {
    if (this.readDeclarations(block).length > 0) this.isUnclear = true;
    this.#readRules(block, { ...scope, isMaybe: true, isRanked: false });
  }

  /** What has to be asked for is not loaded. */
  #readImport(prelude: readonly CssToken[]): void {
    const [first] = prelude;
    const address =
      first?.type === "string"
        ? first.value
        : addressOf(prelude.slice(0, first === undefined ? 0 : skipComponent(prelude, 0)));
    if (address === undefined || isHeld(address)) this.isUnclear = true;
  }

  #readFont(block: readonly CssToken[]): void {
    let family = "";
    let isOwn = false;
    const locals: string[] = [];
    for (let at = 0; at < block.length; ) {
      const end = endOfStatement(block, at);
      const [token] = trimSpace(block.slice(at, end));
      const statement = block.slice(at, end);
      const colon = statement.findIndex(({ type }) => type === ":");
      if (token?.type === "ident" && colon !== -1) {
        const value = trimSpace(statement.slice(colon + 1));
        const name = asciiLower(token.value);
        if (name === "font-family") family = familyName(value);
        else if (name === "src") {
          for (const source of splitByComma(value)) {
            const [first] = source;
            if (first?.type === "function" && asciiLower(first.value) === "local")
              locals.push(familyName(insideOf(source.slice(0, skipComponent(source, 0)))));
            else if (first === undefined || !isRemoteSource(source)) isOwn = true;
          }
        } else if (sizesOfFonts.has(name)) isOwn = true;
      }
      at = end + 1;
    }
    if (locals.some((name) => !isFaceOf(name, family))) isOwn = true;
    if (isOwn) this.ownFonts.add(family);
  }

  #readKeyframes(block: readonly CssToken[]): void {
    for (let at = 0; at < block.length; ) {
      const open = findBlock(block, at, false);
      if (block[open]?.type !== "{") return;
      const end = skipComponent(block, open);
      for (const { property } of this.readDeclarations(blockOf(block, open, end)))
        if (reachOfProperty(property) === "paints") this.hasFarAnimation = true;
      at = end;
    }
  }
}

const sizesOfFonts = new Set(["size-adjust", "ascent-override", "descent-override", "line-gap-override"]);

/** Whether a font of the reader's system is one of the family of that name, and not another one. */
function isFaceOf(name: string, family: string): boolean {
  const plain = (text: string): string => text.replaceAll(/[^\p{L}\p{N}]/gu, "");
  const [whole, begin] = [plain(name), plain(family)];
  return whole.startsWith(begin) && faceWords.test(whole.slice(begin.length));
}

const faceWords =
  /^(?:regular|normal|roman|book|plain|thin|hairline|extra|ultra|semi|demi|light|medium|bold|black|heavy|italic|oblique|it|condensed|narrow|variable|vf|mt|ms|ps|std|pro|\d{3})*$/;

function familyName(value: readonly CssToken[]): string {
  const parts = value.flatMap((token) =>
    token.type === "string" || token.type === "ident" ? [token.value.toLowerCase()] : [],
  );
  return parts.join(" ");
}

function isRemoteSource(source: readonly CssToken[]): boolean {
  const address = addressOf(source.slice(0, skipComponent(source, 0)));
  return address !== undefined && !isHeld(address);
}

function blockOf(tokens: readonly CssToken[], open: number, end: number): readonly CssToken[] {
  return tokens.slice(open + 1, isClosed(tokens, open, end) ? end - 1 : end);
}

/** Whether its last bracket closes it, and not one that stays open. */
function isClosed(tokens: readonly CssToken[], open: number, end: number): boolean {
  const waiting: string[] = [];
  for (let at = open; at < end; at++) {
    const { type } = tokens[at]!;
    const closer = closers[type];
    if (closer !== undefined) waiting.push(closer);
    else if (type === waiting.at(-1)) waiting.pop();
  }
  return waiting.length === 0;
}

/** Where the block of a rule opens. `endsAtSemicolon`: or where the rule ends without one. */
function findBlock(tokens: readonly CssToken[], from: number, endsAtSemicolon: boolean): number {
  let at = from;
  while (at < tokens.length) {
    const { type } = tokens[at]!;
    if (type === "{" || (endsAtSemicolon && type === ";")) return at;
    at = skipComponent(tokens, at);
  }
  return at;
}

function endOfStatement(tokens: readonly CssToken[], from: number): number {
  let at = from;
  while (at < tokens.length && tokens[at]!.type !== ";") at = skipComponent(tokens, at);
  return at;
}

/** In a style attribute: behind its block or its semicolon. */
function endOfAtRule(tokens: readonly CssToken[], from: number): number {
  const open = findBlock(tokens, from + 1, true);
  return tokens[open]?.type === "{" ? skipComponent(tokens, open) : open;
}

const closers: Readonly<Record<string, string>> = { "(": ")", function: ")", "[": "]", "{": "}" };

/** A bracket that closes none makes a declaration void; the end of the source closes those that are open. */
function isBalanced(tokens: readonly CssToken[]): boolean {
  const open: string[] = [];
  for (const { type } of tokens) {
    const closer = closers[type];
    if (closer !== undefined) open.push(closer);
    else if ((type === ")" || type === "]" || type === "}") && open.pop() !== type) return false;
  }
  return true;
}

/** `var()` of what is no name of a variable: browsers drop the whole. */
function hasWrongVariable(tokens: readonly CssToken[]): boolean {
  return tokens.some((token, at) => {
    if (token.type !== "function" || asciiLower(token.value) !== "var") return false;
    const name = tokens[at + (tokens[at + 1]?.type === "space" ? 2 : 1)];
    return name?.type !== "ident" || !/^--./su.test(name.value);
  });
}

/** The position behind the colon of a declaration. */
function startsValue(tokens: readonly CssToken[], from: number): number | undefined {
  const at = tokens[from]?.type === "space" ? from + 1 : from;
  return tokens[at]?.type === ":" ? at + 1 : undefined;
}
