/** State of reading one VEVENT or VTODO: its lines by name, which lines have been read, and the units so far. */
import { createHash } from "node:crypto";
import type { Component, Item, Property } from "../content-lines/content-line.ts";
import { formatPointer, isId, type Json } from "../jscontact/json.ts";
import type { ZoneNames } from "./zone-names.ts";

export interface Line<T extends Item = Property> {
  /** Index in the items of the component. */
  readonly index: number;
  readonly item: T;
}

export interface Reading {
  readonly component: Component;
  readonly zones: ZoneNames;
  readonly isTask: boolean;
  readonly properties: ReadonlyMap<string, readonly Line[]>;
  readonly components: ReadonlyMap<string, readonly Line<Component>[]>;
  readonly taken: Set<number>;
  readonly units: Map<string, Json>;
  /** The lines of a unit. */
  readonly lines: Map<string, number[]>;
  readonly ids: EntryIds;
}

export function startReading(component: Component, zones: ZoneNames): Reading {
  const properties = new Map<string, Line[]>();
  const components = new Map<string, Line<Component>[]>();
  for (const [index, item] of component.items.entries()) {
    if (item.kind === "property") append(properties, item.name, { index, item });
    else if (item.kind === "component") append(components, item.name, { index, item });
  }
  return {
    component,
    zones,
    isTask: component.name === "VTODO",
    properties,
    components,
    taken: new Set(),
    units: new Map(),
    lines: new Map(),
    ids: createIds(),
  };
}

function append<T>(map: Map<string, T[]>, key: string, value: T): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, [value]);
  else values.push(value);
}

export function linesOf({ properties }: Reading, name: string): readonly Line[] {
  return properties.get(name) ?? [];
}

/** Adds a unit and the lines that express it. */
export function addUnit(
  reading: Reading,
  path: readonly string[],
  value: Json,
  lines: readonly Line<Item>[],
): void {
  const key = formatPointer(path);
  reading.units.set(key, value);
  takeLines(reading, key, lines);
}

/** Adds lines that change together with a unit although they do not express it. */
export function takeLines(reading: Reading, key: string, lines: readonly Line<Item>[]): void {
  const indexes = reading.lines.get(key) ?? [];
  for (const { index } of lines) {
    indexes.push(index);
    reading.taken.add(index);
  }
  reading.lines.set(key, indexes);
}

export interface EntryIds {
  /** `given` is the JSID of the line, if it has one; `key` the text that distinguishes the entry from others. */
  assign(collection: string, given: string | undefined, key: string): string;
}

function createIds(): EntryIds {
  const used = new Set<string>();
  const counts = new Map<string, number>();
  const take = (collection: string, id: string) => {
    const isFree = !used.has(`${collection}/${id}`);
    if (isFree) used.add(`${collection}/${id}`);
    return isFree;
  };
  return {
    assign(collection, given, key) {
      if (given !== undefined && isId(given) && take(collection, given)) return given;
      const id = idOfKey(key);
      if (take(collection, id)) return id;
      for (let count = (counts.get(`${collection}/${id}`) ?? 1) + 1; ; count++) {
        counts.set(`${collection}/${id}`, count);
        if (take(collection, `${id}-${count}`)) return `${id}-${count}`;
      }
    },
  };
}

/** Deterministic, so that the id need not be stored in the text. */
export function idOfKey(key: string): string {
  return createHash("sha256").update(key).digest("hex").slice(0, 10);
}
