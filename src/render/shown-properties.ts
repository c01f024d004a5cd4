/** Declared properties as `/v1` shows them: by the names of their columns, texts without what nobody sees. */
import type { SettableProperties, ShownDeclarations } from "#/src/model/declared-properties.ts";
import { cleanText } from "./clean-text.ts";
import { createRemovalTally } from "./removal.ts";

interface Shown {
  readonly text: string | undefined;
  readonly number: number | undefined;
  readonly flag: boolean;
}
export type ShownProperties<D extends ShownDeclarations> = {
  readonly [P in keyof D as D[P]["column"]]: Shown[D[P]["form"]];
};

export function shownProperties<const D extends ShownDeclarations>(
  declared: D,
  properties: SettableProperties<D>,
): ShownProperties<D> {
  const shown = Object.entries<ShownDeclarations[string]>(declared).flatMap(([name, { column }]) => {
    const value = properties[name];
    if (value === undefined) return [];
    const clean = typeof value === "string" ? cleanText(value, column, createRemovalTally()) : value;
    return [[column, clean] as const];
  });
  return Object.fromEntries(shown) as ShownProperties<D>;
}
