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

/** The protocol wants an object at the root, also where a result is one of several. */
function objectSchema(schema: z.ZodType, io: "input" | "output"): ObjectSchema {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io, target: "draft-2020-12" }) as Record<
    string,
    unknown
  >;
  return { ...rest, type: "object" };
}
