/** The lines of one unit of a Card, with its label, its group and its lines in other languages (RFC 9555 section 3). */
import {
  type Component,
  makeProperty,
  type Property,
  parameterValue,
} from "../content-lines/content-line.ts";
import { propertiesOf, withoutParameters } from "../vcard/card.ts";
import { displayName } from "../vcard/convert-card.ts";
import { escapeText } from "../vcard/values.ts";
import { labelledCollections } from "./card-lines.ts";
import { writeCardProperty } from "./card-properties.ts";
import { writeEntry } from "./entries.ts";
import { type EntryKind, entryKindByName, entryKinds } from "./entry-kinds.ts";
import { isObject, type Json, type JsonObject, member, type Path } from "./json.ts";
import { groupOf } from "./parameters.ts";
import { localizedValue, type ReadUnit, type Unit } from "./unit.ts";
import { isDerived, writeAnniversary, writeKeywords, writeName, writeSingle } from "./whole-kinds.ts";

export interface UnitWriter {
  unitLines(unit: Unit, old: ReadUnit | undefined): Property[];
  nameLines(name: Json | undefined): Property[];
}

export function createUnitWriter(component: Component, wanted: ReadonlyMap<string, Unit>): UnitWriter {
  const properties = propertiesOf(component);
  const groups = new Set(properties.map(({ group }) => group?.toLowerCase()));
  for (const { value } of wanted.values()) groups.add(groupOf(value)?.toLowerCase());
  const sharing = new Map<string, number>();
  for (const { path, value } of wanted.values()) {
    const group = labelledCollections.has(path[0]!) ? groupOf(value)?.toLowerCase() : undefined;
    if (group !== undefined) sharing.set(group, (sharing.get(group) ?? 0) + 1);
  }
  const alternatives = new Set(properties.map((property) => parameterValue(property, "ALTID")));
  const otherwise = nameOtherwise(component, wanted);
  const nameLines = (name: Json | undefined) => writeName(name, otherwise);

  function mainLines(path: Path, value: Json, group: string | undefined): Property[] {
    const [top, second] = path;
    if (top === "name") return nameLines(value);
    if (top === "keywords") return writeKeywords(value);
    if (top === "vCardProps") return writeCardProperty(value);
    const collection = path.slice(0, -1).join("/");
    if (collection === "anniversaries") return withGroup(writeAnniversary(second!, value), group);
    const kind = kindOf(collection, value);
    if (kind === undefined) return path.length === 1 ? writeSingle(top!, value) : [];
    const label = isObject(value) && labelledCollections.has(collection) ? member(value, "label") : undefined;
    const lines = writeEntry(kind, path.at(-1)!, value);
    if (typeof label === "string" && lines.length > 0 && !isShared(group))
      lines.push(makeProperty("X-ABLabel", escapeText(label)));
    return withGroup(lines, group);
  }

  /** Whether the group has other lines: a label would belong to the first line of the group. */
  function isShared(group: string | undefined): boolean {
    return group !== undefined && (sharing.get(group.toLowerCase()) ?? 0) > 1;
  }

  function groupFor({ path, value }: Unit, old: ReadUnit | undefined): string | undefined {
    const given = groupOf(value);
    if (given !== undefined || !isObject(value) || !labelledCollections.has(path[0]!)) return given;
    if (typeof member(value, "label") !== "string") return undefined;
    const before = [...(old?.lines ?? [])]
      .map((index) => component.items[index])
      .find((item) => item?.kind === "property" && item.group !== undefined);
    const isLabelled = isObject(old?.value) && member(old.value, "label") !== undefined;
    if (isLabelled && before?.kind === "property") return before.group;
    return numbered(groups, (number) => `item${number}`);
  }

  return {
    nameLines,
    unitLines(unit, old) {
      const { path, value, localized } = unit;
      const group = groupFor(unit, old);
      const lines = mainLines(path, value, group);
      const inLanguages = [...localized.keys()].flatMap((language) => {
        const other = localizedValue(unit, language);
        return other === undefined
          ? []
          : linesThatDiffer(mainLines(path, other, group), lines).map((line) => ({
              ...line,
              parameters: [
                ...withoutParameters(line.parameters, "LANGUAGE", "ALTID"),
                { name: "LANGUAGE", values: [language] },
              ],
            }));
      });
      const isPhonetic = lines.some((line) => parameterValue(line, "PHONETIC") !== undefined);
      if (inLanguages.length === 0 && !isPhonetic) return lines;
      const alternative = alternativeOf(component, old) ?? numbered(alternatives, String);
      return [...lines, ...inLanguages].map((line) => {
        const isAlternative =
          parameterValue(line, "ALTID") === undefined &&
          (inLanguages.some(({ name }) => name === line.name) ||
            (isPhonetic && line.name !== "FN" && line.name !== "X-ABLABEL"));
        return isAlternative
          ? { ...line, parameters: [...line.parameters, { name: "ALTID", values: [alternative] }] }
          : line;
      });
    },
  };
}

function withGroup(lines: readonly Property[], group: string | undefined): Property[] {
  return lines.map((line) => (group === undefined ? line : { ...line, group }));
}

function numbered(used: Set<string | undefined>, name: (number: number) => string): string {
  for (let number = 1; ; number++) {
    const candidate = name(number);
    if (used.has(candidate)) continue;
    used.add(candidate);
    return candidate;
  }
}

function alternativeOf(component: Component, old: ReadUnit | undefined): string | undefined {
  for (const index of old?.lines ?? []) {
    const item = component.items[index];
    const alternative = item?.kind === "property" ? parameterValue(item, "ALTID") : undefined;
    if (alternative !== undefined) return alternative;
  }
  return undefined;
}

/** Lines that are the same in the other language are not repeated, and a derived FN is not written. */
function linesThatDiffer(lines: readonly Property[], mains: readonly Property[]): Property[] {
  const isKnown = (line: Property) => mains.some((main) => main.name === line.name);
  const textOf = ({ name, value, parameters }: Property) => JSON.stringify([name, value, parameters]);
  const known = new Set(mains.map(textOf));
  return lines.filter(
    (line) => isKnown(line) && !known.has(textOf(line)) && !isDerived(line) && line.name !== "X-ABLABEL",
  );
}

/** The vCard property for an entry: chosen by its `kind` and its members. */
function kindOf(collection: string, value: Json): EntryKind | undefined {
  const kinds = entryKinds.filter((kind) => kind.collection === collection);
  if (!isObject(value)) return kinds[0];
  if (collection === "onlineServices")
    return entryKindByName.get(member(value, "vCardName") === "impp" ? "IMPP" : "SOCIALPROFILE");
  if (collection === "addresses") return entryKindByName.get(addressName(value));
  const wanted = member(value, "kind");
  return (
    kinds.find(({ kind }) => kind === wanted) ?? kinds.find(({ kind }) => kind === undefined) ?? kinds[0]
  );
}

function addressName(value: JsonObject): "ADR" | "GEO" | "TZ" {
  const has = (field: string) => member(value, field) !== undefined;
  if (["components", "full", "countryCode"].some(has)) return "ADR";
  if (has("coordinates")) return has("timeZone") ? "ADR" : "GEO";
  return has("timeZone") ? "TZ" : "ADR";
}

/** The FN of a card without a name. */
function nameOtherwise(component: Component, wanted: ReadonlyMap<string, Unit>): string {
  for (const [collection, field] of [
    ["organizations", "name"],
    ["nicknames", "name"],
    ["emails", "address"],
    ["phones", "number"],
  ] as const)
    for (const { path, value } of wanted.values()) {
      const text = path[0] === collection && isObject(value) ? member(value, field) : undefined;
      if (typeof text === "string" && text.trim() !== "") return text;
    }
  return displayName(component);
}
