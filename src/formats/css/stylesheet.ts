/** Reads style sheets and style attributes as rules and declarations (CSS Syntax Level 3). A rule may apply if its condition is not
 *  known. Neutral declarations (`neutral.ts`) are left out. */
import { asciiLower } from "./ascii-case.ts";
import { blockOf, endOfAtRule, endOfStatement, findBlock, isBalanced, startsValue } from "./blocks.ts";
import { black, colourOf } from "./colour.ts";
import { readFontFace } from "./font-faces.ts";
import { isNeutral } from "./neutral.ts";
import { hasVariable, reachOfProperty, subjectOf } from "./properties.ts";
import { inMedia, mayApply, type RuleDoubt, type Scheme, type Scope } from "./scope.ts";
import { type ComplexSelector, parseSelectorList } from "./selector.ts";
import { unknownValue } from "./shorthands.ts";
import { type CssToken, skipComponent, tokenizeCss, trimSpace } from "./tokens.ts";
import { addressOf, isHeld, wordOf } from "./value-forms.ts";

export interface Declaration {
  /** Lower case; a custom property keeps its case. */
  readonly property: string;
  readonly value: readonly CssToken[];
  readonly isImportant: boolean;
}

export interface StyleRule {
  readonly selectors: readonly ComplexSelector[];
  readonly declarations: readonly Declaration[];
  /** Why it is not known whether the rule applies. */
  readonly doubt: RuleDoubt | undefined;
  /** Specificity and order decide between this rule and others. If false, a layer, a scope or nesting decides first. */
  readonly isRanked: boolean;
  /** Colours of one scheme. In a light window they count; in the other one a box is painted as well, and a variable is a colour too. */
  readonly scheme?: Scheme | undefined;
  /** Whether it applies on a phone, if that is not as at a desk. */
  readonly onPhone?: boolean | undefined;
  /** No window of a desk has it. It sets nothing but what `shownNames` has. */
  readonly isOfPhone?: boolean;
}

/** Properties by which a phone may show other words. */
export const shownNames: ReadonlySet<string> = new Set(["display", "visibility"]);

export interface StyleSource {
  readonly text: string;
  /** It is not known whether the sheet applies. */
  readonly isMaybe: boolean;
  /** The windows that it is for; absent: all. */
  readonly media?: string;
}

export interface StyleSheets {
  readonly rules: readonly StyleRule[];
  /** Font families, in lower case, that the author defines with own bytes or sizes. */
  readonly ownFonts: ReadonlySet<string>;
  /** Those that it fetches, and whether it names a sheet that is fetched, which may have more of them. */
  readonly remoteFonts: ReadonlySet<string>;
  readonly hasRemoteSheet: boolean;
  /** An animation may change anything on the page, and not only its own element. */
  readonly hasFarAnimation: boolean;
  /** A part that is not understood may apply to anything, so the whole page is doubtful. */
  readonly isUnclear: boolean;
  /** A part was not read because of a limit, so it is not known what is hidden. */
  readonly isCut: boolean;
}

/** Tokens of all style elements of a document; Word writes 15,000. */
const tokensMax = 120_000;
const attributeTokensMax = 2000;
const mediaTokensMax = 500;
const rulesMax = 5000;
const nestingMax = 16;

export function parseStyleSheets(sources: readonly StyleSource[]): StyleSheets {
  const reader = new SheetReader();
  let left = tokensMax;
  for (const { text, isMaybe, media = "" } of sources) {
    const { tokens, isCut } = tokenizeCss(text, left);
    left -= tokens.length;
    if (isCut) reader.isCut = true;
    reader.readSheet(tokens, isMaybe, tokenizeCss(media, mediaTokensMax).tokens);
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

/** At-rules that have no effect on a screen. */
const neutralRules = new Set(["charset", "page", "viewport", "-ms-viewport", "-o-viewport"]);
/** At-rules that contain rules. It is not known whether their condition is true. */
const conditions = new Set([
  "supports",
  "layer",
  "container",
  "scope",
  "starting-style",
  "document",
  "-moz-document",
]);

/** At-rules that do not change the rank of the rules inside. */
const rankedConditions = new Set(["supports", "container", "document", "-moz-document"]);

/** Whether a declaration changes nothing but colours in the other scheme. A shadow that only a light page takes away is there in a dark one. */
function isOfColour({ property, value }: Declaration, scheme: Scheme): boolean {
  if (property.startsWith("--")) return colourOf(value, black, false) !== undefined;
  const isNoShadow = scheme === "dark" && shadowNames.test(property) && wordOf(value) === "none";
  return colourNames.test(property) || isNoShadow;
}

const shadowNames = /^(?:text|box)-shadow$/;
const colourNames = /^(?:color|background(?:-color|-image)?|(?:-webkit-)?[a-z-]+-color|fill|stroke)$/;

class SheetReader implements StyleSheets {
  readonly rules: StyleRule[] = [];
  readonly ownFonts = new Set<string>();
  readonly remoteFonts = new Set<string>();
  hasRemoteSheet = false;
  hasFarAnimation = false;
  isUnclear = false;
  isCut = false;

  readSheet(tokens: readonly CssToken[], isMaybe: boolean, media: readonly CssToken[]): void {
    const doubt = isMaybe ? mayApply : undefined;
    const scope: Scope = {
      doubt,
      isRanked: true,
      isNested: false,
      depth: 0,
      scheme: undefined,
      onPhone: isMaybe ? undefined : true,
      isOfPhone: false,
    };
    const inside = inMedia(scope, media);
    if (inside !== undefined) this.#readRules(tokens, inside);
  }

  #readRules(tokens: readonly CssToken[], scope: Scope): void {
    for (let at = 0; at < tokens.length; ) {
      const { type } = tokens[at]!;
      // Elsewhere they are a part of the selector that follows, which is none (CSS Syntax Level 3 section 5.4.1).
      const isSkipped = scope.depth === 0 && (type === "cdo" || type === "cdc");
      if (type === "space" || isSkipped) at++;
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
        scope.isNested || !selectors.isSure ? mayApply : scope.doubt,
      );
    return end;
  }

  /** Reads declarations and nested rules. */
  #readBlock(
    tokens: readonly CssToken[],
    scope: Scope,
    selectors: readonly ComplexSelector[],
    doubt: RuleDoubt | undefined,
  ): void {
    // Nested rules come after the rule around them.
    const place = this.rules.length;
    const declarations = this.readDeclarations(tokens, (at) =>
      tokens[at]!.type === "at"
        ? this.#readAtRule(tokens, at, scope, selectors)
        : this.#readStyleRule(tokens, at, scope),
    );
    const add = (
      kept: readonly Declaration[],
      doubtOfKept: RuleDoubt | undefined,
      ofScheme?: Scheme,
    ): void => {
      if (kept.length > 0)
        this.rules.splice(place, 0, {
          selectors,
          declarations: kept,
          doubt: doubtOfKept,
          isRanked: scope.isRanked,
          scheme: ofScheme,
          ...(scope.isOfPhone ? { onPhone: true, isOfPhone: true } : { onPhone: onPhoneOf(scope, doubt) }),
        });
    };
    const { scheme } = scope;
    if (scope.isOfPhone) {
      if (doubt !== mayApply)
        add(
          declarations.filter(({ property }) => shownNames.has(property)),
          undefined,
        );
    } else if (scheme === undefined) add(declarations, doubt);
    else {
      const { colours = [], others = [] } = Object.groupBy(declarations, (one) =>
        isOfColour(one, scheme) ? "colours" : "others",
      );
      add(others, doubt ?? "depends-on-window");
      add(colours, doubt ?? (scheme === "dark" ? "depends-on-window" : undefined), scheme);
    }
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
      // In a custom property, and in brackets beside `var()`, "!" is a character like any other.
      if (!property.startsWith("--") && !hasVariable(value)) return undefined;
      value = unknownValue;
    }
    if (hasWrongVariable(value)) value = unknownValue;
    if (!property.startsWith("--")) {
      const subject = subjectOf(property);
      if (subject.kind === "inert" || (subject.kind === "neutral" && isNeutral(subject.name, value)))
        return undefined;
    }
    return { property, value, isImportant };
  }

  /** `selectors`: the selectors of the rule around the at-rule. */
  #readAtRule(
    tokens: readonly CssToken[],
    start: number,
    scope: Scope,
    selectors?: readonly ComplexSelector[],
  ): number {
    const name = asciiLower((tokens[start] as { readonly value: string }).value);
    const open = findBlock(tokens, start + 1, true);
    const prelude = trimSpace(tokens.slice(start + 1, open));
    const isBlock = tokens[open]?.type === "{";
    if (scope.isOfPhone && name !== "media") return isBlock ? skipComponent(tokens, open) : open + 1;
    if (!isBlock) {
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
      const inside = inMedia(deeper, prelude);
      if (inside !== undefined) this.#readInner(block, inside, selectors);
    } else if (conditions.has(name)) {
      // Declarations that stand alone in a scope are those of its root (CSS Nesting 1, section 4.2).
      if (name === "scope" && this.readDeclarations(block).length > 0) this.isUnclear = true;
      this.#readInner(
        block,
        {
          ...deeper,
          doubt: mayApply,
          isRanked: scope.isRanked && rankedConditions.has(name),
          onPhone: undefined,
        },
        selectors,
      );
    } else if (name === "font-face") this.#readFont(block);
    else if (name === "keyframes" || name === "-webkit-keyframes") this.#readKeyframes(block);
    else if (!name.startsWith("-moz-") && !name.startsWith("-ms-") && !name.startsWith("-o-"))
      this.#readUnknown(block, deeper);
    return end;
  }

  #readInner(block: readonly CssToken[], scope: Scope, selectors?: readonly ComplexSelector[]): void {
    if (selectors === undefined) this.#readRules(block, scope);
    else this.#readBlock(block, scope, selectors, scope.doubt ?? mayApply);
  }

  /** Reads an at-rule that is not known. Rules in it may apply. Declarations in it may apply to anything. */
  #readUnknown(block: readonly CssToken[], scope: Scope): void {
    if (this.readDeclarations(block).length > 0) this.isUnclear = true;
    this.#readRules(block, { ...scope, doubt: mayApply, isRanked: false });
  }

  /** A style sheet on the network is not loaded. Any other import makes the page doubtful. */
  #readImport(prelude: readonly CssToken[]): void {
    const [first] = prelude;
    const address =
      first?.type === "string"
        ? first.value
        : addressOf(prelude.slice(0, first === undefined ? 0 : skipComponent(prelude, 0)));
    if (address === undefined || isHeld(address)) this.isUnclear = true;
    else this.hasRemoteSheet = true;
  }

  #readFont(block: readonly CssToken[]): void {
    const { family, isOwn, isRemote } = readFontFace(block);
    if (isOwn) this.ownFonts.add(family);
    if (isRemote) this.remoteFonts.add(family);
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

/** Undefined if it is as at a desk, or not known. */
function onPhoneOf({ onPhone }: Scope, doubt: RuleDoubt | undefined): boolean | undefined {
  if (doubt === mayApply || onPhone === undefined) return undefined;
  return onPhone === (doubt === undefined) ? undefined : onPhone;
}

/** Whether a `var()` does not have the name of a variable. Browsers drop such a value. */
function hasWrongVariable(tokens: readonly CssToken[]): boolean {
  return tokens.some((token, at) => {
    if (token.type !== "function" || asciiLower(token.value) !== "var") return false;
    const name = tokens[at + (tokens[at + 1]?.type === "space" ? 2 : 1)];
    return name?.type !== "ident" || !/^--./su.test(name.value);
  });
}
