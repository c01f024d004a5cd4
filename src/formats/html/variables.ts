/** Custom properties (CSS Custom Properties Level 1): what `var()` stands for at an element. */
import { asciiLower } from "#/src/formats/css/ascii-case.ts";
import { expand, hasVariable } from "#/src/formats/css/properties.ts";
import { unknownValue } from "#/src/formats/css/shorthands.ts";
import { type CssToken, skipComponent, trimSpace } from "#/src/formats/css/tokens.ts";
import { type Value, weakerRuleKeywords, wideKeywords, wordOf } from "#/src/formats/css/value-forms.ts";
import type { DeclaredStyle, DeclaredValue } from "./cascade.ts";

export type Variables = ReadonlyMap<string, Value>;

export const noVariables: Variables = new Map();

/** Tokens of a value after substitution; more than that is not known. */
const tokensMax = 500;
const depthMax = 24;

/** Those of the parent and the element's own, its values free of variables. */
export function variablesOf(declared: DeclaredStyle, parent: Variables): Variables {
  let own: Map<string, Value> | undefined;
  for (const [name, { value }] of declared.values)
    if (name.startsWith("--")) {
      own ??= new Map();
      own.set(name, value);
    }
  if (own === undefined) return parent;
  const result = new Map(parent);
  const open = new Set<string>();
  const done = new Set<string>();
  const resolve = (name: string): Value | undefined => {
    const raw = own.get(name);
    if (raw === undefined || done.has(name)) return result.get(name);
    // Whatever goes round in a circle is not known.
    if (open.has(name)) return unknownValue;
    open.add(name);
    const value = substitute(raw, resolve, 0);
    open.delete(name);
    done.add(name);
    const word = value === undefined ? "" : wordOf(value);
    if (weakerRuleKeywords.has(word)) {
      result.set(name, unknownValue);
      return unknownValue;
    }
    if (wideKeywords.has(word) && word !== "initial") return parent.get(name);
    if (value === undefined || word === "initial") result.delete(name);
    else result.set(name, value);
    return result.get(name);
  };
  for (const name of own.keys()) resolve(name);
  return result;
}

/** The longhand's value with every variable put in; undefined when there is none, which makes it unset. */
export function resolveDeclared(
  longhand: string,
  { property, value }: DeclaredValue,
  variables: Variables,
  isQuirky: boolean,
): Value | undefined {
  if (!hasVariable(value)) return value;
  const resolved = substitute(value, (name) => variables.get(name), 0);
  if (resolved === undefined) return undefined;
  return expand(property, trimSpace(resolved), isQuirky).find(({ name }) => name === longhand)?.value;
}

function substitute(
  value: Value,
  resolve: (name: string) => Value | undefined,
  depth: number,
): Value | undefined {
  if (!hasVariable(value)) return value;
  if (depth > depthMax) return unknownValue;
  const result: CssToken[] = [];
  for (let at = 0; at < value.length; ) {
    const token = value[at]!;
    if (token.type !== "function" || asciiLower(token.value) !== "var") {
      result.push(token);
      at++;
      continue;
    }
    const end = skipComponent(value, at);
    const inner = trimSpace(value.slice(at + 1, value[end - 1]?.type === ")" ? end - 1 : end));
    const comma = inner.findIndex(({ type }) => type === ",");
    const [name] = inner;
    // A name that is itself put together, or something else before the comma.
    if (name?.type !== "ident" || trimSpace(comma === -1 ? inner : inner.slice(0, comma)).length !== 1)
      return unknownValue;
    const put =
      resolve(name.value) ??
      (comma === -1 ? undefined : substitute(trimSpace(inner.slice(comma + 1)), resolve, depth + 1));
    if (put === undefined) return undefined;
    if (result.length + put.length > tokensMax) return unknownValue;
    for (const one of put) result.push(one);
    at = end;
  }
  return result;
}
