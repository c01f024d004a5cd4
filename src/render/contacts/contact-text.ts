/** A contact as text: one line for each property. A value of several lines is indented, so that no part of it looks like another
 *  property. */
import { isArray, isObject, type Json, type JsonObject, member } from "#/src/formats/jscontact/json.ts";
import { escapeOwnLines } from "#/src/formats/text/own-lines.ts";
import type { LinkedValue } from "../shown-object.ts";

/** `card`: as it is shown, with links. */
export function contactText(card: JsonObject, linked: readonly LinkedValue[]): string {
  const lines = [nameOf(card)];
  const add = (label: string, text: string): void => {
    if (text !== "") lines.push(`${label}: ${text.trim().replaceAll("\n", "\n  ")}`);
  };
  for (const nickname of entriesOf(card, "nicknames")) add("Nickname", textOf(nickname, "name"));
  for (const organization of entriesOf(card, "organizations"))
    add("Organization", organizationOf(organization));
  for (const title of entriesOf(card, "titles"))
    add(textOf(title, "kind") === "role" ? "Role" : "Title", textOf(title, "name"));
  for (const email of entriesOf(card, "emails")) add("Email", withMarks(email, textOf(email, "address")));
  for (const phone of entriesOf(card, "phones"))
    add("Phone", withMarks(phone, textOf(phone, "number").replace(/^tel:/i, "")));
  for (const address of entriesOf(card, "addresses")) add("Address", withMarks(address, placeOf(address)));
  for (const service of entriesOf(card, "onlineServices"))
    add(textOf(service, "service") || "Online", textOf(service, "uri") || textOf(service, "user"));
  for (const anniversary of entriesOf(card, "anniversaries"))
    add(capital(textOf(anniversary, "kind")) || "Anniversary", dateOf(member(anniversary, "date")));
  for (const name of ["links", "calendars", "directories", "cryptoKeys", "media"])
    for (const [id, resource] of Object.entries(objectAt(card, name)))
      if (isObject(resource)) add(resourceLabels[name]!(resource), resourceOf(`${name}/${id}`, resource));
  add("Keywords", Object.keys(objectAt(card, "keywords")).join(", "));
  const members = Object.keys(objectAt(card, "members"));
  if (members.length > 0) add("Members", String(members.length));
  for (const note of entriesOf(card, "notes")) add("Note", textOf(note, "note"));
  return escapeOwnLines(lines.join("\n"));

  function resourceOf(part: string, resource: JsonObject): string {
    const behind = linked.find((one) => one.part === `${part}/uri`);
    if (behind === undefined) return textOf(resource, "uri");
    return `${behind.type ?? "text"}, ${behind.size} octets, part ${behind.part}`;
  }
}

const resourceLabels: Readonly<Record<string, (resource: JsonObject) => string>> = {
  links: () => "Link",
  calendars: () => "Calendar",
  directories: () => "Directory",
  cryptoKeys: () => "Key",
  media: (resource) => capital(textOf(resource, "kind")) || "Media",
};

/** What a person would call it. */
export function nameOf(card: JsonObject): string {
  const name = objectAt(card, "name");
  const organization = entriesOf(card, "organizations")[0];
  return (
    oneLine(textOf(name, "full")) ||
    oneLine(joinedComponents(name, " ")) ||
    oneLine(organization === undefined ? "" : organizationOf(organization)) ||
    oneLine(textOf(entriesOf(card, "nicknames")[0] ?? {}, "name")) ||
    oneLine(textOf(entriesOf(card, "emails")[0] ?? {}, "address")) ||
    "(no name)"
  );
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

function organizationOf(organization: JsonObject): string {
  const units = member(organization, "units");
  const names = isArray(units) ? units.map((unit) => (isObject(unit) ? textOf(unit, "name") : "")) : [];
  return [textOf(organization, "name"), ...names].filter((name) => name !== "").join(", ");
}

function placeOf(address: JsonObject): string {
  return textOf(address, "full") || joinedComponents(address, ", ");
}

function joinedComponents(value: JsonObject, separator: string): string {
  const components = member(value, "components");
  if (!isArray(components)) return "";
  return components
    .filter(isObject)
    .filter((component) => textOf(component, "kind") !== "separator")
    .map((component) => textOf(component, "value"))
    .filter((text) => text !== "")
    .join(separator);
}

/** With its contexts, features and label. */
function withMarks(entry: JsonObject, text: string): string {
  if (text === "") return "";
  const marks = [
    ...Object.keys(objectAt(entry, "features")),
    ...Object.keys(objectAt(entry, "contexts")),
    textOf(entry, "label"),
  ].filter((mark) => mark !== "");
  return marks.length === 0 ? text : `${text} (${marks.join(", ")})`;
}

function dateOf(date: Json | undefined): string {
  if (!isObject(date)) return "";
  const utc = textOf(date, "utc");
  if (utc !== "") return utc;
  const [year, month, day] = ["year", "month", "day"].map((name) => member(date, name));
  const digits = (value: Json | undefined, length: number): string =>
    typeof value === "number" ? String(value).padStart(length, "0") : "-";
  return `${digits(year, 4)}-${digits(month, 2)}-${digits(day, 2)}`;
}

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

function entriesOf(card: JsonObject, name: string): JsonObject[] {
  return Object.values(objectAt(card, name)).filter(isObject);
}

function objectAt(value: JsonObject, name: string): JsonObject {
  const inner = member(value, name);
  return isObject(inner) ? inner : {};
}

function textOf(value: JsonObject, name: string): string {
  const inner = member(value, name);
  return typeof inner === "string" ? inner : "";
}
