/** ATTACH properties of managed attachments (RFC 8607 section 4). */
import {
  type Component,
  changeItems,
  changeProperty,
  type Item,
  listComponents,
  listProperties,
  parameterValue,
} from "../content-lines/content-line.ts";
import { readContentLines } from "../content-lines/read-content-lines.ts";
import { findsLetters } from "../content-lines/unfold.ts";
import { writeContentLines } from "../content-lines/write-content-lines.ts";

/** The MANAGED-IDs, each once, in the order of the components. */
export function listManagedIds(components: readonly Component[]): readonly string[] {
  const found = new Set<string>();
  for (const component of components)
    for (const property of listProperties(component, "ATTACH")) {
      const managedId = parameterValue(property, "MANAGED-ID");
      if (managedId !== undefined && managedId !== "") found.add(managedId);
    }
  return [...found];
}

/** The MANAGED-IDs of a whole text. */
export function listManagedIdsOf(bytes: Uint8Array): readonly string[] {
  if (!hasManagedIds(bytes)) return [];
  return listManagedIds(
    listComponents(readContentLines(bytes)).flatMap((calendar) => listComponents(calendar)),
  );
}

/** Whether the letters "MANAGED-ID" occur anywhere in a text. */
export const hasManagedIds = findsLetters("MANAGED-ID");

/** The text without each ATTACH that has one of these MANAGED-IDs. */
export function withoutAttachments(bytes: Uint8Array, managedIds: ReadonlySet<string>): Uint8Array {
  if (managedIds.size === 0) return bytes;
  const isOther = (item: Item): boolean =>
    item.kind !== "property" ||
    item.name !== "ATTACH" ||
    !managedIds.has(parameterValue(item, "MANAGED-ID") ?? "");
  const without = (item: Item): Item =>
    item.kind === "component" ? changeItems(item, item.items.filter(isOther).map(without)) : item;
  return writeContentLines({ items: readContentLines(bytes).items.map(without) });
}

/** The text for other servers, which do not have the attachments and refuse a MANAGED-ID that they did not assign. */
export function withoutManagedIds(bytes: Uint8Array): Uint8Array {
  if (!hasManagedIds(bytes)) return bytes;
  const { items } = readContentLines(bytes);
  return writeContentLines({ items: items.map(withoutIds) });
}

function withoutIds(item: Item): Item {
  if (item.kind === "component") return changeItems(item, item.items.map(withoutIds));
  if (item.kind !== "property" || item.name !== "ATTACH") return item;
  const parameters = item.parameters.filter(({ name }) => name !== "MANAGED-ID");
  return parameters.length === item.parameters.length ? item : changeProperty(item, { parameters });
}
