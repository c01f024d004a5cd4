/** Declared properties as `/v1` shows them: by the names of their columns, texts without what nobody sees. */
import type { PropertyForm, SettableProperties, ShownDeclarations } from "#/src/model/declared-properties.ts";
import { cleanText } from "./clean-text.ts";
import { isoTimeOrNothing } from "./iso-time.ts";
import { createRemovalTally } from "./removal.ts";

interface Shown {
  readonly text: string | undefined;
  readonly number: number | undefined;
  readonly flag: boolean;
  readonly time: string | undefined;
}
export type ShownProperties<D extends ShownDeclarations> = {
  readonly [P in keyof D as D[P]["column"]]: Shown[D[P]["form"]];
};

export function shownProperties<const D extends ShownDeclarations>(
  declared: D,
  properties: SettableProperties<D>,
): ShownProperties<D> {
  const shown = Object.entries<ShownDeclarations[string]>(declared).flatMap(([name, { column, form }]) => {
    const value = properties[name] as string | number | boolean | undefined;
    return value === undefined ? [] : [[column, shownValue(column, form, value)] as const];
  });
  return Object.fromEntries(shown) as ShownProperties<D>;
}

function shownValue(column: string, form: PropertyForm, value: string | number | boolean) {
  if (form === "time") return isoTimeOrNothing(value as number);
  return typeof value === "string" ? cleanText(value, column, createRemovalTally()) : value;
}
