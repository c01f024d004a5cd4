/** Whether a selector fits an element. Every comparison is paid for, so that no selector is dearer than the budget. */
import type { ComplexSelector, Compound, SimpleTest } from "#/src/formats/css/selector.ts";
import { attributeOf, type HtmlElement, type HtmlNode } from "./tree.ts";
import type { WorkMeter } from "./work-meter.ts";

export interface Matcher {
  fits(selector: ComplexSelector, element: HtmlElement): boolean;
}

/** Elements that `:has` looks at below one. */
const hasLooksAtMax = 2000;

export function createMatcher(isQuirky: boolean, meter: WorkMeter): Matcher {
  const places = new Map<HtmlElement, Map<HtmlElement, Place>>();
  const classLists = new Map<HtmlElement, ReadonlySet<string>>();

  function fits(selector: ComplexSelector, element: HtmlElement): boolean {
    return fitsFrom(selector.compounds, selector.compounds.length - 1, element);
  }

  /** Whether the compounds up to `at` fit, the last of them this element. */
  function fitsFrom(compounds: readonly Compound[], at: number, element: HtmlElement): boolean {
    const compound = compounds[at]!;
    if (!fitsCompound(compound, element)) return false;
    if (at === 0) return true;
    switch (compound.combinator) {
      case ">": {
        const parent = parentOf(element);
        return parent !== undefined && fitsFrom(compounds, at - 1, parent);
      }
      case " ":
        for (let above = parentOf(element); above !== undefined; above = parentOf(above))
          if (fitsFrom(compounds, at - 1, above)) return true;
        return false;
      case "+": {
        const before = siblingBefore(element);
        return before !== undefined && fitsFrom(compounds, at - 1, before);
      }
      case "~":
        for (let before = siblingBefore(element); before !== undefined; before = siblingBefore(before))
          if (fitsFrom(compounds, at - 1, before)) return true;
        return false;
    }
  }

  function fitsCompound(compound: Compound, element: HtmlElement): boolean {
    meter.spend(1);
    if (compound.isPseudoElement) return false;
    for (const test of compound.tests) if (!fitsTest(test, element)) return false;
    return true;
  }

  function fitsTest(test: SimpleTest, element: HtmlElement): boolean {
    meter.spend(1);
    switch (test.kind) {
      case "any":
      case "always":
        return true;
      case "never":
        return false;
      case "type":
        return element.isHtml ? element.name === test.folded : element.name === test.name;
      case "id": {
        const id = attributeOf(element, "id");
        return id !== undefined && (isQuirky ? id.toLowerCase() === test.folded : id === test.name);
      }
      case "class":
        return classesOf(element).has(isQuirky ? test.folded : test.name);
      case "attribute": {
        const value = attributeOf(element, test.name);
        if (value === undefined) return false;
        meter.spend(value.length >> 5);
        return fitsAttribute(test, value);
      }
      case "is":
        return test.list.some((one) => fits(one, element));
      case "not":
        return !test.list.some((one) => fits(one, element));
      case "has":
        return test.list.some((one) => hasRelative(one, element));
      case "root":
        return parentOf(element) === undefined;
      case "link":
        return (
          (element.name === "a" || element.name === "area") && attributeOf(element, "href") !== undefined
        );
      case "empty":
        return element.children.every(
          (node) => node.kind === "comment" || (node.kind === "text" && node.text === ""),
        );
      case "checked":
        return (
          attributeOf(element, "checked") !== undefined || attributeOf(element, "selected") !== undefined
        );
      case "nth":
        return fitsNth(test, element);
      case "lang":
        return fitsLanguage(test.ranges, element);
    }
  }

  function classesOf(element: HtmlElement): ReadonlySet<string> {
    let classes = classLists.get(element);
    if (classes === undefined) {
      const text = attributeOf(element, "class") ?? "";
      classes = new Set((isQuirky ? text.toLowerCase() : text).split(/[ \t\n\f\r]+/));
      meter.spend(classes.size);
      classLists.set(element, classes);
    }
    return classes;
  }

  function fitsNth(test: Extract<SimpleTest, { kind: "nth" }>, element: HtmlElement): boolean {
    const siblings = siblingsOf(element);
    let position: number;
    if (test.list !== undefined) {
      if (!test.list.some((one) => fits(one, element))) return false;
      const counted = siblings.filter((one) => test.list!.some((selector) => fits(selector, one)));
      const at = counted.indexOf(element);
      position = test.isLast ? counted.length - at : at + 1;
    } else {
      const place = placeOf(element, siblings);
      if (test.isOfType) position = test.isLast ? place.ofTypeFromEnd : place.ofType;
      else position = test.isLast ? siblings.length - place.index : place.index + 1;
    }
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

  /** `:has(> a)`, `:has(+ a)`, `:has(a b)`: whether there is an element that the selector leads to from this one. */
  function hasRelative(selector: ComplexSelector, anchor: HtmlElement): boolean {
    const first = selector.compounds[0]!;
    const anchored: ComplexSelector = {
      ...selector,
      compounds: [anchorCompound(anchor), ...selector.compounds],
    };
    const isSideways = first.combinator === "+" || first.combinator === "~";
    const starts = isSideways
      ? siblingsOf(anchor).slice((positions.get(anchor) ?? 0) + 1)
      : anchor.children.filter(isElement);
    const stack = [...starts];
    for (let looked = 0; stack.length > 0; looked++) {
      if (looked > hasLooksAtMax) meter.spend(1000);
      const one = stack.pop()!;
      if (fitsAnchored(anchored.compounds, anchored.compounds.length - 1, one, anchor)) return true;
      for (const child of one.children) if (child.kind === "element") stack.push(child);
    }
    return false;
  }

  function fitsAnchored(
    compounds: readonly Compound[],
    at: number,
    element: HtmlElement,
    anchor: HtmlElement,
  ): boolean {
    if (at === 0) return element === anchor;
    const compound = compounds[at]!;
    if (!fitsCompound(compound, element)) return false;
    switch (compound.combinator) {
      case ">": {
        const parent = parentOf(element);
        return parent !== undefined && fitsAnchored(compounds, at - 1, parent, anchor);
      }
      case " ":
        for (let above = parentOf(element); above !== undefined; above = parentOf(above))
          if (fitsAnchored(compounds, at - 1, above, anchor)) return true;
        return false;
      case "+": {
        const before = siblingBefore(element);
        return before !== undefined && fitsAnchored(compounds, at - 1, before, anchor);
      }
      case "~":
        for (let before = siblingBefore(element); before !== undefined; before = siblingBefore(before))
          if (fitsAnchored(compounds, at - 1, before, anchor)) return true;
        return false;
    }
  }

  return { fits };
}

interface Place {
  readonly index: number;
  readonly ofType: number;
  ofTypeFromEnd: number;
}

function anchorCompound(_anchor: HtmlElement): Compound {
  return { combinator: " ", tests: [], isPseudoElement: false };
}

function isElement(node: HtmlNode): node is HtmlElement {
  return node.kind === "element";
}

/** The nameless root is no element. */
function parentOf(element: HtmlElement): HtmlElement | undefined {
  return element.parent === undefined || element.parent.name === "" ? undefined : element.parent;
}

function fitsAttribute(test: Extract<SimpleTest, { kind: "attribute" }>, found: string): boolean {
  if (test.operator === "") return true;
  const value = test.hasNoCase ? found.toLowerCase() : found;
  const asked = test.hasNoCase ? test.value.toLowerCase() : test.value;
  switch (test.operator) {
    case "=":
      return value === asked;
    case "~=":
      return asked !== "" && value.split(/[ \t\n\f\r]+/).includes(asked);
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

function fitsLanguage(ranges: readonly string[], element: HtmlElement): boolean {
  for (let at: HtmlElement | undefined = element; at !== undefined; at = parentOf(at)) {
    const language = attributeOf(at, "lang")?.toLowerCase();
    if (language !== undefined)
      return ranges.some(
        (range) => range !== "" && (range === "*" || language === range || language.startsWith(`${range}-`)),
      );
  }
  return false;
}
