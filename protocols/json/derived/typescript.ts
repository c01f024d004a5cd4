/** Converts JSON Schema, as zod writes it, to TypeScript types. */

export type JsonSchema = { readonly [keyword: string]: unknown };

/** A type as text; `nameOf` gives the type name for a `$ref`. */
export function typeText(schema: JsonSchema, nameOf: (definition: string) => string, indent = ""): string {
  if (typeof schema.$ref === "string") return nameOf(schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1));
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if ("const" in schema) return JSON.stringify(schema.const);
  for (const keyword of ["anyOf", "oneOf"])
    if (Array.isArray(schema[keyword])) return joined(schema[keyword], " | ");
  if (Array.isArray(schema.allOf)) return joined(schema.allOf, " & ");
  if (Array.isArray(schema.type))
    return schema.type.map((type) => typeText({ ...schema, type }, nameOf, indent)).join(" | ");
  switch (schema.type) {
    case "string":
    case "boolean":
    case "null":
      return schema.type;
    case "number":
    case "integer":
      return "number";
    case "array":
      return `readonly ${grouped(typeText((schema.items ?? {}) as JsonSchema, nameOf, indent))}[]`;
    case "object":
      return objectText(schema, nameOf, indent);
    default:
      return "unknown";
  }

  function joined(branches: readonly JsonSchema[], by: string): string {
    return [...new Set(branches.map((branch) => typeText(branch, nameOf, indent)))].join(by);
  }
}

/** The members of an object, each with its description above it. */
export function memberLines(
  schema: JsonSchema,
  nameOf: (definition: string) => string,
  indent: string,
): string[] {
  const required = new Set((schema.required as readonly string[] | undefined) ?? []);
  const members = Object.entries((schema.properties as Record<string, JsonSchema> | undefined) ?? {});
  return members.flatMap(([name, member]) => {
    const key = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
    const type = typeText(member, nameOf, indent);
    const line = `${indent}readonly ${key}${required.has(name) ? "" : "?"}: ${type};`;
    return typeof member.description === "string"
      ? [`${indent}/** ${member.description.replaceAll("*/", "* /")} */`, line]
      : [line];
  });
}

function objectText(schema: JsonSchema, nameOf: (definition: string) => string, indent: string): string {
  const members = memberLines(schema, nameOf, `${indent}  `);
  const rest = schema.additionalProperties;
  const restType =
    typeof rest === "object" && rest !== null ? typeText(rest as JsonSchema, nameOf, indent) : "unknown";
  const isOpen = rest !== false && rest !== undefined;
  if (members.length === 0)
    return isOpen ? `Readonly<Record<string, ${restType}>>` : "Readonly<Record<string, never>>";
  return `{\n${members.join("\n")}\n${indent}}`;
}

function grouped(type: string): string {
  return /[|&]/.test(type) && !type.startsWith("{")
    ? `(${type})`
    : type.startsWith("readonly")
      ? `(${type})`
      : type;
}
