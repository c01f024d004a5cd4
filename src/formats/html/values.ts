/** The values of one element: its declarations with the variables put in, and those that are not understood. */
import { type LengthBasis, lengthOf } from "#/src/formats/css/length.ts";
import { unknownInside } from "#/src/formats/css/properties.ts";
import { unknownValue } from "#/src/formats/css/shorthands.ts";
import { understoodOf } from "#/src/formats/css/understood.ts";
import { type Value, weakerRuleKeywords, wideKeywords, wordOf } from "#/src/formats/css/value-forms.ts";
import type { Cascade, DeclaredStyle, StyleDoubt } from "./cascade.ts";
import type { HtmlElement } from "./tree.ts";
import { resolveDeclared, type Variables, variablesOf } from "./variables.ts";

/** The value of a property that was reset to its initial value. */
const initialValue = "initial";
export type StyleValue = Value | typeof initialValue;
export type ValueMap = ReadonlyMap<string, StyleValue>;
export const noValues: ValueMap = new Map();

interface Around {
  readonly display: string;
  readonly values: ValueMap;
  readonly variables: Variables;
}

export class Values {
  readonly known = new Map<string, StyleValue>();
  /** Properties that a declaration inherits, also where browsers have a default for the element. */
  readonly inherited = new Set<string>();
  /** What is not understood, or may apply. */
  readonly unclear: StyleDoubt[];
  readonly variables: Variables;
  readonly declared: DeclaredStyle;
  #unsure: ReadonlySet<string>;

  constructor(declared: DeclaredStyle, parent: Around, element: HtmlElement, cascade: Cascade) {
    this.declared = declared;
    this.#unsure = declared.unsure;
    this.variables = variablesOf(declared, parent.variables);
    this.unclear = [...declared.doubts];
    for (const [name, one] of declared.values)
      if (!name.startsWith("--"))
        this.#settle(
          name,
          resolveDeclared(name, one, this.variables, cascade.isQuirky),
          parent,
          element,
          cascade,
        );
  }

  #settle(
    name: string,
    value: Value | undefined,
    parent: Around,
    element: HtmlElement,
    cascade: Cascade,
  ): void {
    const { isInherited, reach } = understoodOf(name)!;
    const word = value === undefined ? "unset" : wordOf(value);
    if (isInherited && (word === "inherit" || word === "unset")) this.inherited.add(name);
    if (weakerRuleKeywords.has(word) || value === unknownValue) {
      // A row that collapses takes away its height.
      const isFar = (name === "animation-name" && cascade.sheets.hasFarAnimation) || name === "visibility";
      this.unclear.push({ reach: isFar ? "paints" : reach, why: "style-not-understood" });
      this.#unsure = new Set([...this.#unsure, name]);
    } else if (value === unknownInside) this.unclear.push({ reach: "inside", why: "style-not-understood" });
    else if (!wideKeywords.has(word)) this.known.set(name, value!);
    else if (word === "inherit" && name === "display")
      this.known.set(name, [{ type: "ident", value: parent.display }]);
    else if (word === "inherit" && !isInherited) {
      const above = parent.values.get(name);
      // What browsers give an element by default is inherited too, and what is relative is inherited as computed.
      if (above === undefined ? hasDefaults(element.parent) : above !== initialValue && isRelative(above)) {
        this.unclear.push({ reach, why: "style-not-understood" });
        this.#unsure = new Set([...this.#unsure, name]);
      } else this.known.set(name, above ?? initialValue);
    } else if (word === "initial" || (word === "unset" && !isInherited)) this.known.set(name, initialValue);
  }

  get(name: string): Value | undefined {
    const value = this.known.get(name);
    return value === initialValue ? undefined : value;
  }

  isInitial(name: string): boolean {
    return this.known.get(name) === initialValue;
  }

  has(name: string): boolean {
    return this.known.has(name);
  }

  word(name: string): string {
    const value = this.get(name);
    return value === undefined ? "" : wordOf(value);
  }

  length(name: string, basis: LengthBasis): number | undefined {
    const value = this.get(name);
    return value === undefined ? undefined : lengthOf(value, basis);
  }

  /** Whether another value of the property, or one that is not understood, may apply. */
  isUnsure(name: string): boolean {
    return this.#unsure.has(name);
  }

  get unsureNames(): readonly string[] {
    return this.#unsure.size === 0 ? [] : [...this.#unsure];
  }
}

const plainElements = new Set(
  "div span td tr tbody thead tfoot section article header footer main a b i em strong font".split(" "),
);

function hasDefaults(element: HtmlElement | undefined): boolean {
  return element !== undefined && !plainElements.has(element.name);
}

/** Whether the computed size may differ from the written value. Children inherit the computed size. */
function isRelative(value: Value): boolean {
  return value.some(
    ({ type, ...token }) =>
      type === "percent" ||
      type === "function" ||
      (type === "dimension" && "unit" in token && token.unit !== "px"),
  );
}
