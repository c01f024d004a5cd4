/** A Card as units that are compared, read and written one by one: an entry of a collection (`emails/k1`), or another whole
 *  property (`name`). Localizations belong to the unit that they localize. */
import {
  applyPatch,
  formatPointer,
  isArray,
  isEqual,
  isObject,
  type Json,
  type JsonObject,
  member,
  type OpenObject,
  type Patch,
  type Path,
  parsePointer,
  put,
} from "./json.ts";

export interface Unit {
  readonly path: Path;
  readonly value: Json;
  /** For each language a patch of the unit, with pointers relative to the unit. */
  readonly localized: ReadonlyMap<string, Patch>;
}

export interface ReadUnit extends Unit {
  /** Indexes in the items of the card; empty if the value is not in the text. */
  readonly lines: ReadonlySet<number>;
}

/** Properties of a Card whose values are objects by id (RFC 9553 section 2) or by another key. */
export const collections: ReadonlySet<string> = new Set([
  "addresses",
  "anniversaries",
  "calendars",
  "cryptoKeys",
  "directories",
  "emails",
  "links",
  "media",
  "members",
  "nicknames",
  "notes",
  "onlineServices",
  "organizations",
  "personalInfo",
  "phones",
  "preferredLanguages",
  "relatedTo",
  "schedulingAddresses",
  "titles",
]);

/** The unit of a place in a Card; undefined if the place contains several units. */
export function unitPathOf(path: Path): Path | undefined {
  const [top, second, third] = path;
  if (top === undefined) return undefined;
  if (collections.has(top)) return second === undefined ? undefined : [top, second];
  if (top === "speakToAs" && second === "pronouns")
    return third === undefined ? undefined : [top, second, third];
  if (top === "speakToAs") return second === undefined ? undefined : [top];
  return top === "localizations" || top === "vCardProps" ? undefined : [top];
}

export function unitKey(path: Path): string {
  return formatPointer(path);
}

export function splitCard(card: JsonObject): Map<string, Unit> {
  const values = new Map<string, { path: Path; value: Json; localized: Map<string, Patch> }>();
  const add = (path: Path, value: Json) => {
    values.set(unitKey(path), { path, value, localized: new Map() });
  };
  for (const [top, value] of Object.entries(card)) {
    if (top === "@type" || top === "version" || top === "localizations") continue;
    if (top === "vCardProps" && isArray(value)) addProperties(value, add);
    else if (collections.has(top)) addEntries([top], value, add);
    else if (top === "speakToAs" && isObject(value)) {
      const { pronouns, ...rest } = value as { pronouns?: Json };
      if (pronouns !== undefined) addEntries([top, "pronouns"], pronouns, add);
      if (Object.keys(rest).length > 0 || pronouns === undefined) add([top], rest);
    } else add([top], value);
  }
  const localizations = member(card, "localizations");
  if (isObject(localizations))
    for (const [language, patch] of Object.entries(localizations)) {
      if (!isObject(patch) || Object.keys(patch).length === 0) {
        add(["localizations", language], patch);
        continue;
      }
      for (const [pointer, value] of Object.entries(patch)) {
        const path = parsePointer(pointer);
        const unitPath = unitPathOf(path);
        const unit = unitPath === undefined ? undefined : values.get(unitKey(unitPath));
        if (unit === undefined) add(["localizations", language, pointer], value);
        else {
          const inner: OpenObject = { ...unit.localized.get(language) };
          put(inner, formatPointer(path.slice(unit.path.length)), value);
          unit.localized.set(language, inner);
        }
      }
    }
  return values;
}

function addEntries(at: Path, value: Json, add: (path: Path, value: Json) => void): void {
  if (!isObject(value) || Object.keys(value).length === 0) add(at, value);
  else for (const [id, entry] of Object.entries(value)) add([...at, id], entry);
}

/** `vCardProps` have no id: they are identified by their content. */
function addProperties(properties: readonly Json[], add: (path: Path, value: Json) => void): void {
  const counts = new Map<string, number>();
  for (const property of properties) {
    const text = JSON.stringify(property);
    const count = counts.get(text) ?? 0;
    counts.set(text, count + 1);
    add(["vCardProps", text, String(count)], property);
  }
}

export function joinCard(units: Iterable<Unit>): JsonObject {
  const card: OpenObject = { "@type": "Card", version: "1.0" };
  const localizations: Record<string, OpenObject> = {};
  const properties: Json[] = [];
  const made = new WeakSet<object>();
  const localizationOf = (language: string): OpenObject => {
    if (!Object.hasOwn(localizations, language)) put(localizations, language, {});
    return localizations[language]!;
  };
  for (const { path, value, localized } of units) {
    const [top, second, third] = path;
    if (top === "vCardProps") properties.push(value);
    else if (top === "localizations" && third !== undefined) put(localizationOf(second!), third, value);
    else if (top === "localizations" && second !== undefined) {
      if (isObject(value)) Object.assign(localizationOf(second), value);
    } else join(card, path, value, made);
    for (const [language, patch] of localized)
      for (const [pointer, inner] of Object.entries(patch))
        put(
          localizationOf(language),
          formatPointer([...path, ...(pointer === "" ? [] : parsePointer(pointer))]),
          inner,
        );
  }
  if (Object.keys(localizations).length > 0) card.localizations = localizations;
  if (properties.length > 0) card.vCardProps = properties;
  return card;
}

/** `made`: the objects that belong only to this card, which may be changed in place. */
function join(object: OpenObject, path: Path, value: Json, made: WeakSet<object>): void {
  const [step, ...rest] = path;
  const before = member(object, step!);
  if (rest.length === 0) {
    put(object, step!, isObject(before) && isObject(value) ? { ...before, ...value } : value);
    return;
  }
  let inner = isObject(before) && made.has(before) ? (before as OpenObject) : undefined;
  if (inner === undefined) {
    inner = isObject(before) ? { ...before } : {};
    made.add(inner);
    put(object, step!, inner);
  }
  join(inner, rest, value, made);
}

/** Whether two units are equal: localizations are compared by the localized values. */
export function isSameUnit(one: Unit | undefined, other: Unit | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  if (!isEqual(one.value, other.value) || one.localized.size !== other.localized.size) return false;
  return [...one.localized.keys()].every((language) =>
    isEqual(localizedValue(one, language), localizedValue(other, language)),
  );
}

/** The unit in another language; undefined if there is no patch, or if one of its pointers has no place. */
export function localizedValue({ value, localized }: Unit, language: string): Json | undefined {
  const patch = localized.get(language);
  if (patch === undefined) return undefined;
  const { value: patched } = { value: undefined, ...applyPatch(value, patch) };
  return patched;
}
