import type { Property } from "../property.ts";
import type { ResourceKind } from "../resource.ts";
import { type XmlName, xmlKey } from "../xml/names.ts";
import { accessProperties } from "./access.ts";
import { appleProperties } from "./apple.ts";
import { caldavProperties } from "./caldav.ts";
import { carddavProperties } from "./carddav.ts";
import { collectionProperties } from "./collections.ts";
import { pushProperties } from "./push.ts";
import { schedulingProperties } from "./scheduling.ts";
import { webdavProperties } from "./webdav.ts";

/** Every live property. One name can have a declaration for each kind of resource. */
export const properties: readonly Property[] = [
  ...webdavProperties,
  ...accessProperties,
  ...collectionProperties,
  ...caldavProperties,
  ...schedulingProperties,
  ...carddavProperties,
  ...appleProperties,
  ...pushProperties,
];

const byKind = new Map<ResourceKind, Map<string, Property>>();
for (const one of properties)
  for (const kind of one.on) {
    const known = byKind.get(kind) ?? new Map<string, Property>();
    byKind.set(kind, known.set(xmlKey(one.name), one));
  }

const names = new Set(properties.map(({ name }) => xmlKey(name)));
const none: ReadonlyMap<string, Property> = new Map();

export function propertiesOf(kind: ResourceKind): ReadonlyMap<string, Property> {
  return byKind.get(kind) ?? none;
}

/** Whether a name is that of a live property on any kind of resource. Such a name is never a dead property. */
export function isLive(name: XmlName): boolean {
  return names.has(xmlKey(name));
}
