/** Mutations by chance over the syntax trees of the source: a bound is one larger, a comparison turned, a condition turned, a call left out. */
import fs from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import path from "node:path";
import { type Node, parse } from "acorn";
import type { RandomSource } from "../support/random.ts";

export interface Mutation {
  readonly file: string;
  /** Offsets in the source. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const otherOperators: Readonly<Record<string, string>> = {
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "===": "!==",
  "!==": "===",
  "&&": "||",
  "||": "&&",
  "+": "-",
  "-": "+",
};

/** Every mutation of a file. Removed types leave spaces, so offsets are those of the source. */
export function mutationsOf(top: string, file: string): Mutation[] {
  const source = fs.readFileSync(path.join(top, file), "utf8");
  const tree = parse(stripTypeScriptTypes(source), { ecmaVersion: "latest", sourceType: "module" });
  const found: Mutation[] = [];
  const add = (start: number, end: number, text: string): void => void found.push({ file, start, end, text });
  // biome-ignore lint/suspicious/noExplicitAny: acorn's nodes have other fields by type
  walk(tree, (node: any) => {
    const textOf = ({ start, end }: Node): string => source.slice(start, end);
    if (node.type === "Literal" && typeof node.value === "number")
      add(node.start, node.end, `(${textOf(node)} + 1)`);
    if (node.type === "Literal" && typeof node.value === "boolean")
      add(node.start, node.end, String(!node.value));
    if (node.type === "BinaryExpression" || node.type === "LogicalExpression") {
      const other = otherOperators[node.operator];
      const at = source.indexOf(node.operator, node.left.end);
      if (other !== undefined && at < node.right.start) add(at, at + node.operator.length, other);
    }
    if (node.type === "IfStatement") add(node.test.start, node.test.end, `!(${textOf(node.test)})`);
    if (node.type === "ExpressionStatement" && /^(?:await )?[\w.#]+\(/.test(textOf(node)))
      add(node.start, node.end, ";");
  });
  return found;
}

/** A mutation of a file that is chosen by its number of mutations. */
export function mutationByChance(top: string, files: readonly string[], random: RandomSource): Mutation {
  for (;;) {
    const file = random.one(files);
    const all = mutationsOf(top, file);
    // Long files are chosen as often as their length asks for.
    if (all.length > random.below(400)) return random.one(all);
  }
}

export function mutated(source: string, { start, end, text }: Mutation): string {
  return source.slice(0, start) + text + source.slice(end);
}

function walk(node: unknown, visit: (node: object) => void): void {
  if (Array.isArray(node)) for (const one of node) walk(one, visit);
  else if (typeof node === "object" && node !== null) {
    if ("type" in node) visit(node);
    for (const value of Object.values(node)) if (typeof value === "object") walk(value, visit);
  }
}
