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

/** A stream is no tool: `wait` is how a tool waits. */
export function isTool(operation: Operation): boolean {
  return operation.effect !== "streams";
}

/** Many clients take letters, digits, `_` and `-` alone; no name of an operation has an underscore. */
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
      // What only adds takes nothing away; a mail that was sent does not come back.
      destructiveHint: effect === "writes" && !name.endsWith(".create"),
      openWorldHint: verb === "send",
    },
  };
}

/** The protocol wants an object at the root, also where a result is one of several; and many clients know no `$ref`. */
function objectSchema(schema: z.ZodType, io: "input" | "output"): ObjectSchema {
  const { $schema, $defs, ...rest } = z.toJSONSchema(schema, { io, target: "draft-2020-12" }) as Json;
  return { ...(inlined(rest, ($defs as Json | undefined) ?? {}) as Json), type: "object" };
}

type Json = Readonly<Record<string, unknown>>;

/** A schema with what it refers to in its place. No shape of the interface is within itself. */
function inlined(value: unknown, definitions: Json): unknown {
  if (Array.isArray(value)) return value.map((item) => inlined(item, definitions));
  if (typeof value !== "object" || value === null) return value;
  const members: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    if (name === "$ref" && typeof member === "string")
      Object.assign(members, inlined(definitions[member.slice(member.lastIndexOf("/") + 1)], definitions));
    // The name of a shape; a field of that name is an object.
    else if (name !== "id" || typeof member !== "string") members[name] = inlined(member, definitions);
  }
  return members;
}
