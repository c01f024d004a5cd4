/** Managed attachments in the text of a calendar object (RFC 8607 sections 3.4 to 3.6): ATTACH is added, replaced or removed in
 *  the series and in the instances that a client names. An instance without an override gets one. */
import {
  type Component,
  changeItems,
  findProperty,
  type Item,
  makeProperty,
  type Property,
  parameterValue,
} from "#/src/formats/content-lines/content-line.ts";
import { parseCalendarTime, utcTzid } from "#/src/formats/icalendar/calendar-time.ts";
import { attachmentInstancesMax } from "#/src/model/limits.ts";
import { hasInstance, makeOverride, mapComponents } from "./instances.ts";
import { type InstanceKey, readSchedulingObject, type SchedulingObject } from "./scheduling-object.ts";

export interface AttachmentFacts {
  readonly managedId: string;
  readonly url: string;
  /** Media type. FMTTYPE has it without parameters. */
  readonly type: string;
  readonly name: string;
  /** Octets. */
  readonly size: number;
}

/** `instances`: `M` is the series, the other values are times; undefined: the series and all overrides. */
export type AttachmentEdit =
  | {
      readonly kind: "add";
      readonly attachment: AttachmentFacts;
      readonly instances?: readonly string[] | undefined;
      /** One instance by its time on the clock of the series, `2026-03-02T10:00:00`. */
      readonly localInstance?: string;
    }
  | { readonly kind: "update"; readonly managedId: string; readonly attachment: AttachmentFacts }
  | {
      readonly kind: "remove";
      readonly managedId: string;
      readonly instances?: readonly string[] | undefined;
    };

export type AttachmentRefusal = "valid-rid-parameter" | "valid-managed-id-parameter" | "valid-calendar-data";

/** The VCALENDAR with the change, or the reason why it cannot be made. */
export function editAttachments(calendar: Component, edit: AttachmentEdit): Component | AttachmentRefusal {
  const object = readSchedulingObject(calendar);
  if (object === undefined) return "valid-calendar-data";
  const instances = edit.kind === "update" ? undefined : edit.instances;
  const local = edit.kind === "add" ? edit.localInstance : undefined;
  const keys = local === undefined ? instances && keysOf(object, instances) : keyOfLocal(object, local);
  const whole = keys === undefined ? calendar : withOverrides(object, keys);
  if (whole === undefined || ((instances ?? local) !== undefined && keys === undefined))
    return "valid-rid-parameter";
  let isFound = false;
  const isMeant = (component: Component): boolean => {
    if (keys === undefined) return true;
    const id = findProperty(component, "RECURRENCE-ID");
    const time = id && parseCalendarTime(id.value, parameterValue(id, "TZID"));
    return keys.has(time === undefined ? undefined : object.keyOf(time));
  };
  const changed = mapComponents(whole, (component) => {
    if (!isMeant(component)) return component;
    if (edit.kind === "add") return withAttachment(component, propertyOf(edit.attachment));
    const replacement = edit.kind === "update" ? propertyOf(edit.attachment) : undefined;
    const items = replaceAttachment(component.items, edit.managedId, replacement);
    if (items === undefined) return component;
    isFound = true;
    return changeItems(component, items);
  });
  return edit.kind !== "add" && !isFound ? "valid-managed-id-parameter" : changed;
}

/** The calendar with an override for each of the instances that has none; undefined if one of them is not an instance. */
function withOverrides(
  object: SchedulingObject,
  keys: ReadonlySet<InstanceKey | undefined>,
): Component | undefined {
  const made: Component[] = [];
  for (const key of keys) {
    if (key === undefined) {
      if (object.master === undefined) return undefined;
      continue;
    }
    if (object.overrides.has(key)) continue;
    const isThere = isSeries(object) && !object.exclusions.has(key) && hasInstance(object, key);
    const override = isThere ? makeOverride(object, key) : undefined;
    if (override === undefined) return undefined;
    made.push(override);
  }
  return made.length === 0
    ? object.calendar
    : changeItems(object.calendar, [...object.calendar.items, ...made]);
}

function isSeries({ master }: SchedulingObject): boolean {
  return master !== undefined && ["RRULE", "RDATE"].some((name) => findProperty(master, name) !== undefined);
}

/** undefined in the set: the series. */
function keysOf(
  object: SchedulingObject,
  instances: readonly string[],
): ReadonlySet<InstanceKey | undefined> | undefined {
  if (instances.length === 0 || instances.length > attachmentInstancesMax) return undefined;
  const keys = new Set<InstanceKey | undefined>();
  for (const instance of instances) {
    const time = instance === "M" ? undefined : parseCalendarTime(instance);
    if (instance !== "M" && (time === undefined || !fits(object, time.tzid))) return undefined;
    const key = time && object.keyOf(time);
    if (keys.has(key)) return undefined;
    keys.add(key);
  }
  return keys;
}

function keyOfLocal(object: SchedulingObject, local: string): ReadonlySet<InstanceKey> | undefined {
  const start = object.master && findProperty(object.master, "DTSTART");
  const startTime = start && parseCalendarTime(start.value, parameterValue(start, "TZID"));
  const time = parseCalendarTime(local.replaceAll(/[-:]/g, ""), startTime?.tzid);
  return time === undefined ? undefined : new Set([object.keyOf(time)]);
}

/** If the series has a time zone, an instance is named in UTC (RFC 8607 section 3.3.2). */
function fits({ master }: SchedulingObject, tzid: string | undefined): boolean {
  const start = master && findProperty(master, "DTSTART");
  const hasZone =
    start !== undefined && (parameterValue(start, "TZID") !== undefined || start.value.trim().endsWith("Z"));
  return !hasZone || tzid === utcTzid;
}

function propertyOf({ managedId, url, type, name, size }: AttachmentFacts): Property {
  const parameters = [
    { name: "FILENAME", values: [name] },
    { name: "FMTTYPE", values: [type.split(";")[0]!.trim()] },
    { name: "MANAGED-ID", values: [managedId] },
    { name: "SIZE", values: [String(size)] },
  ];
  return makeProperty("ATTACH", url, parameters);
}

/** Inserts the property before the inner components, which are alarms. */
function withAttachment(component: Component, attachment: Property): Component {
  const inner = component.items.findIndex(({ kind }) => kind === "component");
  const items = [...component.items];
  items.splice(inner < 0 ? items.length : inner, 0, attachment);
  return changeItems(component, items);
}

/** undefined if no ATTACH has that MANAGED-ID. */
function replaceAttachment(
  items: readonly Item[],
  managedId: string,
  replacement: Property | undefined,
): readonly Item[] | undefined {
  const isIt = (item: Item): boolean =>
    item.kind === "property" && item.name === "ATTACH" && parameterValue(item, "MANAGED-ID") === managedId;
  if (!items.some(isIt)) return undefined;
  return items.flatMap((item) => (isIt(item) ? (replacement === undefined ? [] : [replacement]) : [item]));
}
