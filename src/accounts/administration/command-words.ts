/** How the command line names the fields of operations. */
import type { z } from "zod";

/** `expires-in-days` of `expiresInDays`. */
export function optionOf(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** `<agent>`, or `[holder]` where the operation can do without it. */
export function argumentOf(field: string, schema: z.ZodType): string {
  return schema.safeParse(undefined).success ? `[${optionOf(field)}]` : `<${optionOf(field)}>`;
}
