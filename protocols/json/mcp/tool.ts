/** Operations as tools of the Model Context Protocol, from their declarations: `part.describe` is the tool `part_describe`. A list of
 *  tools stands in a model's context as a whole, so it is short: what a field of an object inside means, help.describe says. */
import { z } from "zod";
import type { Operation } from "../operation.ts";

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema?: ObjectSchema;
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint?: boolean;
    readonly idempotentHint?: boolean;
    readonly openWorldHint: boolean;
  };
}

type Json = Readonly<Record<string, unknown>>;
type ObjectSchema = { readonly type: "object"; readonly [keyword: string]: unknown };

/** Operations that stream are not tools; a model uses the tool `wait`. */
export function isTool(operation: Operation): boolean {
  return operation.effect !== "streams";
}

/** Many clients accept only letters, digits, `_` and `-`. No name of an operation has an underscore, so names stay distinct. */
export function toolName(operation: string): string {
  return operation.replaceAll(".", "_");
}

/** `withOutput`: for clients that check results by a schema. */
export function toolOf(operation: Operation, withOutput: boolean): Tool {
  const { name, summary, input, output, dryOutput } = operation;
  const answer = dryOutput === undefined ? output : z.union([output, dryOutput]);
  return {
    name: toolName(name),
    description: summary,
    inputSchema: { ...shortSchema(jsonSchema(input, "input")), type: "object" },
    ...(withOutput ? { outputSchema: { ...jsonSchema(answer, "output"), type: "object" as const } } : {}),
    annotations: hintsOf(operation),
  };
}

function hintsOf({ name, effect, reaches }: Operation): Tool["annotations"] {
  const openWorldHint = reaches === "others";
  // The other hints are about tools that write.
  if (effect === "reads") return { readOnlyHint: true, openWorldHint };
  const isNew = name === "send" || name.endsWith(".create");
  return {
    readOnlyHint: false,
    // What is made here can be deleted again. What others were told cannot be taken back.
    destructiveHint: !(isNew && reaches === "own"),
    // Changes need the version that was read, so a repeat changes nothing.
    idempotentHint: !isNew,
    openWorldHint,
  };
}

/** A schema with each `$ref` replaced by its definition, since many clients do not support it. No shape of the interface contains
 *  itself. */
export function jsonSchema(schema: z.ZodType, io: "input" | "output"): Json {
  const { $schema, $defs, ...rest } = z.toJSONSchema(schema, { io, target: "draft-2020-12" }) as Json;
  return inlined(rest, ($defs as Json | undefined) ?? {}) as Json;
}

function inlined(value: unknown, definitions: Json): unknown {
  if (Array.isArray(value)) return value.map((item) => inlined(item, definitions));
  if (typeof value !== "object" || value === null) return value;
  const members: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    if (name === "$ref" && typeof member === "string")
      Object.assign(members, inlined(definitions[member.slice(member.lastIndexOf("/") + 1)], definitions));
    // A string `id` is the name of a shape and left out. A field named id has an object here and stays.
    else if (name !== "id" || typeof member !== "string") members[name] = inlined(member, definitions);
  }
  return members;
}

/** Fields that mean the same in every tool: the instructions of the server explain them. */
const explainedOnce = new Set([
  "version",
  "idempotency_key",
  "cursor",
  "max_chars",
  "detail",
  "marks",
  "dry_run",
]);

/** Names, types, enumerations and the first sentence about each field. */
function shortSchema({ properties = {}, required }: Json): Json {
  const fields = Object.entries(properties as Record<string, Json>).map(([name, field]) => {
    const about = explainedOnce.has(name) ? undefined : firstSentence(field.description);
    return [name, { ...typeOf(field), ...(about === undefined ? {} : { description: about }) }] as const;
  });
  return { properties: Object.fromEntries(fields), ...(required === undefined ? {} : { required }) };
}

function typeOf(schema: Json): Json {
  const { enum: values, const: value, items, properties, required } = schema;
  const type = typesOf(schema);
  if (values !== undefined) return { type, enum: values };
  if (value !== undefined) return { type, const: value };
  if (items !== undefined) return { type, items: typeOf(items as Json) };
  if (properties === undefined) return type === undefined ? {} : { type };
  const fields = Object.entries(properties as Record<string, Json>).map(([name, field]) => [
    name,
    typeOf(field),
  ]);
  return { type, properties: Object.fromEntries(fields), ...(required === undefined ? {} : { required }) };
}

/** Of a union, the types of its forms. */
export function typesOf({ type, anyOf }: Json): unknown {
  return anyOf === undefined ? type : (anyOf as readonly Json[]).map((one) => one.type);
}

function firstSentence(text: unknown): string | undefined {
  if (typeof text !== "string") return undefined;
  const end = text.search(/[.…](?: [A-Z]|$)/);
  return end < 0 ? text : text.slice(0, end + 1);
}
