/** The declaration of a property, and the properties that a request names (RFC 4918 section 9.1 and 14.18). */
import type { CollectionProperties } from "#/src/collections/collection.ts";
import { davPropertiesMax } from "#/src/model/limits.ts";
import { DavError } from "./dav-error.ts";
import type { DavRequest } from "./request.ts";
import type { DavResource, ResourceKind, ResourceOf } from "./resource.ts";
import { findChild, listChildren, type XmlElement } from "./xml/element.ts";
import { dav, type XmlName, xmlKey } from "./xml/names.ts";
import type { Xml, XmlAttributes } from "./xml/write-xml.ts";

/** Values that PROPPATCH sets. */
export interface WrittenProperties extends CollectionProperties {
  /** CALDAV:schedule-default-calendar-URL, as the client wrote it. */
  readonly defaultCalendarHref: string;
}

/** The content of the property's element. */
export type PropertyValue = Xml | { readonly attributes: XmlAttributes; readonly content: Xml };

export interface Property {
  readonly name: XmlName;
  readonly on: readonly ResourceKind[];
  /** Left out of allprop, because it is expensive or its standard says so. */
  readonly isHidden: boolean;
  /** undefined: the resource does not have it. `asked` is the element of the request, which can hold more than a name. */
  read(
    resource: DavResource,
    request: DavRequest,
    asked: XmlName | XmlElement,
  ): PropertyValue | undefined | Promise<PropertyValue | undefined>;
  /** Converts the value of PROPPATCH, MKCOL and MKCALENDAR; if absent, the property is protected. `undefined`: it is removed. Throws a
   *  `DavError` for an invalid value. */
  readonly write: ((value: XmlElement | undefined) => Partial<WrittenProperties>) | undefined;
}

interface PropertyDeclaration<K extends ResourceKind> {
  readonly name: XmlName;
  readonly on: readonly K[];
  readonly isHidden?: boolean;
  read(
    resource: ResourceOf<K>,
    request: DavRequest,
    asked: XmlName | XmlElement,
  ): PropertyValue | undefined | Promise<PropertyValue | undefined>;
  write?(value: XmlElement | undefined): Partial<WrittenProperties>;
}

/** Types a declaration by the kinds of resources that it is on. */
export function property<const K extends ResourceKind>(declaration: PropertyDeclaration<K>): Property {
  const { name, on, isHidden = false, write } = declaration;
  // The caller reads the property only on resources of the kinds in `on`.
  return { name, on, isHidden, write, read: declaration.read as Property["read"] };
}

/** Which properties a PROPFIND or a report answers. */
export type PropertyQuery =
  | { readonly kind: "named"; readonly names: readonly XmlElement[] }
  | { readonly kind: "all"; readonly include: readonly XmlElement[] }
  | { readonly kind: "names" };

/** The DAV:prop, DAV:allprop or DAV:propname of a request's body; none of them is `undefined`. */
export function readPropertyQuery(body: XmlElement): PropertyQuery | undefined {
  const [named, ...others] = listChildren(body, dav("prop"));
  if (others.length > 0) throw new DavError(400, "A request has one DAV:prop.");
  const isAll = findChild(body, dav("allprop")) !== undefined;
  const isNames = findChild(body, dav("propname")) !== undefined;
  if (Number(named !== undefined) + Number(isAll) + Number(isNames) > 1)
    throw new DavError(400, "One of DAV:prop, DAV:allprop and DAV:propname stands in a request.");
  const include = findChild(body, dav("include"))?.children ?? [];
  if (Math.max(named?.children.length ?? 0, include.length) > davPropertiesMax)
    throw new DavError(400, `More than ${davPropertiesMax} properties are asked for.`);
  if (named !== undefined) return { kind: "named", names: eachOnce(named.children) };
  if (isAll) return { kind: "all", include: eachOnce(include) };
  return isNames ? { kind: "names" } : undefined;
}

/** A property that is asked for twice is answered once: it may be as large as an item. */
export function eachOnce(names: readonly XmlElement[]): readonly XmlElement[] {
  const first = new Map<string, XmlElement>();
  for (const name of names) if (!first.has(xmlKey(name))) first.set(xmlKey(name), name);
  return [...first.values()];
}
