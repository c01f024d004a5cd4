/** The cascade (CSS Cascading and Inheritance Level 5): the declaration of each property that applies to an element, from style
 *  elements, style attributes and presentational attributes. Declarations that may apply, but do not certainly apply, are listed
 *  separately. */

import { black, colourOf } from "#/src/formats/css/colour.ts";
import { saysPaint } from "#/src/formats/css/neutral.ts";
import { expand, hasVariable, reachOfProperty, subjectOf } from "#/src/formats/css/properties.ts";
import type { RuleDoubt, Scheme } from "#/src/formats/css/scope.ts";
import { unknownValue } from "#/src/formats/css/shorthands.ts";
import {
  type Declaration,
  parseStyleAttribute,
  parseStyleSheets,
  type StyleSheets,
  type StyleSource,
  shownNames,
} from "#/src/formats/css/stylesheet.ts";
import { type Reach, understoodOf } from "#/src/formats/css/understood.ts";
import { type Value, wideKeywords, wordOf } from "#/src/formats/css/value-forms.ts";
import type { Doubt } from "#/src/model/removal.ts";
import { hintKeyOf, hintsOf } from "./hints.ts";
import { createMatcher } from "./match.ts";
import { type Candidate, indexRules } from "./rule-index.ts";
import { attributeOf, type HtmlElement, type HtmlTree } from "./tree.ts";
import type { WorkMeter } from "./work-meter.ts";

/** A property whose value comes from a shorthand with variables; the shorthand has to be read again. */
export interface DeclaredValue {
  readonly property: string;
  readonly value: Value;
}

/** A declaration that may apply to an element, or that is not understood. */
export interface StyleDoubt {
  readonly reach: Reach;
  readonly why: Doubt;
}

export interface DeclaredStyle {
  /** A number within the document; equal declarations have the same number. */
  readonly id: number;
  readonly values: ReadonlyMap<string, DeclaredValue>;
  readonly doubts: readonly StyleDoubt[];
  /** Properties for which another value may apply. */
  readonly unsure: ReadonlySet<string>;
  /** Declarations of pseudo-elements (`::before`), by name. */
  readonly parts: ReadonlyMap<string, readonly Declaration[]>;
  /** Pseudo-elements of which a declaration may apply or not. */
  readonly unsureParts: ReadonlySet<string>;
  /** The declaration of the colour for visited links, if it differs. */
  readonly visitedColour: DeclaredValue | "nothing" | undefined;
  /** In a window of the other scheme it may have another background. */
  readonly paintsElsewhere: boolean;
  /** On a phone it has another `display` or `visibility`. */
  readonly differsOnPhone: boolean;
}

export interface Cascade {
  readonly isQuirky: boolean;
  readonly sheets: StyleSheets;
  styleOf(element: HtmlElement): DeclaredStyle;
  readonly meter: WorkMeter;
  /** A sheet names paint of drawings, which is not judged. */
  readonly saysPaint: boolean;
  /** Style that could not be read completely, so that it is unknown what it hides. */
  readonly isCut: boolean;
}

/** A rule that matches an element, or may match it. */
interface Fitting {
  readonly candidate: Candidate;
  readonly isMaybe: boolean;
  /** For a selector with `:link` or `:visited`: in which case it matches. */
  readonly visit: "both" | "unvisited" | "visited";
}

/** The precedence of a declaration: the first number that differs decides. */
type Rank = readonly [origin: number, specificity: number, order: number];

const hintOrigin = 0;
const ruleOrigin = 1;
const attributeOrigin = 2;
const importantRuleOrigin = 3;
const importantAttributeOrigin = 4;

const noParts: DeclaredStyle["parts"] = new Map();
const nothingUnsure: ReadonlySet<string> = new Set();
export const noStyle: DeclaredStyle = {
  id: 0,
  values: new Map(),
  doubts: [],
  unsure: nothingUnsure,
  parts: noParts,
  unsureParts: nothingUnsure,
  visitedColour: undefined,
  paintsElsewhere: false,
  differsOnPhone: false,
};

interface Maybe {
  /** The rank is that of the selector and of the position. */
  readonly isRanked: boolean;
  readonly isOfDark: boolean;
  readonly why: RuleDoubt;
  readonly name: string;
  readonly value: Value;
  readonly rank: Rank;
}

/** Values without effect, of unknown properties. */
const nothingWords = new Set(["none", "auto", "normal", "initial", "unset"]);
/** The properties that a style for visited links can change (Selectors Level 4, section 7.2). */
const visitedNames = new Set([
  "color",
  "background-color",
  "-webkit-text-fill-color",
  "-webkit-text-stroke-color",
]);
const groundNames = new Set(["background-color", "background-image"]);
/** Values that keep a box in flow, for the value that applies and for one that may apply. */
const harmlessMaybes = new Set(["display", "float", "text-align", "list-style-type"]);

/** Where a bound may be gone, a box is as high as it is without one: it covers nothing, and moves what follows down (F3, F6). */
function isUnbound(name: string, value: Value): boolean {
  return name === "max-height" && wordOf(value) === "none";
}

export function createCascade(tree: HtmlTree, sources: readonly StyleSource[], meter: WorkMeter): Cascade {
  const { isQuirky } = tree;
  const sheets = parseStyleSheets(sources);
  const matcher = createMatcher(isQuirky, meter);
  const index = indexRules(sheets.rules, isQuirky);
  const attributeCache = new Map<string, ReturnType<typeof parseStyleAttribute>>();
  const expanded = new Map<Declaration, ReturnType<typeof expand>>();
  let isCut = sheets.isCut;
  let lastId = 0;

  const expandOnce = (declaration: Declaration): ReturnType<typeof expand> => {
    let longhands = expanded.get(declaration);
    if (longhands === undefined) {
      longhands = expand(declaration.property, declaration.value, isQuirky);
      expanded.set(declaration, longhands);
    }
    return longhands;
  };

  /** From the rules that match, the style attribute and the presentational attributes. */
  const known = new Map<string, DeclaredStyle>();

  return {
    isQuirky,
    sheets,
    meter,
    saysPaint: sources.some(({ text }) => saysPaint(text)),
    get isCut() {
      return isCut;
    },
    styleOf(element) {
      const attribute = attributeOf(element, "style");
      const hintKey = hintKeyOf(element);
      const fitting: Fitting[] = [];
      let key = "";
      for (const candidate of index.candidatesOf(element)) {
        const { selector } = candidate;
        const fits = matcher.fits(selector, element, false);
        const fitsVisited = selector.asksVisit ? matcher.fits(selector, element, true) : fits;
        if (fits === false && fitsVisited === false) continue;
        const visit = fits === false ? "visited" : fitsVisited === false ? "unvisited" : "both";
        const isMaybe = (fits === false ? fitsVisited : fits) === undefined;
        fitting.push({ candidate, isMaybe, visit });
        key += `${candidate.id}${isMaybe ? "?" : ","}${visit === "both" ? "" : visit[0]}`;
      }
      if (fitting.length === 0 && attribute === undefined && hintKey === "") return noStyle;
      key += `\n${hintKey}\n${attribute ?? ""}`;
      let style = known.get(key);
      if (style === undefined) {
        style = declaredStyle(element, fitting, attribute);
        known.set(key, style);
      }
      return style;
    },
  };

  function declaredStyle(
    element: HtmlElement,
    fitting: readonly Fitting[],
    attribute: string | undefined,
  ): DeclaredStyle {
    const hints = hintsOf(element);
    const values = new Map<string, DeclaredValue>();
    const ranks = new Map<string, Rank>();
    const doubts: StyleDoubt[] = [];
    const maybes: Maybe[] = [];
    let parts: Map<string, Declaration[]> | undefined;
    const unsureParts = new Set<string>();
    let unsure: Set<string> | undefined;

    /** The declarations for visited links, if they differ. */
    const visited = fitting.some(({ visit }) => visit !== "both")
      ? { values: new Map<string, DeclaredValue>(), ranks: new Map<string, Rank>() }
      : undefined;
    /** The variables that a dark window has, if the light one has others. */
    const inDark = fitting.some(({ candidate }) => candidate.rule.scheme === "light")
      ? { values: new Map<string, DeclaredValue>(), ranks: new Map<string, Rank>() }
      : undefined;
    /** What a phone has, where some rules are of a phone alone, or of none. */
    const onPhone = fitting.some(({ candidate }) => candidate.rule.onPhone !== undefined)
      ? { values: new Map<string, DeclaredValue>(), ranks: new Map<string, Rank>() }
      : undefined;
    let paintsElsewhere = false;
    let [isOnPhone, isOfPhone] = [true, false];
    let visit: Fitting["visit"] = "both";
    let isRanked = true;
    let scheme: Scheme | undefined;
    const declare = (declaration: Declaration, rank: Rank, doubt: RuleDoubt | undefined): void => {
      const { property } = declaration;
      if (scheme === "dark" && !/^(?:--|background)/.test(property)) return;
      if (property.startsWith("--")) set(property, property, declaration.value, rank, doubt);
      else if (subjectOf(property).kind !== "properties") {
        if (!nothingWords.has(wordOf(declaration.value)) && !isTextOfElement(declaration)) {
          doubts.push({
            reach: reachOfProperty(property),
            why: doubt ?? "style-not-understood",
          });
        }
      } else for (const { name, value } of expandOnce(declaration)) set(name, property, value, rank, doubt);
    };
    const set = (
      name: string,
      property: string,
      value: Value,
      rank: Rank,
      doubt: RuleDoubt | undefined,
    ): void => {
      if (visit === "visited" && !visitedNames.has(name)) return;
      if (onPhone !== undefined && isOnPhone && shownNames.has(name))
        setIn(onPhone, name, { property, value }, rank);
      if (isOfPhone) return;
      const isVariable = name.startsWith("--");
      if (scheme !== undefined && groundNames.has(name)) paintsElsewhere = true;
      if (scheme === "dark" && !isVariable) return;
      if (isVariable && scheme !== "light" && doubt === undefined && inDark !== undefined)
        setIn(inDark, name, { property, value }, rank);
      // From the right it is the other side, so that what comes later does not replace it.
      if (logicalMargin.test(property) && value.some((token) => "number" in token && token.number < 0))
        doubts.push({ reach: "paints", why: "style-not-understood" });
      if (doubt !== undefined) {
        maybes.push({ name, value, rank, isRanked, isOfDark: scheme === "dark", why: doubt });
        return;
      }
      if (visited !== undefined && visit !== "unvisited" && visitedNames.has(name))
        setIn(visited, name, { property, value }, rank);
      if (visit !== "visited") setIn({ values, ranks }, name, { property, value }, rank);
    };

    for (const hint of hints) declare(hint, [hintOrigin, 0, 0], undefined);
    for (const {
      candidate: { selector, rule, order },
      isMaybe,
      visit: visitOfRule,
    } of fitting) {
      meter.spend(rule.declarations.length);
      visit = visitOfRule;
      isRanked = rule.isRanked && !isMaybe;
      scheme = rule.scheme;
      isOfPhone = rule.isOfPhone === true;
      isOnPhone = !isMaybe && (rule.onPhone ?? rule.doubt === undefined);
      const { part } = selector.compounds.at(-1)!;
      if (part !== undefined && (scheme === "dark" || isOfPhone)) continue;
      if (part !== undefined) {
        parts ??= new Map();
        const list = parts.get(part) ?? [];
        // A rule that may apply hides nothing for sure.
        const isSure = rule.doubt === undefined && !isMaybe;
        for (const declaration of rule.declarations)
          if (isSure || declaration.property !== "visibility") list.push(declaration);
        parts.set(part, list);
        if (!isSure || visit !== "both") unsureParts.add(part);
        continue;
      }
      for (const declaration of rule.declarations)
        declare(
          declaration,
          [declaration.isImportant ? importantRuleOrigin : ruleOrigin, selector.specificity, order],
          isMaybe ? "rule-may-apply" : rule.doubt,
        );
    }
    isRanked = true;
    visit = "both";
    scheme = undefined;
    [isOnPhone, isOfPhone] = [true, false];
    if (attribute !== undefined) {
      let parsed = attributeCache.get(attribute);
      if (parsed === undefined) {
        parsed = parseStyleAttribute(attribute);
        attributeCache.set(attribute, parsed);
        meter.spend(attribute.length >> 2);
      }
      if (parsed.isCut) isCut = true;
      for (const declaration of parsed.declarations)
        declare(
          declaration,
          [declaration.isImportant ? importantAttributeOrigin : attributeOrigin, 0, 0],
          undefined,
        );
    }
    // Of a variable that is a colour in both schemes, that of the light one counts. Any other has no value that is known.
    if (inDark !== undefined)
      for (const [name, { value }] of values) {
        const other = inDark.values.get(name)?.value;
        if (name.startsWith("--") && other !== value && !areColours(value, other))
          values.set(name, { property: name, value: unknownValue });
      }
    for (const { name, value, rank, isRanked: hasRank, isOfDark, why } of maybes) {
      const certain = ranks.get(name);
      if (isOfDark && areColours(value, values.get(name)?.value)) continue;
      if (certain !== undefined && (hasRank ? isStronger(certain, rank) : certain[0] > rank[0])) continue;
      if (isSame(values.get(name)?.value, value)) continue;
      unsure ??= new Set();
      unsure.add(name);
      if (name.startsWith("--")) values.set(name, { property: name, value: unknownValue });
      else
        doubts.push({
          reach:
            value !== unknownValue &&
            !hasVariable(value) &&
            !wideKeywords.has(wordOf(value)) &&
            (harmlessMaybes.has(name) || isUnbound(name, value))
              ? "inside"
              : understoodOf(name)!.reach,
          why,
        });
    }
    let visitedColour: DeclaredStyle["visitedColour"];
    if (visited !== undefined)
      for (const name of visitedNames) {
        const [one, other] = [values.get(name), visited.values.get(name)];
        if (one?.value === other?.value) continue;
        if (name === "color") visitedColour = other ?? "nothing";
        else doubts.push({ reach: "inside", why: "colours-may-match" });
      }
    const differsOnPhone =
      onPhone !== undefined &&
      [...shownNames].some((one) => {
        const [desk, phone] = [values, onPhone.values].map((all) => all.get(one)?.value ?? []);
        return wordOf(desk!) !== wordOf(phone!);
      });
    const isPlain = values.size === 0 && doubts.length === 0 && parts === undefined;
    if (isPlain && visitedColour === undefined && !paintsElsewhere && !differsOnPhone) return noStyle;
    return {
      id: ++lastId,
      values,
      doubts,
      unsure: unsure ?? nothingUnsure,
      parts: parts ?? noParts,
      unsureParts,
      visitedColour,
      paintsElsewhere,
      differsOnPhone,
    };
  }
}

/** Whether both are colours that cover alike. */
function areColours(one: Value, other: Value | undefined): boolean {
  const colours = [one, other ?? []].map((value) => colourOf(value, black, false));
  return colours.every((colour) => colour !== undefined && colour[3] === colours[0]![3]);
}

/** Browsers write text before and after an element, and none in its place (css-content-3 section 2). */
function isTextOfElement({ property, value }: Declaration): boolean {
  return property === "content" && value.every(({ type }) => type === "string" || type === "space");
}

const logicalMargin = /^(?:-webkit-margin-(?:start|end)|margin-inline)/;

function setIn(
  { values, ranks }: { readonly values: Map<string, DeclaredValue>; readonly ranks: Map<string, Rank> },
  name: string,
  declared: DeclaredValue,
  rank: Rank,
): void {
  const before = ranks.get(name);
  if (before !== undefined && isStronger(before, rank)) return;
  ranks.set(name, rank);
  values.set(name, declared);
}

function isSame(one: Value | undefined, other: Value): boolean {
  return one !== undefined && wordOf(one) !== "" && wordOf(one) === wordOf(other);
}

/** Compares ranks. If they are equal, the later declaration applies. */
function isStronger(before: Rank, rank: Rank): boolean {
  for (let at = 0; at < 3; at++) if (before[at] !== rank[at]) return before[at]! > rank[at]!;
  return false;
}
