/** What help.describe says of operations: the fields of one with an example, and one line about each. Made from the declarations. */

import { jsonSchema, typesOf } from "../mcp/tool.ts";
import { commonErrors, type Operation } from "../operation.ts";

type Json = Readonly<Record<string, unknown>>;

export interface OperationHelp {
  readonly operation: string;
  readonly about: string;
  readonly scope: string;
  /** By place: the kind of the field and what it is for. A list's elements stand at `[]`. */
  readonly fields: Readonly<Record<string, string>>;
  readonly needed: readonly string[];
  readonly example: unknown;
  readonly errors: readonly string[];
}

export function helpOf({ name, summary, scope, input, example, errors }: Operation): OperationHelp {
  const schema = jsonSchema(input, "input");
  return {
    operation: name,
    about: summary,
    scope: scope === "any" ? "any credential" : scope === "kind" ? "that of the kind of object" : scope,
    fields: Object.fromEntries(fieldsOf(schema, "")),
    needed: [...((schema.required as readonly string[] | undefined) ?? [])],
    example,
    errors: [...new Set([...commonErrors, ...errors])],
  };
}

function fieldsOf({ properties = {} }: Json, place: string): (readonly [string, string])[] {
  return Object.entries(properties as Record<string, Json>).flatMap(([name, field]) => {
    const { description } = field;
    const kind = kindOf(field);
    const inner = insideOf(field);
    const at = `${place}${name}`;
    const text = description === undefined ? kind : `${kind}. ${description}`;
    return [
      [at, text] as const,
      ...(inner === undefined ? [] : fieldsOf(inner.schema, `${at}${inner.step}`)),
    ];
  });
}

function kindOf({ items, enum: values, const: value, ...schema }: Json): string {
  if (values !== undefined)
    return (values as readonly unknown[]).map((one) => JSON.stringify(one)).join(" | ");
  if (value !== undefined) return JSON.stringify(value);
  if (items !== undefined) return `list of ${kindOf(items as Json)}`;
  const types = typesOf(schema);
  return types === undefined ? "any value" : [types].flat().join(" or ");
}

function insideOf({ properties, items }: Json) {
  if (properties !== undefined) return { schema: { properties }, step: "/" };
  const element = items as Json | undefined;
  return element?.properties === undefined ? undefined : { schema: element, step: "[]/" };
}

/** Fields that every line would repeat. */
const ofMany = new Set(["version", "idempotency_key", "cursor", "max_chars", "detail"]);

/** `send {body {to, cc, …}, draft, …}` */
export function lineOf({ name, summary, input }: Operation): string {
  return `${name} ${fieldNames(jsonSchema(input, "input"), new Set(ofMany))}: ${summary}`;
}

function fieldNames({ properties = {} }: Json, left: ReadonlySet<string>): string {
  const names = Object.entries(properties as Record<string, Json>)
    .filter(([name]) => !left.has(name))
    .map(([name, field]) =>
      field.properties === undefined ? name : `${name} ${fieldNames(field, new Set())}`,
    );
  return `{${names.join(", ")}}`;
}
