/** Changes of properties by PROPPATCH, extended MKCOL or MKCALENDAR: all of them are checked before anything is written. */
import type { DeadProperty } from "#/src/collections/collection.ts";
import { davPropertiesMax } from "#/src/model/limits.ts";
import { errorElement } from "./answer.ts";
import { DavError, unmet } from "./dav-error.ts";
import { isLive, propertiesOf } from "./properties/registry.ts";
import type { WrittenProperties } from "./property.ts";
import { propstat } from "./read-properties.ts";
import type { ResourceKind } from "./resource.ts";
import { findChild, languageOf, type XmlElement } from "./xml/element.ts";
import { caldav, dav, isNamed, type XmlName, xmlKey } from "./xml/names.ts";
import { element, join, writeElement, type Xml } from "./xml/write-xml.ts";

export interface PropertyChanges {
  readonly properties: Partial<WrittenProperties>;
  readonly setDead: readonly DeadProperty[];
  readonly removeDead: readonly XmlName[];
  /** Every named property, in order; `error` if it cannot be changed. */
  readonly named: readonly { readonly name: XmlName; readonly error: DavError | undefined }[];
  readonly isPossible: boolean;
}

const setName = dav("set");
const removeName = dav("remove");
/** Can be set only when the collection is created. */
const atCreation = caldav("supported-calendar-component-set");

/** `body`: DAV:propertyupdate, DAV:mkcol or CALDAV:mkcalendar. Their order counts (section 9.2). */
export function collectChanges(
  body: XmlElement,
  kind: ResourceKind,
  purpose: "create" | "change",
): PropertyChanges {
  let properties: Partial<WrittenProperties> = {};
  const dead = new Map<string, DeadProperty | XmlName>();
  const named: { name: XmlName; error: DavError | undefined }[] = [];
  const change = (name: XmlName, value: XmlElement | undefined, language: string | undefined): void => {
    const live = propertiesOf(kind).get(xmlKey(name));
    if (live?.write !== undefined && (purpose === "create" || !isNamed(name, atCreation)))
      properties = { ...properties, ...live.write(value) };
    else if (live !== undefined || isLive(name)) throw protectedProperty();
    else if (!holdsDead.has(kind)) throw new DavError(403, "This resource keeps no properties of clients.");
    else dead.set(xmlKey(name), value === undefined ? name : deadProperty(value, language));
  };
  for (const instruction of body.children) {
    const isSet = isNamed(instruction, setName);
    if (!isSet && !isNamed(instruction, removeName)) continue;
    const prop = findChild(instruction, dav("prop"));
    const language = (prop && languageOf(prop)) ?? languageOf(instruction) ?? languageOf(body);
    for (const child of prop?.children ?? []) {
      if (named.length === davPropertiesMax)
        throw new DavError(400, `More than ${davPropertiesMax} properties are changed.`);
      const name = { namespace: child.namespace, name: child.name };
      try {
        if (purpose !== "create" || !isNamed(name, dav("resourcetype")))
          change(name, isSet ? child : undefined, language);
        named.push({ name, error: undefined });
      } catch (error) {
        if (!(error instanceof DavError)) throw error;
        named.push({ name, error });
      }
    }
  }
  return {
    properties,
    setDead: [...dead.values()].filter((one) => "xml" in one),
    removeDead: [...dead.values()].filter((one) => !("xml" in one)),
    named,
    isPossible: named.every(({ error }) => error === undefined),
  };
}

/** The changes with one property refused, which refuses all of them. */
export function refuseChange(changes: PropertyChanges, refused: XmlName, error: DavError): PropertyChanges {
  const named = changes.named.map((one) =>
    xmlKey(one.name) === xmlKey(refused) ? { name: one.name, error } : one,
  );
  return { ...changes, named, isPossible: false };
}

/** DAV:propstat elements: all 200, or each error and 424 for the rest. */
export function writeOutcome({ named, isPossible }: PropertyChanges): Xml {
  if (isPossible)
    return propstat(
      named.map(({ name }) => element(name)),
      200,
    );
  const failed = named.flatMap(({ name, error }) =>
    error === undefined ? [] : [propstat([element(name)], error.status, errorElement(error))],
  );
  const others = named.filter(({ error }) => error === undefined).map(({ name }) => element(name));
  return join([...failed, ...(others.length === 0 ? [] : [propstat(others, 424)])]);
}

const holdsDead: ReadonlySet<ResourceKind> = new Set([
  "calendar",
  "addressbook",
  "inbox",
  "item",
  "folder",
  "file",
]);

/** `xml:lang` in scope belongs to the value (RFC 4918 section 4.3). */
function deadProperty(value: XmlElement, language: string | undefined): DeadProperty {
  const { namespace, name } = value;
  return { namespace, name, xml: writeElement(value, language) };
}

function protectedProperty(): DavError {
  return unmet(403, dav("cannot-modify-protected-property"), "The property is protected.");
}
