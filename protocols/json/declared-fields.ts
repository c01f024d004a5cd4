/** The fields of `/v1` that are made of declared properties (`src/model/declared-properties.ts`), by the names of their columns. */
import { z } from "zod";
import type { SettableProperties, ShownDeclarations } from "#/src/model/declared-properties.ts";

interface Fields {
  readonly text: readonly [z.ZodOptional<z.ZodNullable<z.ZodString>>, z.ZodOptional<z.ZodString>];
  readonly number: readonly [z.ZodOptional<z.ZodNullable<z.ZodNumber>>, z.ZodOptional<z.ZodNumber>];
  readonly flag: readonly [z.ZodOptional<z.ZodBoolean>, z.ZodBoolean];
}
type FieldsOf<D extends ShownDeclarations, Side extends 0 | 1> = {
  readonly [P in keyof D as D[P]["column"]]: Fields[D[P]["form"]][Side];
};

/** Of a request: what is absent stays as it is, `null` is taken away. */
export function givenFields<const D extends ShownDeclarations>(declared: D): FieldsOf<D, 0> {
  const fields = Object.values<ShownDeclarations[string]>(declared).map((one) => [
    one.column,
    inputOf(one).describe(one.says),
  ]);
  return Object.fromEntries(fields) as FieldsOf<D, 0>;
}

function inputOf(declared: ShownDeclarations[string]) {
  if (declared.form !== "text")
    return declared.form === "flag" ? z.boolean().optional() : z.int().nullable().optional();
  return z
    .string()
    .max(declared.charactersMax)
    .refine((text) => text.isWellFormed() && !text.includes("\0"))
    .nullable()
    .optional();
}

/** Of an answer. */
export function shownFields<const D extends ShownDeclarations>(declared: D): FieldsOf<D, 1> {
  const forms = { text: z.string().optional(), number: z.number().optional(), flag: z.boolean() };
  const fields = Object.values<ShownDeclarations[string]>(declared).map(({ column, form, says }) => [
    column,
    forms[form].describe(says),
  ]);
  return Object.fromEntries(fields) as FieldsOf<D, 1>;
}

/** The properties that a request gives. */
export function givenProperties<const D extends ShownDeclarations>(
  declared: D,
  input: Readonly<Record<string, unknown>>,
): Partial<SettableProperties<D>> {
  const given = Object.entries<ShownDeclarations[string]>(declared).flatMap(([name, { column }]) => {
    const value = input[column];
    return value === undefined ? [] : [[name, value ?? undefined] as const];
  });
  return Object.fromEntries(given) as Partial<SettableProperties<D>>;
}
