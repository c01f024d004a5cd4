/** Which declaration of a property an element has in the end (CSS Cascading and Inheritance Level 5): style elements, style
 *  attributes and the attributes of old HTML that stand for style. */
import { legacyColour } from "#/src/formats/css/colour.ts";
import { expand, keepsProperty, type Value } from "#/src/formats/css/properties.ts";
import type { ComplexSelector } from "#/src/formats/css/selector.ts";
import {
  type Declaration,
  parseStyleAttribute,
  parseStyleSheets,
  type StyleRule,
} from "#/src/formats/css/stylesheet.ts";
import { createMatcher } from "./match.ts";
import { attributeOf, type HtmlElement, type HtmlTree } from "./tree.ts";
import type { WorkMeter } from "./work-meter.ts";

/** Of a property that is named by a shorthand with variables in it, the shorthand has to be read again. */
export interface Declared {
  readonly property: string;
  readonly value: Value;
}

export type DeclaredStyle = ReadonlyMap<string, Declared>;

export interface Cascade {
  readonly isQuirky: boolean;
  styleOf(element: HtmlElement): DeclaredStyle;
  /** Declarations an animation of that name ends with. */
  keyframesOf(name: string): readonly Declaration[] | undefined;
  /** Style that could not be read whole: nothing is known of what is hidden. */
  readonly isCut: boolean;
}

interface Candidate {
  readonly selector: ComplexSelector;
  readonly rule: StyleRule;
  readonly order: number;
}

/** How strong a declaration is: the first number that differs decides. */
type Rank = readonly [origin: number, layer: number, specificity: number, order: number];

const hintOrigin = 0;
const ruleOrigin = 1;
const attributeOrigin = 2;
const importantRuleOrigin = 3;
const importantAttributeOrigin = 4;

const noStyle: DeclaredStyle = new Map();

export function createCascade(tree: HtmlTree, styleTexts: readonly string[], meter: WorkMeter): Cascade {
  const { isQuirky } = tree;
  const sheets = parseStyleSheets(styleTexts, keepsProperty);
  const matcher = createMatcher(isQuirky, meter);
  const index = indexRules(sheets.rules, isQuirky);
  const attributeCache = new Map<string, ReturnType<typeof parseStyleAttribute>>();
  const expanded = new Map<Declaration, ReturnType<typeof expand>>();
  let isCut = sheets.isCut;

  const expandOnce = (declaration: Declaration): ReturnType<typeof expand> => {
    if (expanded.has(declaration)) return expanded.get(declaration);
    const longhands = expand(declaration.property, declaration.value, isQuirky);
    expanded.set(declaration, longhands);
    return longhands;
  };

  return {
    isQuirky,
    get isCut() {
      return isCut;
    },
    keyframesOf: (name) => sheets.keyframes.get(name),
    styleOf(element) {
      const candidates = index.candidatesOf(element);
      const attribute = attributeOf(element, "style");
      const hints = hintsOf(element);
      if (candidates.length === 0 && attribute === undefined && hints.length === 0) return noStyle;
      const style = new Map<string, Declared>();
      const ranks = new Map<string, Rank>();
      const declare = (declaration: Declaration, rank: Rank): void => {
        const { property } = declaration;
        const longhands = property.startsWith("--")
          ? [[property, declaration.value] as const]
          : expandOnce(declaration);
        for (const [name, value] of longhands ?? []) {
          const before = ranks.get(name);
          if (before !== undefined && isStronger(before, rank)) continue;
          ranks.set(name, rank);
          style.set(name, { property, value });
        }
      };
      for (const hint of hints) declare(hint, [hintOrigin, 0, 0, 0]);
      for (const { selector, rule, order } of candidates) {
        if (!matcher.fits(selector, element)) continue;
        meter.spend(rule.declarations.length);
        for (const declaration of rule.declarations)
          declare(
            declaration,
            declaration.isImportant
              ? [importantRuleOrigin, -rule.layer, selector.specificity, order]
              : [ruleOrigin, rule.layer, selector.specificity, order],
          );
      }
      if (attribute !== undefined) {
        let parsed = attributeCache.get(attribute);
        if (parsed === undefined) {
          parsed = parseStyleAttribute(attribute, keepsProperty);
          attributeCache.set(attribute, parsed);
          meter.spend(attribute.length >> 2);
        }
        if (parsed.isCut) isCut = true;
        for (const declaration of parsed.declarations)
          declare(declaration, [
            declaration.isImportant ? importantAttributeOrigin : attributeOrigin,
            0,
            0,
            0,
          ]);
      }
      return style;
    },
  };
}

/** Equal ranks: the later declaration counts. */
function isStronger(before: Rank, rank: Rank): boolean {
  for (let at = 0; at < 4; at++) if (before[at] !== rank[at]) return before[at]! > rank[at]!;
  return false;
}

/** Rules by what their last compound asks for, so that an element is compared with few of them. */
function indexRules(
  rules: readonly StyleRule[],
  isQuirky: boolean,
): { candidatesOf(element: HtmlElement): readonly Candidate[] } {
  const byKey = new Map<string, Candidate[]>();
  for (const [order, rule] of rules.entries())
    for (const selector of rule.selectors) {
      const key = keyOf(selector, isQuirky);
      const list = byKey.get(key);
      if (list === undefined) byKey.set(key, [{ selector, rule, order }]);
      else list.push({ selector, rule, order });
    }
  return {
    candidatesOf(element) {
      if (byKey.size === 0) return [];
      const keys = ["*", `t${element.name.toLowerCase()}`];
      const id = attributeOf(element, "id");
      if (id !== undefined) keys.push(`#${isQuirky ? id.toLowerCase() : id}`);
      const classes = attributeOf(element, "class");
      if (classes !== undefined)
        for (const name of new Set((isQuirky ? classes.toLowerCase() : classes).split(/[ \t\n\f\r]+/)))
          keys.push(`.${name}`);
      const found: Candidate[] = [];
      for (const key of keys) for (const one of byKey.get(key) ?? []) found.push(one);
      return found;
    },
  };
}

function keyOf({ compounds }: ComplexSelector, isQuirky: boolean): string {
  let type: string | undefined;
  for (const test of compounds.at(-1)!.tests) {
    if (test.kind === "id") return `#${isQuirky ? test.folded : test.name}`;
    if (test.kind === "class") return `.${isQuirky ? test.folded : test.name}`;
    if (test.kind === "type") type = test.folded;
  }
  return type === undefined ? "*" : `t${type}`;
}

function hint(property: string, value: Value): Declaration {
  return { property, value, isImportant: false };
}

function colourHint(property: string, text: string | undefined): readonly Declaration[] {
  const colour = text === undefined ? undefined : legacyColour(text);
  if (colour === undefined) return [];
  const hex = colour.slice(0, 3).map((one) => one.toString(16).padStart(2, "0"));
  return [hint(property, [{ type: "hash", value: hex.join("") }])];
}

const backgroundHolders = new Set([
  "body",
  "table",
  "thead",
  "tbody",
  "tfoot",
  "tr",
  "td",
  "th",
  "col",
  "colgroup",
  "marquee",
]);

function hintsOf(element: HtmlElement): readonly Declaration[] {
  const { name } = element;
  if (element.attributes.length === 0) return [];
  const hints: Declaration[] = [];
  if (backgroundHolders.has(name))
    hints.push(...colourHint("background-color", attributeOf(element, "bgcolor")));
  if (name === "body") hints.push(...colourHint("color", attributeOf(element, "text")));
  if (name === "font") {
    hints.push(...colourHint("color", attributeOf(element, "color")));
    const size = attributeOf(element, "size");
    if (size !== undefined) hints.push(...fontSizeHint(size));
  }
  const hidden = attributeOf(element, "hidden");
  if (hidden !== undefined)
    hints.push(
      hidden.toLowerCase() === "until-found"
        ? hint("content-visibility", [{ type: "ident", value: "hidden" }])
        : hint("display", [{ type: "ident", value: "none" }]),
    );
  return hints;
}

const fontSizeNames = ["x-small", "small", "medium", "large", "x-large", "xx-large", "xxx-large"];

function fontSizeHint(text: string): readonly Declaration[] {
  const match = /^\s*([+-]?)(\d{1,9})/.exec(text);
  if (match === null) return [];
  const number = Number(match[2]);
  const size = match[1] === "+" ? 3 + number : match[1] === "-" ? 3 - number : number;
  return [hint("font-size", [{ type: "ident", value: fontSizeNames[Math.max(1, Math.min(7, size)) - 1]! }])];
}
