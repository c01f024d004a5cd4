/** Operations as tools of the Model Context Protocol, from their declarations: `part.describe` is the tool `part_describe`. */
import { z } from "zod";
import type { Operation } from "../operation.ts";

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema: ObjectSchema;
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly openWorldHint: boolean;
  };
}

type ObjectSchema = { readonly type: "object"; readonly [keyword: string]: unknown };

/** Operations that stream are not tools; a model uses the tool `wait`. */
export function isTool(operation: Operation): boolean {
  return operation.effect !== "streams";
}

/** Many clients accept only letters, digits, `_` and `-`. No name of an operation has an underscore, so names stay distinct. */
export function toolName(operation: string): string {
  return operation.replaceAll(".", "_");
}

export function toolOf(operation: Operation): Tool {
  const { name, summary, verb, effect, input, output } = operation;
  return {
    name: toolName(name),
    title: name,
    description: summary,
    inputSchema: objectSchema(input, "input"),
    outputSchema: objectSchema(output, "output"),
    annotations: {
      readOnlyHint: effect === "reads",
      // Creating an object destroys nothing. A sent mail cannot be taken back, so sending counts as destructive.
      destructiveHint: effect === "writes" && !name.endsWith(".create"),
      openWorldHint: verb === "send",
    },
  };
}

/** The protocol wants an object at the root of a schema, also for a union; and many clients do not support `$ref`. */
function objectSchema(schema: z.ZodType, io: "input" | "output"): ObjectSchema {
  const { $schema, $defs, ...rest } = z.toJSONSchema(schema, { io, target: "draft-2020-12" }) as Json;
  return { ...(inlined(rest, ($defs as Json | undefined) ?? {}) as Json), type: "object" };
}

type Json = Readonly<Record<string, unknown>>;

/** A schema with each `$ref` replaced by its definition. No shape of the interface contains itself. */
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
