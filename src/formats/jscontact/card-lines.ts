/** The lines of a stored card in version 4.0, their groups and their labels. */
import { type Component, changeProperty, type Property } from "../content-lines/content-line.ts";
import { findVersion } from "../vcard/card.ts";
import { escapeText, readTextList } from "../vcard/values.ts";
import { toVersion4 } from "../vcard/version-4.ts";
import type { Line } from "./alternatives.ts";
import { entryKindByName } from "./entry-kinds.ts";

export function linesOf(card: Component): Line[] {
  const version = findVersion(card) ?? "3.0";
  return card.items.flatMap((item, index) => {
    if (item.kind !== "property" || item.name === "VERSION") return [];
    const property = withoutControls(toVersion4(item, version));
    if (property.name !== "NICKNAME") return [{ index, property }];
    // RFC 9555 section 2.5: each nickname of a list is an entry.
    return readTextList(property.value).map((value, at) => ({
      index,
      property: changeProperty(property, {
        value: escapeText(value),
        parameters:
          at === 0 ? property.parameters : property.parameters.filter(({ name }) => name !== "PROP-ID"),
      }),
    }));
  });
}

/** A value has no control characters (RFC 6350 section 3.3); in a file with CR CR LF each value ends in a CR. */
function withoutControls(property: Property): Property {
  const value = property.value.replaceAll(controls, "");
  return value === property.value ? property : changeProperty(property, { value });
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const controls = /[\0-\x08\x0a-\x1f\x7f]/g;

export function groupKey({ property }: Line): string {
  return property.group?.toLowerCase() ?? "";
}

export interface Labels {
  /** The X-ABLabel of each group. */
  readonly labels: ReadonlyMap<string, Line>;
  /** The first line of each group that can have a label. */
  readonly labelled: ReadonlyMap<string, Line>;
}

/** Apple's labels: one for each group. It belongs to the first line of the group that can have a label (RFC 9555 section 2.11.11). */
export function findLabels(lines: readonly Line[]): Labels {
  const labelled = new Map<string, Line>();
  for (const line of lines) {
    const group = groupKey(line);
    if (group !== "" && !labelled.has(group) && isLabelled(line.property)) labelled.set(group, line);
  }
  const labels = new Map<string, Line>();
  for (const line of lines) {
    const group = groupKey(line);
    if (line.property.name === "X-ABLABEL" && labelled.has(group) && !labels.has(group))
      labels.set(group, line);
  }
  return { labels, labelled };
}

function isLabelled({ name }: Property): boolean {
  const kind = entryKindByName.get(name);
  return kind !== undefined && labelledCollections.has(kind.collection);
}

/** Collections whose entries have a `label` (RFC 9553 section 1.5). */
export const labelledCollections: ReadonlySet<string> = new Set([
  "addresses",
  "calendars",
  "cryptoKeys",
  "directories",
  "emails",
  "links",
  "media",
  "onlineServices",
  "phones",
  "schedulingAddresses",
  "personalInfo",
]);

export function countGroups(lines: readonly Line[]): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>();
  const seen = new Set<number>();
  for (const line of lines) {
    if (seen.has(line.index)) continue;
    seen.add(line.index);
    sizes.set(groupKey(line), (sizes.get(groupKey(line)) ?? 0) + 1);
  }
  return sizes;
}
