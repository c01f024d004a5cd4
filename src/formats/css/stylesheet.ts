/** Style sheets and style attributes as rules and declarations (CSS Syntax Level 3, CSS Nesting, Cascade Layers). Only
 *  declarations of properties that matter are kept. At-rules that do not hold for the reader are left out. */
import { fitsMedia } from "./media.ts";
import { type ComplexSelector, parseSelectorList } from "./selector.ts";
import { type CssToken, skipComponent, splitByComma, tokenizeCss, trimSpace } from "./tokens.ts";

export interface Declaration {
  /** Lower case; a custom property keeps its case. */
  readonly property: string;
  readonly value: readonly CssToken[];
  readonly isImportant: boolean;
}

export interface StyleRule {
  readonly selectors: readonly ComplexSelector[];
  readonly declarations: readonly Declaration[];
  /** Of layers the later wins, and what is in none over all. */
  readonly layer: number;
}

export interface StyleSheets {
  readonly rules: readonly StyleRule[];
  /** What an animation ends with, by its name. */
  readonly keyframes: ReadonlyMap<string, readonly Declaration[]>;
  /** Part of it was too much to read, so that nothing is known of what is hidden. */
  readonly isCut: boolean;
}

export type KeepsProperty = (name: string) => boolean;

/** Tokens of all style elements of a document; Word writes 15,000. */
const tokensMax = 120_000;
const attributeTokensMax = 2000;
const rulesMax = 5000;
const nestingMax = 16;

export function parseStyleSheets(sources: readonly string[], keeps: KeepsProperty): StyleSheets {
  const reader = new SheetReader(keeps);
  let left = tokensMax;
  for (const source of sources) {
    const { tokens, isCut } = tokenizeCss(source, left);
    left -= tokens.length;
    if (isCut) reader.isCut = true;
    reader.readSheet(tokens);
  }
  return reader;
}

export function parseStyleAttribute(
  source: string,
  keeps: KeepsProperty,
): { readonly declarations: readonly Declaration[]; readonly isCut: boolean } {
  const { tokens, isCut } = tokenizeCss(source, attributeTokensMax);
  const reader = new SheetReader(keeps);
  return { declarations: reader.readDeclarations(tokens), isCut };
}

const unlayered = Number.MAX_SAFE_INTEGER;

interface Scope {
  readonly parent: readonly ComplexSelector[] | undefined;
  readonly layer: number;
  readonly layerName: string;
  readonly depth: number;
}

class SheetReader implements StyleSheets {
  readonly rules: StyleRule[] = [];
  readonly keyframes = new Map<string, readonly Declaration[]>();
  isCut = false;
  readonly #keeps: KeepsProperty;
  readonly #layers = new Map<string, number>();

  constructor(keeps: KeepsProperty) {
    this.#keeps = keeps;
  }

  readSheet(tokens: readonly CssToken[]): void {
    this.#readRules(tokens, { parent: undefined, layer: unlayered, layerName: "", depth: 0 });
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
    const selectors = parseSelectorList(trimSpace(tokens.slice(start, open)), scope.parent);
    if (selectors !== undefined)
      this.#readBlock(blockOf(tokens, open, end), { ...scope, parent: selectors, depth: scope.depth + 1 });
    return end;
  }

  /** Declarations and, by nesting, rules. */
  #readBlock(tokens: readonly CssToken[], scope: Scope): void {
    const declarations = this.readDeclarations(tokens, (at) =>
      tokens[at]!.type === "at"
        ? this.#readAtRule(tokens, at, scope)
        : this.#readStyleRule(tokens, at, scope),
    );
    if (declarations.length > 0 && scope.parent !== undefined)
      this.rules.push({ selectors: scope.parent, declarations, layer: scope.layer });
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
        at = readNested?.(at) ?? endOfStatement(tokens, at);
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
    const property = name.startsWith("--") ? name : name.toLowerCase();
    if (!this.#keeps(property)) return undefined;
    let value = trimSpace(tokens);
    let isImportant = false;
    const last = value.at(-1);
    if (last?.type === "ident" && last.value.toLowerCase() === "important") {
      const before = trimSpace(value.slice(0, -1));
      const mark = before.at(-1);
      if (mark?.type === "delim" && mark.value === "!") {
        isImportant = true;
        value = trimSpace(before.slice(0, -1));
      }
    }
    if (value.some(({ type }) => type === "bad")) return undefined;
    return { property, value, isImportant };
  }

  #readAtRule(tokens: readonly CssToken[], start: number, scope: Scope): number {
    const name = (tokens[start] as { readonly value: string }).value.toLowerCase();
    const open = findBlock(tokens, start + 1, true);
    if (tokens[open]?.type !== "{") {
      if (name === "layer")
        for (const one of splitByComma(tokens.slice(start + 1, open))) this.#layer(scope, nameText(one));
      return open + 1;
    }
    const end = skipComponent(tokens, open);
    const prelude = trimSpace(tokens.slice(start + 1, open));
    const block = blockOf(tokens, open, end);
    if (scope.depth > nestingMax) {
      this.isCut = true;
      return end;
    }
    const deeper = { ...scope, depth: scope.depth + 1 };
    switch (name) {
      case "media":
        if (fitsMedia(prelude)) this.#readInner(block, deeper);
        break;
      case "supports":
        if (!isRefused(prelude)) this.#readInner(block, deeper);
        break;
      case "container":
        if (fitsMedia(withoutName(prelude))) this.#readInner(block, deeper);
        break;
      case "layer":
        this.#readInner(block, { ...deeper, ...this.#layer(scope, nameText(prelude)) });
        break;
      case "scope":
        this.#readInner(block, { ...deeper, parent: scopeRoot(prelude) ?? scope.parent });
        break;
      case "keyframes":
      case "-webkit-keyframes":
        this.#readKeyframes(prelude, block);
        break;
    }
    return end;
  }

  #readInner(block: readonly CssToken[], scope: Scope): void {
    if (scope.parent === undefined) this.#readRules(block, scope);
    else this.#readBlock(block, scope);
  }

  #layer(scope: Scope, name: string): { readonly layer: number; readonly layerName: string } {
    const layerName = `${scope.layerName}.${name === "" ? `${this.#layers.size} of its own` : name}`;
    const layer = this.#layers.get(layerName) ?? this.#layers.size;
    this.#layers.set(layerName, layer);
    return { layer, layerName };
  }

  #readKeyframes(prelude: readonly CssToken[], block: readonly CssToken[]): void {
    const [name] = prelude;
    if (name?.type !== "ident" && name?.type !== "string") return;
    for (let at = 0; at < block.length; ) {
      const open = findBlock(block, at, false);
      if (block[open]?.type !== "{") return;
      const end = skipComponent(block, open);
      const isLast = splitByComma(block.slice(at, open)).some(
        ([one]) =>
          (one?.type === "ident" && one.value.toLowerCase() === "to") ||
          (one?.type === "percent" && one.number === 100),
      );
      if (isLast) this.keyframes.set(name.value, this.readDeclarations(blockOf(block, open, end)));
      at = end;
    }
  }
}

function blockOf(tokens: readonly CssToken[], open: number, end: number): readonly CssToken[] {
  return tokens.slice(open + 1, tokens[end - 1]?.type === "}" ? end - 1 : end);
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

/** The position behind the colon of a declaration. */
function startsValue(tokens: readonly CssToken[], from: number): number | undefined {
  const at = tokens[from]?.type === "space" ? from + 1 : from;
  return tokens[at]?.type === ":" ? at + 1 : undefined;
}

/** A `@supports` that asks for what is not there. Everything else is taken to be there. */
function isRefused(prelude: readonly CssToken[]): boolean {
  const [first] = prelude;
  return first?.type === "ident" && first.value.toLowerCase() === "not";
}

function withoutName(prelude: readonly CssToken[]): readonly CssToken[] {
  const [first] = prelude;
  return first?.type === "ident" && first.value.toLowerCase() !== "not"
    ? trimSpace(prelude.slice(1))
    : prelude;
}

function scopeRoot(prelude: readonly CssToken[]): readonly ComplexSelector[] | undefined {
  if (prelude[0]?.type !== "(") return undefined;
  return parseSelectorList(trimSpace(prelude.slice(1, skipComponent(prelude, 0) - 1)));
}

function nameText(tokens: readonly CssToken[]): string {
  return tokens.map((token) => ("value" in token ? token.value : "")).join("");
}
