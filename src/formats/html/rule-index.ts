/** An index of rules by the last compound of their selectors, so that an element is compared with few rules. */
import { asciiLower } from "#/src/formats/css/ascii-case.ts";
import type { ComplexSelector } from "#/src/formats/css/selector.ts";
import type { StyleRule } from "#/src/formats/css/stylesheet.ts";
import { attributeOf, type HtmlElement } from "./tree.ts";

export interface Candidate {
  readonly selector: ComplexSelector;
  readonly rule: StyleRule;
  readonly order: number;
  readonly id: number;
}

export function indexRules(
  rules: readonly StyleRule[],
  isQuirky: boolean,
): { candidatesOf(element: HtmlElement): readonly Candidate[] } {
  const byKey = new Map<string, Candidate[]>();
  let id = 0;
  for (const [order, rule] of rules.entries())
    for (const selector of rule.selectors) {
      if (isOfNone(selector)) continue;
      const key = keyOf(selector, isQuirky);
      const list = byKey.get(key);
      id++;
      if (list === undefined) byKey.set(key, [{ selector, rule, order, id }]);
      else list.push({ selector, rule, order, id });
    }
  return {
    candidatesOf(element) {
      if (byKey.size === 0) return [];
      const keys = ["*", `t${asciiLower(element.name)}`];
      const id = attributeOf(element, "id");
      if (id !== undefined) keys.push(`#${isQuirky ? asciiLower(id) : id}`);
      const classes = attributeOf(element, "class");
      if (classes !== undefined)
        for (const name of new Set((isQuirky ? asciiLower(classes) : classes).split(/[ \t\n\f\r]+/)))
          keys.push(`.${name}`);
      const found: Candidate[] = [];
      for (const key of keys) for (const one of byKey.get(key) ?? []) found.push(one);
      return found;
    },
  };
}

/** Whether it fits no element of any page: nothing is pointed at (`a:hover`). */
function isOfNone({ compounds }: ComplexSelector): boolean {
  return compounds.some(({ tests }) => tests.some(({ kind }) => kind === "never"));
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
