/** A contact in a listing: its name, and its mail addresses and telephone numbers. */
import { namesAnother } from "#/src/evidence/shown-address.ts";
import { type Component, findProperty } from "#/src/formats/content-lines/content-line.ts";
import { propertiesOf } from "#/src/formats/vcard/card.ts";
import { displayName } from "#/src/formats/vcard/convert-card.ts";
import { isGroup } from "#/src/formats/vcard/group-members.ts";
import { readTextComponents, unescapeText } from "#/src/formats/vcard/values.ts";
import { cleanLine } from "../clean-text.ts";
import type { RemovalTally } from "../removal.ts";

export interface ContactForm {
  readonly kind: "individual" | "group" | "org";
  readonly name: string;
  readonly emails: readonly string[];
  readonly phones: readonly string[];
  readonly organization?: string;
}

/** Addresses and telephones of each kind that a line has. */
const shownMax = 5;
const nameCharactersMax = 200;

export function contactForm(card: Component, tally: RemovalTally): ContactForm {
  const line = (text: string, where: string): string => cleanLine(text, where, tally, nameCharactersMax);
  const values = (name: string, where: string, scheme: RegExp): string[] =>
    propertiesOf(card)
      .filter((property) => property.name === name)
      .slice(0, shownMax)
      .map(({ value }) => line(unescapeText(value).replace(scheme, ""), where))
      .filter((text) => text !== "");
  const name = line(displayName(card), "name");
  const emails = values("EMAIL", "emails", /^mailto:/i);
  if (isNamedAsAnother(name, emails)) tally.add("name-is-address", "name");
  const organization = findProperty(card, "ORG");
  const organizationName =
    organization === undefined
      ? ""
      : line(readTextComponents(organization.value).join(", "), "organizations");
  return {
    kind: kindOf(card),
    name,
    emails,
    phones: values("TEL", "phones", /^tel:/i),
    ...(organizationName === "" ? {} : { organization: organizationName }),
  };
}

function kindOf(card: Component): ContactForm["kind"] {
  if (isGroup(card)) return "group";
  return findProperty(card, "KIND")?.value.trim().toLowerCase() === "org" ? "org" : "individual";
}

/** Whether it is called by an address that is none of its own. */
export function isNamedAsAnother(name: string, emails: readonly string[]): boolean {
  return (emails.length === 0 ? [""] : emails).every((email) => namesAnother(name, email));
}
