/** Rows whose type stands beside their statement: the select list gives each of their members, and nothing else. Rows that have a name are
 *  compared by the compiler (`storage/schema/select-list.ts`). */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { schema } from "#/storage/schema/schema.ts";

const top = path.join(import.meta.dirname, "../..");

interface Statement {
  readonly place: string;
  /** The text between the braces of the type. */
  readonly members: string;
  readonly sql: string;
}

function statementsOf(file: string): Statement[] {
  const text = readFileSync(path.join(top, file), "utf8");
  const found = text.matchAll(/\.(?:get|all)<\{([^{}]*)\}>\(\s*(?:`((?:[^`\\]|\\.)*)`|"((?:[^"\\]|\\.)*)")/g);
  return [...found].map((match) => ({
    place: `${file}:${text.slice(0, match.index).split("\n").length}`,
    members: match[1]!,
    sql: match[2] ?? match[3]!.replaceAll('\\"', '"'),
  }));
}

/** Splits at commas outside of parentheses. */
function listOf(text: string): string[] {
  const items: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at <= text.length; at++) {
    const character = text[at];
    if (character === "(" || character === "{") depth++;
    if (character === ")" || character === "}") depth--;
    if (character !== undefined && !(character === "," && depth === 0)) continue;
    items.push(text.slice(from, at).trim());
    from = at + 1;
  }
  return items;
}

/** What the statement gives: the text up to the `from` that is in no parentheses, or after `returning`. */
function selectedBy(sql: string): string | undefined {
  const returned = /\breturning\s+([\s\S]*)$/.exec(sql)?.[1];
  if (returned !== undefined) return returned;
  const begin = /^\s*select (?:distinct )?/.exec(sql);
  if (begin === null) return undefined;
  let depth = 0;
  for (const word of sql.matchAll(/[(){}]|\bfrom\b/g)) {
    if (word[0] === "(" || word[0] === "{") depth++;
    else if (word[0] === ")" || word[0] === "}") depth--;
    else if (depth === 0) return sql.slice(begin[0].length, word.index);
  }
  return sql.slice(begin[0].length);
}

const nameOf = (item: string): string => /(?:\bas |\.|^)"?(\w+)"?$/.exec(item)?.[1] ?? item;

const statements = readdirSync(path.join(top, "storage"), { recursive: true, encoding: "utf8" })
  .map((name) => path.posix.join("storage", name))
  .filter((name) => name.endsWith(".ts") && !name.startsWith("storage/migrations/"))
  .flatMap(statementsOf);

const tables: Readonly<Record<string, Readonly<Record<string, { readonly isNullable: boolean }>>>> = schema;

/** What is wrong with a statement; undefined if its select list is made elsewhere. */
function faultsOf({ place, members, sql }: Statement): string[] | undefined {
  const selected = selectedBy(sql);
  if (selected === undefined || selected.includes("${")) return undefined;
  const types = new Map(
    [...members.matchAll(/(?:^|[;\n])\s*(?:readonly )?"?(\w+)"?: ([^;\n]*)/g)].map(
      ([, name, type]) => [name!, type!] as const,
    ),
  );
  const given = listOf(selected);
  const faults: string[] = [];
  if (given.map(nameOf).sort().join() !== [...types.keys()].sort().join())
    faults.push(
      `${place} gives ${given.map(nameOf).join(", ")}, and its row has ${[...types.keys()].join(", ")}`,
    );
  const table = /\b(?:from|update|into) (\w+)\b/.exec(sql)?.[1] ?? "";
  // After a join it is not known whose column it is, and a condition may leave the nulls out.
  for (const item of /\bjoin\b/.test(sql) ? [] : given) {
    const column = /^\w+/.exec(item)?.[0] ?? "";
    const declared = /^\w+(?: as |$)/.test(item) ? tables[table]?.[column] : undefined;
    const isNull = types.get(nameOf(item))?.includes("null") === true;
    const isLeftOut = new RegExp(`\\b${column} (?:in|=|is not null)`).test(sql);
    if (declared !== undefined && declared.isNullable !== isNull && !(isLeftOut && !isNull))
      faults.push(`${place}: ${item} is ${declared.isNullable ? "null too" : "not null"}`);
  }
  return faults;
}

test("a select list gives each member of the row whose type stands beside it, and no other", () => {
  const faults = statements.map(faultsOf);
  expect(faults.flatMap((one) => one ?? [])).toEqual([]);
  expect(faults.filter((one) => one !== undefined).length).toBeGreaterThan(100);
});

test("finds a member that is left out, one that is too many, and a null that is not expected", () => {
  const faultOf = (list: string, members: string): unknown =>
    faultsOf({ place: "here", members, sql: `select ${list} from hold where hold_id = ?` });
  expect(faultOf("hold_id as hold", " hold: number; state: string ")).toHaveLength(1);
  expect(faultOf("hold_id as hold, state", " hold: number ")).toHaveLength(1);
  expect(faultOf("hold_id as hold, why", " hold: number; why: string ")).toEqual(["here: why is null too"]);
  expect(faultOf("hold_id as hold, state", " hold: number; state: string ")).toEqual([]);
});
