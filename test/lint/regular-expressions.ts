/** Looks whether a text can make a regular expression of the source take time that grows faster than the length of the text. There are
 *  no exceptions: a reader of text that could be long is a scanner.
 *
 *  Seen are literals, and `new RegExp` of what the constants of its file give. The file `checked-expressions.txt` has the digests of
 *  those that were found safe, because a check takes 0.3 s; `npm run format` writes it. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import path from "node:path";
import { type AnyNode, type Identifier, parse } from "acorn";
import { checkSync } from "recheck";

export interface Expression {
  /** `protocols/dav/preferences.ts:16` */
  readonly place: string;
  readonly pattern: RegExp;
}

/** What `new RegExp` makes of a parameter there. */
const examples: ReadonlyMap<string, RegExp> = new Map([
  ["src/formats/content-lines/unfold.ts", /a(?:\r?\n[ \t])*b(?:\r?\n[ \t])*a/i],
]);

const top = new URL("../..", import.meta.url).pathname;
const recorded = new URL("checked-expressions.txt", import.meta.url);
const timeoutMs = 60_000;

// Without a program of its own, so that it gives the same answer on every platform.
process.env.RECHECK_SYNC_BACKEND = "pure";

export function expressionsOf(file: string, source: string): Expression[] {
  const code = stripTypeScriptTypes(source);
  const tree = parse(code, {
    ecmaVersion: "latest",
    sourceType: "module",
    locations: true,
    allowHashBang: true,
  });
  const nodes = [...nodesIn(tree)];
  const constants = new Map<string, AnyNode>();
  for (const node of nodes)
    if (node.type === "VariableDeclarator" && node.id.type === "Identifier" && node.init)
      constants.set(node.id.name, node.init);

  const evaluate = (node: AnyNode): unknown => {
    const names = new Set(
      [...nodesIn(node)].filter((one) => one.type === "Identifier").map(({ name }) => name),
    );
    const known = [...names].filter((name) => constants.has(name));
    const values = known.map((name) => evaluate(constants.get(name)!));
    return new Function(...known, `"use strict"; return (${code.slice(node.start, node.end)})`)(...values);
  };

  return nodes.flatMap((node) => {
    const place = `${file}:${node.loc!.start.line}`;
    if (node.type === "Literal" && node.regex)
      return [{ place, pattern: new RegExp(node.regex.pattern, node.regex.flags) }];
    const isMade =
      (node.type === "NewExpression" || node.type === "CallExpression") &&
      node.callee.type === "Identifier" &&
      node.callee.name === "RegExp";
    if (!isMade) return [];
    return [{ place, pattern: examples.get(file) ?? made(evaluate, node, place) }];
  });
}

function made(evaluate: (node: AnyNode) => unknown, node: AnyNode, place: string): RegExp {
  try {
    return evaluate(node) as RegExp;
  } catch (cause) {
    throw new Error(`${place}: a regular expression is a literal, or made of constants of its file`, {
      cause,
    });
  }
}

function* nodesIn(node: AnyNode): Generator<Exclude<AnyNode, Identifier> | Identifier> {
  yield node;
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? value : [value])
      if (typeof child?.type === "string") yield* nodesIn(child);
}

/** Undefined for a safe one. */
export function faultOf({ place, pattern }: Expression): string | undefined {
  const found = checkSync(pattern.source, pattern.flags, { timeout: timeoutMs });
  if (found.status === "safe") return undefined;
  const why =
    found.status === "vulnerable"
      ? `${found.complexity.summary}, by ${found.attack.pattern}`
      : `cannot be checked (${found.error.kind})`;
  return `${place}: ${pattern}: ${why}`;
}

function digestOf({ pattern }: Expression): string {
  return createHash("sha256").update(`${pattern}`).digest("hex").slice(0, 16);
}

/** Those that repeat something. */
function sourceExpressions(): Expression[] {
  const files = ["src", "protocols", "storage", "config"].flatMap((folder) =>
    readdirSync(path.join(top, folder), { recursive: true, encoding: "utf8" })
      .map((name) => path.posix.join(folder, name))
      .filter((name) => /(?<!\.d)\.(?:ts|mjs)$/.test(name)),
  );
  return files
    .flatMap((file) => expressionsOf(file, readFileSync(path.join(top, file), "utf8")))
    .filter(({ pattern }) => /[*+{]/.test(pattern.source));
}

if (import.meta.main) {
  const known = new Set(readFileSync(recorded, "utf8").split("\n"));
  const safe = new Set<string>();
  const faults: string[] = [];
  for (const expression of sourceExpressions()) {
    const digest = digestOf(expression);
    const fault = known.has(digest) || safe.has(digest) ? undefined : faultOf(expression);
    if (fault === undefined) safe.add(digest);
    else faults.push(fault);
  }
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exitCode = 1;
  else if (process.argv.includes("--write")) writeFileSync(recorded, `${[...safe].sort().join("\n")}\n`);
}
