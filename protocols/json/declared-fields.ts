/** The fields of `/v1` that are made of declared properties (`src/model/declared-properties.ts`), by the names of their columns. */
import { z } from "zod";
import type { SettableProperties, ShownDeclarations } from "#/src/model/declared-properties.ts";
import { givenTime, givenTimeForm, readTime } from "./given-time.ts";
import type { OperationContext } from "./operation.ts";

interface Fields {
  readonly text: readonly [z.ZodOptional<z.ZodNullable<z.ZodString>>, z.ZodOptional<z.ZodString>];
  readonly number: readonly [z.ZodOptional<z.ZodNullable<z.ZodNumber>>, z.ZodOptional<z.ZodNumber>];
  readonly flag: readonly [z.ZodOptional<z.ZodBoolean>, z.ZodBoolean];
  readonly time: readonly [z.ZodOptional<z.ZodNullable<z.ZodISODateTime>>, z.ZodOptional<z.ZodString>];
}
type FieldsOf<D extends ShownDeclarations, Side extends 0 | 1> = {
  readonly [P in keyof D as D[P]["column"]]: Fields[D[P]["form"]][Side];
};

/** Of a request: what is absent stays as it is, `null` is taken away. */
export function givenFields<const D extends ShownDeclarations>(declared: D): FieldsOf<D, 0> {
  const fields = Object.values<ShownDeclarations[string]>(declared).map((one) => [one.column, inputOf(one)]);
  return Object.fromEntries(fields) as FieldsOf<D, 0>;
}

function inputOf(declared: ShownDeclarations[string]) {
  const { form, says } = declared;
  if (declared.form === "text")
    return z
      .string()
      .max(declared.charactersMax)
      .refine((text) => text.isWellFormed() && !text.includes("\0"))
      .nullable()
      .optional()
      .describe(says);
  if (form === "time") return givenTime.nullable().optional().describe(`${says} ${givenTimeForm}`);
  return form === "flag"
    ? z.boolean().optional().describe(says)
    : z.int().nullable().optional().describe(says);
}

/** Of an answer. */
export function shownFields<const D extends ShownDeclarations>(declared: D): FieldsOf<D, 1> {
  const words = z.string().optional();
  const forms = { text: words, number: z.number().optional(), flag: z.boolean(), time: words };
  const fields = Object.values<ShownDeclarations[string]>(declared).map(({ column, form, says }) => [
    column,
    forms[form].describe(says),
  ]);
  return Object.fromEntries(fields) as FieldsOf<D, 1>;
}

/** The properties that a request gives. */
export async function givenProperties<const D extends ShownDeclarations>(
  context: OperationContext,
  declared: D,
  input: Readonly<Record<string, unknown>>,
): Promise<Partial<SettableProperties<D>>> {
  const given: Record<string, unknown> = {};
  for (const [name, { column, form }] of Object.entries<ShownDeclarations[string]>(declared)) {
    const value = input[column];
    if (value === undefined) continue;
    given[name] =
      form === "time" && value !== null ? await readTime(context, value as string) : (value ?? undefined);
  }
  return given as Partial<SettableProperties<D>>;
}
