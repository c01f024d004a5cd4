/** Whether a selector fits an element: yes, no, or not known. Every comparison is paid for, so that no selector is dearer than the budget. */
import { asciiLower } from "#/src/formats/css/ascii-case.ts";
import type { Answer } from "#/src/formats/css/media.ts";
import type { ComplexSelector, Compound, SimpleTest } from "#/src/formats/css/selector.ts";
import { attributeOf, type HtmlElement, type HtmlNode } from "./tree.ts";
import type { WorkMeter } from "./work-meter.ts";

export interface Matcher {
  /** undefined: not known. `areVisited`: where all links have been followed. */
  fits(selector: ComplexSelector, element: HtmlElement, areVisited: boolean): Answer;
}

function both(one: Answer, other: () => Answer): Answer {
  if (one === false) return false;
  const second = other();
  return second === false ? false : one === undefined ? undefined : second;
}

export function createMatcher(isQuirky: boolean, meter: WorkMeter): Matcher {
  const places = new Map<HtmlElement, Map<HtmlElement, Place>>();
  const classLists = new Map<HtmlElement, ReadonlySet<string>>();

  let areLinksVisited = false;

  function fitsNow(selector: ComplexSelector, element: HtmlElement): Answer {
    return fitsFrom(selector.compounds, selector.compounds.length - 1, element);
  }

  /** Whether the compounds up to `at` fit, the last of them this element. */
  function fitsFrom(compounds: readonly Compound[], at: number, element: HtmlElement): Answer {
    const compound = compounds[at]!;
    const here = fitsCompound(compound, element);
    if (here === false || at === 0) return here;
    switch (compound.combinator) {
      case ">": {
        const parent = parentOf(element);
        return parent === undefined ? false : both(here, () => fitsFrom(compounds, at - 1, parent));
      }
      case " ":
        return both(here, () => fitsAny(compounds, at - 1, element, parentOf));
      case "+": {
        const before = siblingBefore(element);
        return before === undefined ? false : both(here, () => fitsFrom(compounds, at - 1, before));
      }
      case "~":
        return both(here, () => fitsAny(compounds, at - 1, element, siblingBefore));
    }
  }

  function fitsAny(
    compounds: readonly Compound[],
    at: number,
    element: HtmlElement,
    next: (element: HtmlElement) => HtmlElement | undefined,
  ): Answer {
    let found: Answer = false;
    for (let one = next(element); one !== undefined; one = next(one)) {
      const answer = fitsFrom(compounds, at, one);
      if (answer === true) return true;
      if (answer === undefined) found = undefined;
    }
    return found;
  }

  function fitsCompound(compound: Compound, element: HtmlElement): Answer {
    meter.spend(1);
    let found: Answer = true;
    for (const test of compound.tests) {
      const answer = fitsTest(test, element);
      if (answer === false) return false;
      if (answer === undefined) found = undefined;
    }
    return found;
  }

  function fitsTest(test: SimpleTest, element: HtmlElement): Answer {
    meter.spend(1);
    switch (test.kind) {
      case "any":
        return true;
      case "never":
        return false;
      case "unknown":
        return undefined;
      case "type":
        return element.isHtml ? element.name === test.folded : element.name === test.name;
      case "id": {
        const id = attributeOf(element, "id");
        return id !== undefined && (isQuirky ? asciiLower(id) === test.folded : id === test.name);
      }
      case "class":
        return classesOf(element).has(isQuirky ? test.folded : test.name);
      case "attribute": {
        // Names of other languages have a case, and some a namespace.
        if (!element.isHtml) return undefined;
        const value = attributeOf(element, test.name);
        if (value === undefined) return false;
        meter.spend(1 + attributeSteps(test, value));
        if (test.hasNoCase !== undefined) return fitsAttribute(test, value, test.hasNoCase);
        // HTML lets the case of some attributes' values not count. What is equal with case is so without.
        if (fitsAttribute(test, value, false)) return true;
        return fitsAttribute(test, value, true) ? undefined : false;
      }
      case "not": {
        let found: Answer = true;
        for (const one of test.list) {
          const answer = fitsNow(one, element);
          if (answer === true) return false;
          if (answer === undefined || one.compounds.some(({ part }) => part !== undefined)) found = undefined;
        }
        return found;
      }
      case "root":
        return parentOf(element) === undefined;
      case "link":
        return isLink(element);
      case "unvisited":
        return isLink(element) && !areLinksVisited;
      case "visited":
        return isLink(element) && areLinksVisited;
      case "empty":
        return element.children.every(
          (node) => node.kind === "comment" || (node.kind === "text" && node.text === ""),
        );
      case "checked":
        // Of several buttons of one name only the last is on.
        if (element.name === "input" && attributeOf(element, "checked") !== undefined)
          return asciiLower(attributeOf(element, "type") ?? "") === "checkbox" ? true : undefined;
        return element.name === "option" ? undefined : false;
      case "nth":
        return fitsNth(test, element);
    }
  }

  function classesOf(element: HtmlElement): ReadonlySet<string> {
    let classes = classLists.get(element);
    if (classes === undefined) {
      const text = attributeOf(element, "class") ?? "";
      classes = new Set((isQuirky ? asciiLower(text) : text).split(/[ \t\n\f\r]+/));
      meter.spend(classes.size);
      classLists.set(element, classes);
    }
    return classes;
  }

  function fitsNth(test: Extract<SimpleTest, { kind: "nth" }>, element: HtmlElement): boolean {
    const siblings = siblingsOf(element);
    const place = placeOf(element, siblings);
    const position = test.isOfType
      ? test.isLast
        ? place.ofTypeFromEnd
        : place.ofType
      : test.isLast
        ? siblings.length - place.index
        : place.index + 1;
    const distance = position - test.offset;
    return test.step === 0 ? distance === 0 : distance % test.step === 0 && distance / test.step >= 0;
  }

  function placeOf(element: HtmlElement, siblings: readonly HtmlElement[]): Place {
    const parent = element.parent!;
    let known = places.get(parent);
    if (known === undefined) {
      known = new Map();
      meter.spend(siblings.length * 3);
      const counts = new Map<string, number>();
      for (const [index, one] of siblings.entries()) {
        const ofType = (counts.get(one.name) ?? 0) + 1;
        counts.set(one.name, ofType);
        known.set(one, { index, ofType, ofTypeFromEnd: 0 });
      }
      for (const one of siblings) {
        const place = known.get(one)!;
        place.ofTypeFromEnd = counts.get(one.name)! - place.ofType + 1;
      }
      places.set(parent, known);
    }
    return known.get(element)!;
  }

  const siblingLists = new Map<HtmlElement, HtmlElement[]>();
  const positions = new Map<HtmlElement, number>();

  function siblingsOf(element: HtmlElement): readonly HtmlElement[] {
    const parent = element.parent;
    if (parent === undefined) return [element];
    let siblings = siblingLists.get(parent);
    if (siblings === undefined) {
      siblings = parent.children.filter(isElement);
      meter.spend(parent.children.length);
      for (const [index, one] of siblings.entries()) positions.set(one, index);
      siblingLists.set(parent, siblings);
    }
    return siblings;
  }

  function siblingBefore(element: HtmlElement): HtmlElement | undefined {
    const siblings = siblingsOf(element);
    return siblings[(positions.get(element) ?? 0) - 1];
  }

  return {
    fits(selector, element, areVisited) {
      areLinksVisited = areVisited;
      return fitsNow(selector, element);
    },
  };
}

function isLink(element: HtmlElement): boolean {
  return (element.name === "a" || element.name === "area") && attributeOf(element, "href") !== undefined;
}

interface Place {
  readonly index: number;
  readonly ofType: number;
  ofTypeFromEnd: number;
}

function isElement(node: HtmlNode): node is HtmlElement {
  return node.kind === "element";
}

/** The nameless root is no element. */
function parentOf(element: HtmlElement): HtmlElement | undefined {
  return element.parent === undefined || element.parent.name === "" ? undefined : element.parent;
}

type AttributeTest = Extract<SimpleTest, { kind: "attribute" }>;

function fitsAttribute(test: AttributeTest, found: string, hasNoCase: boolean): boolean {
  if (test.operator === "") return true;
  const value = hasNoCase ? asciiLower(found) : found;
  const asked = hasNoCase ? asciiLower(test.value) : test.value;
  switch (test.operator) {
    case "=":
      return value === asked;
    case "~=":
      return asked !== "" && holdsWord(value, asked);
    case "|=":
      return value === asked || value.startsWith(`${asked}-`);
    case "^=":
      return asked !== "" && value.startsWith(asked);
    case "$=":
      return asked !== "" && value.endsWith(asked);
    case "*=":
      return asked !== "" && value.includes(asked);
  }
}

/** A value is read through once, and for a part of it once for every sixteen characters of the part. */
function attributeSteps({ operator, value }: AttributeTest, found: string): number {
  const times = operator === "*=" || operator === "~=" ? 1 + (value.length >> 4) : 1;
  return operator === "" ? 0 : (found.length * times) >> 4;
}

/** Whether a word stands between blanks, or at an end. */
function holdsWord(text: string, word: string): boolean {
  if (/[ \t\n\f\r]/.test(word)) return false;
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1))
    if (isBlankAt(text, at - 1) && isBlankAt(text, at + word.length)) return true;
  return false;
}

function isBlankAt(text: string, at: number): boolean {
  return at < 0 || at >= text.length || " \t\n\f\r".includes(text[at]!);
}
