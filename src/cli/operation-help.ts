/** The help of `waypost call` about the operations, from their declarations. Loaded only when help is asked for. */
import { z } from "zod";
import { type JsonSchema, typeText } from "#/protocols/json/derived/typescript.ts";
import type { Operation } from "#/protocols/json/operation.ts";
import { operations } from "#/protocols/json/registry.ts";
import { WaypostError } from "#/src/model/errors.ts";

/** All operations, one line each. */
export function formatOperations(): string {
  const width = Math.max(...operations.map(({ name }) => name.length));
  const lines = operations.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  return ["Operations:", ...lines, "", "waypost call <operation> --help shows what one takes."].join("\n");
}

/** One operation with its fields. Throws `not_found`. */
export function formatOperation(name: string): string {
  const operation = operations.find((one) => one.name === name);
  if (operation === undefined)
    throw new WaypostError("not_found", `There is no operation ${name}.`, {
      hint: "waypost call --help lists them.",
    });
  const fields = fieldLines(operation.input);
  return [
    `${operation.name}: ${operation.summary}`,
    `Scope: ${scopeText(operation)}`,
    "",
    ...(fields.length === 0 ? ["It takes nothing."] : ["Fields of --json:", ...fields]),
  ].join("\n");
}

function scopeText({ scope }: Operation): string {
  if (scope === "any") return "any credential";
  return scope === "kind" ? "that of the kind of object" : scope;
}

function fieldLines(schema: z.ZodType): string[] {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: "input" }) as {
    readonly properties?: Readonly<Record<string, JsonSchema>>;
    readonly required?: readonly string[];
  };
  const width = Math.max(0, ...Object.keys(properties).map((name) => name.length));
  return Object.entries(properties).map(([name, field]) => {
    const type = typeText(field, (shape) => shape)
      .replaceAll(/readonly /g, "")
      .replaceAll(/\s+/g, " ");
    const isRequired = required.includes(name) ? " (needed)" : "";
    const meaning = typeof field.description === "string" ? ` ${field.description}` : "";
    return `  ${name.padEnd(width)}  ${type}${isRequired}.${meaning}`;
  });
}
