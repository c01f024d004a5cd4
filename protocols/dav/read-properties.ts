/** DAV:response with the requested properties of a resource (RFC 4918 section 9.1, RFC 8144 section 2.1). */
import type { DeadProperty } from "#/src/collections/collection.ts";
import type { AgentNumber, ItemNumber } from "#/src/model/numbers.ts";
import { errorElement, statusLine } from "./answer.ts";
import type { DavError } from "./dav-error.ts";
import { davErrorOf } from "./errors.ts";
import { propertiesOf } from "./properties/registry.ts";
import type { Property, PropertyQuery, PropertyValue } from "./property.ts";
import type { DavRequest } from "./request.ts";
import type { DavResource, ItemResource } from "./resource.ts";
import type { XmlElement } from "./xml/element.ts";
import { dav, type XmlName, xmlKey } from "./xml/names.ts";
import { element, elementWith, join, textElement, type Xml } from "./xml/write-xml.ts";

/** Elements of properties, by their status. */
interface Outcome {
  readonly found: Xml[];
  readonly missing: Xml[];
  readonly refused: { readonly name: XmlName; readonly error: DavError }[];
}

/** `reportProperties`: what a report has beside the properties of the resource, as CALDAV:calendar-data. */
export async function writeResponse(
  request: DavRequest,
  resource: DavResource,
  query: PropertyQuery,
  reportProperties: readonly Property[] = [],
): Promise<Xml> {
  const outcome: Outcome = { found: [], missing: [], refused: [] };
  const reading = new PropertyReading(request, resource, reportProperties);
  if (query.kind === "named") for (const name of query.names) await reading.add(outcome, name);
  else await reading.addAll(outcome, query);
  return element(dav("response"), textElement(dav("href"), resource.href), writePropstats(outcome, request));
}

function writePropstats({ found, missing, refused }: Outcome, { preferences }: DavRequest): Xml {
  const propstats: Xml[] = [];
  const shownMissing = preferences.isMinimal ? [] : missing;
  // A response must not be empty.
  if (found.length > 0 || (shownMissing.length === 0 && refused.length === 0))
    propstats.push(propstat(found, 200));
  if (shownMissing.length > 0) propstats.push(propstat(shownMissing, 404));
  for (const { name, error } of refused)
    propstats.push(propstat([element(name)], error.status, errorElement(error)));
  return join(propstats);
}

export function propstat(properties: readonly Xml[], status: number, ...more: readonly Xml[]): Xml {
  return element(dav("propstat"), element(dav("prop"), ...properties), statusLine(status), ...more);
}

class PropertyReading {
  readonly #request: DavRequest;
  readonly #resource: DavResource;
  readonly #live: ReadonlyMap<string, Property>;
  readonly #reportProperties: readonly Property[];
  #dead: Promise<readonly DeadProperty[]> | undefined;

  constructor(request: DavRequest, resource: DavResource, reportProperties: readonly Property[]) {
    this.#request = request;
    this.#resource = resource;
    this.#live = propertiesOf(resource.kind);
    this.#reportProperties = reportProperties;
  }

  async add(outcome: Outcome, asked: XmlName | XmlElement): Promise<void> {
    const key = xmlKey(asked);
    const live =
      this.#reportProperties.find(
        (one) => one.on.includes(this.#resource.kind) && xmlKey(one.name) === key,
      ) ?? this.#live.get(key);
    if (live === undefined) {
      const dead = (await this.#listDead()).find((one) => xmlKey(one) === key);
      if (dead === undefined) outcome.missing.push(element({ namespace: asked.namespace, name: asked.name }));
      else outcome.found.push(dead.xml as Xml);
      return;
    }
    try {
      const reading = live.read(this.#resource, this.#request, asked);
      const value = reading instanceof Promise ? await reading : reading;
      if (value === undefined) outcome.missing.push(element(live.name));
      else outcome.found.push(writeValue(live.name, value));
    } catch (error) {
      const refusal = davErrorOf(error);
      if (refusal === undefined) throw error;
      outcome.refused.push({ name: live.name, error: refusal });
    }
  }

  async addAll(outcome: Outcome, query: Exclude<PropertyQuery, { kind: "named" }>): Promise<void> {
    const isNames = query.kind === "names";
    for (const { name, isHidden, read } of this.#live.values()) {
      if (isHidden && !isNames) continue;
      const value = await read(this.#resource, this.#request, name);
      if (value !== undefined) outcome.found.push(isNames ? element(name) : writeValue(name, value));
    }
    for (const { namespace, name, xml } of await this.#listDead())
      outcome.found.push(isNames ? element({ namespace, name }) : (xml as Xml));
    if (query.kind === "all") for (const name of query.include) await this.add(outcome, name);
  }

  #listDead(): Promise<readonly DeadProperty[]> {
    this.#dead ??= listDeadProperties(this.#request, this.#resource);
    return this.#dead;
  }
}

/** The dead properties that the login may read. */
export async function listDeadProperties(
  request: DavRequest,
  resource: DavResource,
): Promise<readonly DeadProperty[]> {
  const { rooms } = request;
  if ("entry" in resource)
    return resource.entry === undefined ? [] : rooms.files.listDeadProperties(resource.entry);
  if (resource.kind === "item") return readOfItem(request, resource);
  if (!("collection" in resource)) return [];
  const { agent, number, rights } = resource.collection;
  return rights.has("read") ? rooms.collections.listDeadProperties(agent, number) : [];
}

/** For each agent in a request, the items with dead properties, so that a listing does not read them for each item. */
const itemsWithDead = new WeakMap<DavRequest, Map<AgentNumber, Promise<ReadonlySet<ItemNumber>>>>();

async function readOfItem(
  request: DavRequest,
  { item, parent }: ItemResource,
): Promise<readonly DeadProperty[]> {
  if (!parent.collection.rights.has("read")) return [];
  const { collections } = request.rooms;
  const { agent, number } = item;
  const known = itemsWithDead.get(request) ?? new Map<AgentNumber, Promise<ReadonlySet<ItemNumber>>>();
  itemsWithDead.set(request, known);
  const items = known.get(agent) ?? collections.listItemsWithDeadProperties(agent);
  known.set(agent, items);
  return (await items).has(number) ? collections.listItemDeadProperties(agent, number) : [];
}

function writeValue(name: XmlName, value: PropertyValue): Xml {
  return typeof value === "string"
    ? element(name, value)
    : elementWith(name, value.attributes, value.content);
}
