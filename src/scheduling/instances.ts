/** Single instances of a series, and overrides for instances that have none.
 *  RFC 5545 section 3.8.4.4: RECURRENCE-ID has the form and the zone of the DTSTART of the series. */
import {
  type Component,
  changeItems,
  changeProperty,
  findProperty,
  makeProperty,
  type Parameter,
  type Property,
  parameterValue,
} from "#/src/formats/content-lines/content-line.ts";
import { setProperties } from "#/src/formats/content-lines/set-properties.ts";
import { formatCalendarTime, parseCalendarTime, utcTzid } from "#/src/formats/icalendar/calendar-time.ts";
import { expandRecurrenceSet } from "#/src/formats/icalendar/expand-recurrence-set.ts";
import { readRecurrenceSet } from "#/src/formats/icalendar/recurrence-set.ts";
import { localOfUtc, utcOfLocal } from "#/src/formats/icalendar/time-zone.ts";
import { type InstanceKey, listSchedulingComponents, type SchedulingObject } from "./scheduling-object.ts";

/** Properties that belong to the series and that an override does not have. */
const seriesNames = new Set(["RRULE", "RDATE", "EXDATE", "EXRULE"]);

/** An override made from the series, which changes nothing yet. The caller checks with `hasInstance` that the instance exists. */
export function makeOverride(
  object: SchedulingObject,
  key: InstanceKey,
  master = object.master,
): Component | undefined {
  if (master === undefined) return undefined;
  const start = findProperty(master, "DTSTART");
  const startTime = start && parseCalendarTime(start.value, parameterValue(start, "TZID"));
  if (start === undefined || startTime === undefined) return undefined;
  const keyTime = parseCalendarTime(key)!;
  const zone =
    startTime.tzid === undefined || startTime.tzid === utcTzid ? undefined : object.findZone(startTime.tzid);
  const localMs = zone === undefined ? keyTime.localMs : localOfUtc(zone, keyTime.localMs);
  const moved = localMs - startTime.localMs;
  const own = changeItems(
    master,
    master.items.filter((item) => item.kind !== "property" || !seriesNames.has(item.name)),
  );
  const at = formatCalendarTime({ ...startTime, localMs });
  const parameters: Parameter[] = start.parameters.filter(({ name }) => name === "TZID" || name === "VALUE");
  const withId = setProperties(
    setProperties(own, "DTSTART", [changeProperty(start, { value: at })]),
    "RECURRENCE-ID",
    [makeProperty("RECURRENCE-ID", at, parameters)],
  );
  const end = findProperty(master, "DTEND") ?? findProperty(master, "DUE");
  return end === undefined ? withId : setProperties(withId, end.name, [movedEnd(end, moved)]);
}

/** The end, moved as far as the start in its local time. It is exact unless the offset changes in between. */
function movedEnd(end: Property, movedMs: number): Property {
  const time = parseCalendarTime(end.value, parameterValue(end, "TZID"));
  return time === undefined
    ? end
    : changeProperty(end, { value: formatCalendarTime({ ...time, localMs: time.localMs + movedMs }) });
}

/** The component that an attendee's message about an instance is applied to: the existing one, or a new override. */
export function instanceTarget(
  object: SchedulingObject,
  key: InstanceKey | undefined,
  own: Component | undefined,
): Component | undefined {
  if (own !== undefined || key === undefined) return own;
  return !object.exclusions.has(key) && hasInstance(object, key) ? makeOverride(object, key) : undefined;
}

/** Whether the rules and dates of the series give this instance; overrides and exclusions do not count. False also if the rules
 *  are more work than the limits allow. */
export function hasInstance(object: SchedulingObject, key: InstanceKey): boolean {
  const { master, findZone } = object;
  if (master === undefined) return false;
  const bare = changeItems(
    master,
    master.items.filter((item) => item.kind !== "property" || item.name !== "EXDATE"),
  );
  const set = readRecurrenceSet([bare], findZone);
  if (set.master === undefined) return false;
  const time = parseCalendarTime(key)!;
  const startMs = time.tzid === utcTzid ? time.localMs : utcOfLocal(set.master.zone, time.localMs);
  const expansion = expandRecurrenceSet(set, startMs, startMs + 1);
  return expansion?.occurrences.some((one) => one.startMs === startMs) ?? false;
}

/** The object with the component of an instance replaced, removed (undefined), or added after the others. */
export function withComponent(
  calendar: Component,
  old: Component | undefined,
  component: Component | undefined,
): Component {
  if (old === component) return calendar;
  if (old !== undefined)
    return changeItems(
      calendar,
      calendar.items.flatMap((item) =>
        item === old ? (component === undefined ? [] : [component]) : [item],
      ),
    );
  return component === undefined ? calendar : changeItems(calendar, [...calendar.items, component]);
}

/** The object with each of its events, to-dos or journal entries changed. */
export function mapComponents(calendar: Component, change: (component: Component) => Component): Component {
  const own = new Set(listSchedulingComponents(calendar));
  const items = calendar.items.map((item) =>
    item.kind === "component" && own.has(item) ? change(item) : item,
  );
  return items.every((item, at) => item === calendar.items[at]) ? calendar : changeItems(calendar, items);
}

/** EXDATE of one instance, in the form of the DTSTART of the series. */
export function excludeInstance(object: SchedulingObject, master: Component, key: InstanceKey): Component {
  if (object.exclusions.has(key)) return master;
  const override = makeOverride(object, key, master);
  const id = override && findProperty(override, "RECURRENCE-ID");
  if (id === undefined) return master;
  const last = master.items.findLastIndex((item) => item.kind === "property");
  const items = [...master.items];
  items.splice(last + 1, 0, makeProperty("EXDATE", id.value, id.parameters));
  return changeItems(master, items);
}
