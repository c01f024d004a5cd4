/** The types of the operations for the client, as a TypeScript file without imports of the server. */
import { z } from "zod";
import type { Operation } from "../operation.ts";
import { errorSchema } from "../schemas.ts";
import { type JsonSchema, memberLines, typeText } from "./typescript.ts";

const header = `/** What the operations of /v1 take and answer. Written from their declarations by \`npm run derive\`; a change here is lost.
 *  Long because every operation is in it. */
`;

/** TypeScript names of shared shapes whose own name has another meaning in TypeScript. */
const typeNames: Readonly<Record<string, string>> = { Error: "ErrorObject", Event: "MailEvent" };

export function clientTypesText(operations: readonly Operation[]): string {
  const definitions = new Map<string, string>();
  const nameOf = (definition: string): string => typeNames[definition] ?? definition;

  /** Declares a type and gives its name; for a shape that is shared, the name of the shared type. */
  function declare(name: string, schema: z.ZodType, io: "input" | "output"): string {
    const { $schema, $defs, id, ...rest } = z.toJSONSchema(schema, {
      io,
      target: "draft-2020-12",
    }) as JsonSchema;
    for (const [definition, inner] of Object.entries(($defs as Record<string, JsonSchema> | undefined) ?? {}))
      add(nameOf(definition), inner);
    // A shape that has a name of its own is not declared again.
    if (typeof rest.$ref === "string") return typeText(rest, nameOf);
    const declared = typeof id === "string" ? nameOf(id) : name;
    add(declared, rest);
    return declared;
  }

  function add(name: string, schema: JsonSchema): void {
    const text = declarationText(name, schema, nameOf);
    const known = definitions.get(name);
    if (known !== undefined && known !== text)
      throw new Error(`${name} means two things:\n${known}\n${text}`);
    definitions.set(name, text);
  }

  declare("ErrorObject", errorSchema, "output");
  const entries = operations.map((operation) => {
    const name = pascalCase(operation.name);
    const input = declare(`${name}Input`, operation.input, "input");
    const output = declare(`${name}Output`, operation.output, "output");
    return { operation, input, output };
  });
  const table = entries.map(
    ({ operation, input, output }) =>
      `  /** ${operation.summary} */\n  readonly ${JSON.stringify(operation.name)}: { readonly input: ${input}; readonly output: ${output} };`,
  );
  const keyed = entries.filter(({ operation }) => takesKey(operation)).map(({ operation }) => operation.name);
  return [
    header,
    ...[...definitions.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text),
    `export interface Operations {\n${table.join("\n")}\n}`,
    "",
    "/** Those that take an idempotency key: every write. */",
    `export const keyed: ReadonlySet<string> = new Set<keyof Operations>([\n${keyed.map((name) => `  ${JSON.stringify(name)},\n`).join("")}]);`,
    "",
  ].join("\n");
}

function declarationText(name: string, schema: JsonSchema, nameOf: (definition: string) => string): string {
  const isInterface = schema.type === "object" && schema.properties !== undefined;
  const members = isInterface ? memberLines(schema, nameOf, "  ") : [];
  if (isInterface && members.length > 0) return `export interface ${name} {\n${members.join("\n")}\n}\n`;
  return `export type ${name} = ${typeText(schema, nameOf)};\n`;
}

function takesKey({ input }: Operation): boolean {
  return input instanceof z.ZodObject && "idempotency_key" in input.shape;
}

function pascalCase(name: string): string {
  return name
    .split(".")
    .map((word) => word[0]!.toUpperCase() + word.slice(1))
    .join("");
}
