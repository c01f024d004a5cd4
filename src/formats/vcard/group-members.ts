/** Groups of contacts: KIND:group with MEMBER (RFC 6350 section 6.1.4 and 6.6.5), and Apple's X-ADDRESSBOOKSERVER-KIND with
 *  X-ADDRESSBOOKSERVER-MEMBER, which cards of 3.0 and some of 4.0 carry. */
import type { Component } from "../content-lines/content-line.ts";
import { propertiesOf } from "./card.ts";

const kindNames = new Set(["KIND", "X-ADDRESSBOOKSERVER-KIND"]);
const memberNames = new Set(["MEMBER", "X-ADDRESSBOOKSERVER-MEMBER"]);

export function isGroup(card: Component): boolean {
  return propertiesOf(card).some(
    ({ name, value }) => kindNames.has(name) && value.trim().toLowerCase() === "group",
  );
}

/** The URIs of the members (`urn:uuid:…`, `mailto:…`) in their order, each once. */
export function listMembers(card: Component): string[] {
  const uris = propertiesOf(card)
    .filter(({ name }) => memberNames.has(name))
    .map(({ value }) => value.trim());
  return [...new Set(uris)];
}
