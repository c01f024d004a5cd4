/** Alerts (RFC 8984 section 4.5.2) and VALARM (RFC 5545 section 3.6.6, RFC 9074). */
import {
  type Component,
  findProperty,
  type Item,
  makeProperty,
  type Property,
  parameterValue,
} from "../content-lines/content-line.ts";
import { formatDuration, parseDuration } from "../icalendar/duration.ts";
import { isEqual, type JsonObject, member } from "../jscontact/json.ts";
import { isDerived, otherParameters, readLeft, rebuilt, writeLeft } from "./ical-component.ts";
import { idOfKey } from "./reading.ts";
import { readUtc, writeUtc } from "./singles.ts";

export function keyOfAlert(entry: JsonObject): string {
  const trigger = member(entry, "trigger") as JsonObject;
  const parts = ["offset", "relativeTo", "when"].map((name) => member(trigger, name));
  return [...parts, member(entry, "action")].map(String).join();
}

/** undefined if the trigger is not readable. */
export function readAlert(component: Component): JsonObject | undefined {
  const placed = new Set<Item>();
  const line = findProperty(component, "TRIGGER");
  const trigger = line === undefined ? undefined : readTrigger(line);
  if (trigger === undefined) return undefined;
  placed.add(line!);
  const action = findProperty(component, "ACTION");
  const word = action?.value.trim().toLowerCase();
  if (action !== undefined && (word === "display" || word === "email")) placed.add(action);
  const acknowledged = findProperty(component, "ACKNOWLEDGED");
  const time = acknowledged === undefined ? undefined : readUtc(acknowledged.value);
  if (time !== undefined) placed.add(acknowledged!);
  const id = findProperty(component, "JSID");
  if (id !== undefined) placed.add(id);
  for (const item of component.items)
    if (item.kind === "property" && item.name === "DESCRIPTION" && isDerived(item)) placed.add(item);
  const left = readLeft(component, placed);
  return {
    trigger,
    ...(word === "email" ? { action: word } : {}),
    ...(time === undefined ? {} : { acknowledged: time }),
    ...(left === undefined ? {} : { iCalendar: left }),
  };
}

function readTrigger(property: Property): JsonObject | undefined {
  const offset = parseDuration(property.value);
  if (offset !== undefined) {
    const isFromEnd = parameterValue(property, "RELATED")?.toUpperCase() === "END";
    return {
      "@type": "OffsetTrigger",
      offset: formatDuration(offset),
      ...(isFromEnd ? { relativeTo: "end" } : {}),
    };
  }
  const when = readUtc(property.value);
  return when === undefined ? undefined : { "@type": "AbsoluteTrigger", when };
}

const triggerParameters = new Set(["VALUE", "RELATED"]);

export function writeAlert(id: string, entry: JsonObject, before: Component | undefined): Component {
  const left = writeLeft(entry);
  const has = (name: string) => left.some((item) => item.kind === "property" && item.name === name);
  const items: Item[] = [writeTrigger(member(entry, "trigger") as JsonObject, before)];
  if (!has("ACTION"))
    items.push(makeProperty("ACTION", String(member(entry, "action") ?? "display").toUpperCase()));
  // RFC 5545 section 3.6.6 requires it where the alarm is displayed.
  if (!has("DESCRIPTION") && !has("ACTION"))
    items.push(makeProperty("DESCRIPTION", "Reminder", [{ name: "DERIVED", values: ["TRUE"] }]));
  const acknowledged = member(entry, "acknowledged");
  if (typeof acknowledged === "string") items.push(makeProperty("ACKNOWLEDGED", writeUtc(acknowledged)));
  if (idOfKey(keyOfAlert(entry)) !== id) items.push(makeProperty("JSID", id));
  return rebuilt("VALARM", [...items, ...left], before);
}

function writeTrigger(trigger: JsonObject, before: Component | undefined): Property {
  const old = before === undefined ? undefined : findProperty(before, "TRIGGER");
  if (old !== undefined && isEqual(readTrigger(old), trigger)) return old;
  const others = otherParameters(old, triggerParameters);
  const when = member(trigger, "when");
  if (typeof when === "string")
    return makeProperty("TRIGGER", writeUtc(when), [{ name: "VALUE", values: ["DATE-TIME"] }, ...others]);
  const isFromEnd = member(trigger, "relativeTo") === "end";
  return makeProperty("TRIGGER", String(member(trigger, "offset")), [
    ...(isFromEnd ? [{ name: "RELATED", values: ["END"] }] : []),
    ...others,
  ]);
}
