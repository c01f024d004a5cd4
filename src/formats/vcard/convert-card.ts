/** Converts a stored card to the version that a client requests in `address-data` (RFC 6352 section 10.4). Lines that are the same in
 *  both versions keep their octets, groups and order; no property is left out. */
import {
  type Component,
  changeItems,
  changeProperty,
  findProperty,
  makeProperty,
} from "../content-lines/content-line.ts";
import { findVersion } from "./card.ts";
import { escapeText, readStructured, unescapeText } from "./values.ts";
import { toVersion3 } from "./version-3.ts";
import { toVersion4 } from "./version-4.ts";

export function convertCard(card: Component, to: "3.0" | "4.0"): Component {
  const from = findVersion(card) ?? "3.0";
  if (from === to) return card;
  const items = card.items.map((item) => {
    if (item.kind !== "property") return item;
    if (item.name === "VERSION") return changeProperty(item, { value: to });
    const asVersion4 = toVersion4(item, from);
    return to === "4.0" ? asVersion4 : toVersion3(asVersion4);
  });
  const converted = changeItems(card, items);
  return changeItems(converted, [...items, ...requiredProperties(converted, to)]);
}

/** The card with the properties that its version requires: many programs leave out FN or N. */
export function withRequiredProperties(card: Component, version: "3.0" | "4.0"): Component {
  const missing = requiredProperties(card, version);
  return missing.length === 0 ? card : changeItems(card, [...card.items, ...missing]);
}

/** FN is required by both, N by 3.0 (RFC 2426 section 3.1). The name is made from other properties. */
function requiredProperties(card: Component, version: "3.0" | "4.0") {
  return [
    ...(findProperty(card, "FN") === undefined ? [makeProperty("FN", escapeText(displayName(card)))] : []),
    ...(version === "3.0" && findProperty(card, "N") === undefined ? [makeProperty("N", ";;;;")] : []),
  ];
}

/** The display name of a card: the first one present of FN, N, organisation, nickname, address and telephone. */
export function displayName(card: Component): string {
  const firstValue = (name: string) => findProperty(card, name)?.value ?? "";
  const [family = [], given = [], additional = [], prefix = [], suffix = []] = readStructured(
    firstValue("N"),
  );
  const candidates = [
    unescapeText(firstValue("FN")),
    [...prefix, ...given, ...additional, ...family, ...suffix].join(" "),
    ...["ORG", "NICKNAME", "EMAIL", "TEL"].map((name) => readStructured(firstValue(name)).flat().join(" ")),
  ];
  return candidates.map((candidate) => candidate.trim()).find((candidate) => candidate !== "") ?? "";
}
