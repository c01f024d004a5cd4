/** Applies an organizer's message to an attendee's copy (RFC 5546 section 3.2.2, 3.2.4 and 3.2.5, RFC 6638 section 4.1).
 *  REQUEST has the series or single instances; ADD adds instances; CANCEL cancels them. The attendee's own values stay:
 *  alarms, TRANSP, categories, and the answer while SEQUENCE is the same. */
import {
  type Component,
  changeItems,
  changeProperty,
  findProperty,
  type Item,
  listComponents,
  listProperties,
  makeComponent,
  makeProperty,
  type Property,
  parameterValue,
} from "#/src/formats/content-lines/content-line.ts";
import { setProperties } from "#/src/formats/content-lines/set-properties.ts";
import { writeContentLines } from "#/src/formats/content-lines/write-content-lines.ts";
import { type CalendarTime, dayMs, parseCalendarTime } from "#/src/formats/icalendar/calendar-time.ts";
import { formatRecurrenceRule, parseRecurrenceRule } from "#/src/formats/icalendar/recurrence-rule.ts";
import { readCalendarTime } from "#/src/formats/icalendar/recurrence-set.ts";
import { participationCommentParameter } from "#/src/formats/jscalendar/participants.ts";
import { hasInstance, instanceTarget, makeOverride, mapComponents, withComponent } from "../instances.ts";
import { sequenceOf, withoutOwnNotes, withSequence, zonesFor } from "../outgoing/messages.ts";
import { findAttendee, setParameters } from "../participants.ts";
import {
  type Addresses,
  componentAt,
  type InstanceKey,
  listByInstance,
  listSchedulingComponents,
  type SchedulingObject,
} from "../scheduling-object.ts";
import { type Applied, ignored, isStale } from "./applied.ts";

export function applyRequest(
  stored: SchedulingObject | undefined,
  message: SchedulingObject,
  who: Addresses,
): Applied {
  const isInvited = listSchedulingComponents(message.calendar).some((one) => isIn(one, who));
  if (!isInvited) return ignored("not_invited");
  if (stored === undefined) return { outcome: "changed", calendar: copyOf(message.calendar), isNew: true };
  if (message.master === undefined) return applyInstances(stored, message, who);
  if (isStale(message.master, stored.master)) return ignored("stale");
  const own = new Map(listByInstance(stored));
  const components = listByInstance(message).map(([key, component]) =>
    keepOwn(
      withoutOwnNotes(component),
      own.get(key) ?? (stored.master === undefined ? undefined : own.get(undefined)),
      who,
    ),
  );
  components.push(...listOwnAlarms(stored, message, components[0]!));
  const inner = new Set(listSchedulingComponents(stored.calendar));
  const kept = stored.calendar.items.filter(
    (item) => item.kind !== "component" || (!inner.has(item) && item.name !== "VTIMEZONE"),
  );
  const zones = zonesFor(components, message.calendar);
  return {
    outcome: "changed",
    calendar: changeItems(stored.calendar, [...kept, ...zones, ...components]),
    isNew: false,
  };
}

/** Instances for which the attendee has own alarms, and which are not different from the series in the message. */
function listOwnAlarms(stored: SchedulingObject, message: SchedulingObject, series: Component): Component[] {
  const ofSeries = alarmsOf(stored.master);
  const own: Component[] = [];
  for (const [key, component] of stored.overrides) {
    if (alarmsOf(component) === ofSeries || message.overrides.has(key) || message.exclusions.has(key))
      continue;
    const override = hasInstance(message, key) ? makeOverride(message, key, series) : undefined;
    if (override === undefined) continue;
    const alarms = listComponents(component, "VALARM");
    const others = override.items.filter((item) => item.kind !== "component" || item.name !== "VALARM");
    own.push(changeItems(override, [...others, ...alarms]));
  }
  return own;
}

function alarmsOf(component: Component | undefined): string {
  const items = component === undefined ? [] : listComponents(component, "VALARM");
  return writeContentLines({ items }).toString("latin1");
}

function isIn(component: Component, who: Addresses): boolean {
  return findAttendee(component, (address) => who.has(address)) !== undefined;
}

/** The object of a message in the form that a calendar stores: without METHOD. */
function copyOf(calendar: Component): Component {
  const items = calendar.items.filter((item) => item.kind !== "property" || item.name !== "METHOD");
  return mapComponents(makeComponent("VCALENDAR", items), withoutOwnNotes);
}

function applyInstances(stored: SchedulingObject, message: SchedulingObject, who: Addresses): Applied {
  let { calendar } = stored;
  let master = stored.master;
  let isChanged = false;
  for (const [key, component] of message.overrides) {
    const old = stored.overrides.get(key);
    if (isStale(component, old)) continue;
    isChanged = true;
    calendar = withComponent(calendar, old, keepOwn(withoutOwnNotes(component), old ?? stored.master, who));
    if (master === undefined || !stored.exclusions.has(key)) continue;
    const included = includeInstance(stored, master, key);
    calendar = withComponent(calendar, master, included);
    master = included;
  }
  if (!isChanged) return ignored("stale");
  return { outcome: "changed", calendar: withZones(calendar, message), isNew: false };
}

function includeInstance(stored: SchedulingObject, master: Component, key: InstanceKey): Component {
  const properties = listProperties(master, "EXDATE").flatMap((property): Property[] => {
    const values = property.value.split(",");
    const left = values.filter((value) => stored.exclusions.get(key)?.value !== value.trim());
    if (left.length === values.length) return [property];
    return left.length === 0 ? [] : [{ ...property, value: left.join(","), octets: undefined }];
  });
  return setProperties(master, "EXDATE", properties);
}

function withZones(calendar: Component, message: SchedulingObject): Component {
  const known = new Set(
    listComponents(calendar, "VTIMEZONE").map((zone) => findProperty(zone, "TZID")?.value),
  );
  const added = zonesFor(listSchedulingComponents(message.calendar), message.calendar).filter(
    (zone) => !known.has(findProperty(zone, "TZID")?.value),
  );
  if (added.length === 0) return calendar;
  const first = calendar.items.findIndex((item) => item.kind === "component");
  const items = [...calendar.items];
  items.splice(first < 0 ? items.length : first, 0, ...added);
  return changeItems(calendar, items);
}

const ownNames = ["TRANSP", "CATEGORIES", "COLOR", "PERCENT-COMPLETE", "COMPLETED"];
const ownPrefix = /^X-(?:MOZ|APPLE|WAYPOST)-/;

/** `old`: the attendee's version of this component, or of its series. */
function keepOwn(component: Component, old: Component | undefined, who: Addresses): Component {
  if (old === undefined) return component;
  let kept = component;
  for (const name of ownNames) {
    const properties = listProperties(old, name);
    if (properties.length > 0) kept = setProperties(kept, name, properties);
  }
  const there = new Set(kept.items.map((item) => (item.kind === "property" ? item.name : "")));
  const more = old.items.filter(
    (item): item is Item =>
      (item.kind === "component" && item.name === "VALARM") ||
      (item.kind === "property" && ownPrefix.test(item.name) && !there.has(item.name)),
  );
  if (more.length > 0) kept = changeItems(kept, [...kept.items, ...more]);
  kept = keepStatus(kept, old);
  return sequenceOf(component) === sequenceOf(old) ? keepAnswer(kept, old, who) : kept;
}

/** Keeps the SCHEDULE-STATUS of the attendee's last answer (RFC 6638 section 3.2.9). */
function keepStatus(component: Component, old: Component): Component {
  const [now, was] = [findProperty(component, "ORGANIZER"), findProperty(old, "ORGANIZER")];
  const status = was?.parameters.find(({ name }) => name === "SCHEDULE-STATUS");
  if (now === undefined || status === undefined) return component;
  return setProperties(component, "ORGANIZER", [setParameters(now, { "SCHEDULE-STATUS": status.values })]);
}

/** RFC 5546 section 2.1.4: with the same SEQUENCE the attendee need not answer again. */
function keepAnswer(component: Component, old: Component, who: Addresses): Component {
  const isMine = (address: Parameters<Addresses["has"]>[0]) => who.has(address);
  const [now, was] = [findAttendee(component, isMine), findAttendee(old, isMine)];
  if (now === undefined || was === undefined || was.partstat === "NEEDS-ACTION") return component;
  const answered = setParameters(now.property, {
    PARTSTAT: was.partstat,
    RSVP: was.rsvp ? "TRUE" : undefined,
    ...(was.delegatedTo.length > 0 ? { "DELEGATED-TO": was.delegatedTo } : {}),
    [participationCommentParameter]: parameterValue(was.property, participationCommentParameter),
  });
  return changeItems(
    component,
    component.items.map((item) => (item === now.property ? answered : item)),
  );
}

/** What is cancelled stays with STATUS:CANCELLED, so that the attendee sees the cancellation: a series as a whole, an instance of it as an
 *  override. */
export function applyCancel(
  stored: SchedulingObject | undefined,
  message: SchedulingObject,
  who: Addresses,
): Applied {
  if (stored === undefined) return ignored("unknown");
  const isMeant = listSchedulingComponents(message.calendar).every(
    (one) => isIn(one, who) || findProperty(one, "ATTENDEE") === undefined,
  );
  if (!isMeant || !listSchedulingComponents(stored.calendar).some((one) => isIn(one, who)))
    return ignored("not_invited");
  if (message.master !== undefined) {
    const last = stored.master ?? listSchedulingComponents(stored.calendar)[0];
    if (isStale(message.master, last)) return ignored("stale");
    const sequence = sequenceOf(message.master);
    const calendar = mapComponents(stored.calendar, (component) =>
      cancelled(component, sequence, message.master!),
    );
    return { outcome: "changed", calendar, isNew: false };
  }
  let { calendar } = stored;
  let { master } = stored;
  let isChanged = false;
  for (const [key, component] of message.overrides) {
    const old = componentAt(stored, key);
    if (old === undefined && master === undefined) continue;
    if (isWithFollowing(component)) {
      const current = { ...stored, calendar, master };
      const ended = isStale(component, master ?? old) ? undefined : cancelFollowing(current, key, component);
      if (ended === undefined) continue;
      calendar = ended;
      master = listSchedulingComponents(ended).find(
        (one) => findProperty(one, "RECURRENCE-ID") === undefined,
      );
      isChanged = true;
      continue;
    }
    if (isStale(component, old)) continue;
    // The attendee has deleted an instance that is excluded, and one that the series does not have is nobody's.
    const instance = instanceTarget({ ...stored, calendar, master }, key, old);
    if (instance === undefined) continue;
    calendar = withComponent(calendar, old, cancelled(instance, sequenceOf(component), component));
    isChanged = true;
  }
  return isChanged ? { outcome: "changed", calendar, isNew: false } : ignored("stale");
}

/** RECURRENCE-ID;RANGE=THISANDFUTURE (RFC 5545 section 3.2.13). */
function isWithFollowing(component: Component): boolean {
  const id = findProperty(component, "RECURRENCE-ID");
  return id !== undefined && parameterValue(id, "RANGE")?.toUpperCase() === "THISANDFUTURE";
}

/** The calendar without an instance and all that follow it: the series ends before it. A series of which nothing stays is cancelled as a
 *  whole. undefined if the series has no such instance. */
function cancelFollowing(
  stored: SchedulingObject,
  key: InstanceKey,
  message: Component,
): Component | undefined {
  const { master } = stored;
  const isLater = (one: InstanceKey) => one >= key;
  const start = master && findProperty(master, "DTSTART");
  const isAll = start === undefined || isLater(stored.momentOf(start));
  const sequence = sequenceOf(message);
  if (isAll) return mapComponents(stored.calendar, (component) => cancelled(component, sequence, message));
  if (master === undefined || (!stored.overrides.has(key) && !hasInstance(stored, key))) return undefined;
  const last = lastBefore(key);
  const rules = listProperties(master, "RRULE").map((property) => endedRule(property, last));
  const dates = listProperties(master, "RDATE").flatMap((property) => {
    const values = property.value.split(",").filter((value) => !isLater(stored.momentOf(property, value)));
    return values.length === 0 ? [] : [changeProperty(property, { value: values.join(",") })];
  });
  let ended = setProperties(setProperties(master, "RRULE", rules), "RDATE", dates);
  if (sequence > sequenceOf(ended)) ended = withSequence(ended, sequence);
  const gone = new Set(
    [...stored.overrides].filter(([one]) => isLater(one)).map(([, component]) => component),
  );
  const items = stored.calendar.items.flatMap((item): Item[] =>
    item === master ? [ended] : item.kind === "component" && gone.has(item) ? [] : [item],
  );
  return changeItems(stored.calendar, items);
}

/** UNTIL (RFC 5545 section 3.3.10) just before an instance, in the form of its key. */
function lastBefore(key: InstanceKey): CalendarTime {
  const time = parseCalendarTime(key)!;
  return { ...time, localMs: time.localMs - (time.form === "date" ? dayMs : 1000) };
}

function endedRule(property: Property, last: CalendarTime): Property {
  const rule = parseRecurrenceRule(property.value);
  if (rule === undefined || (rule.until !== undefined && rule.until.localMs <= last.localMs)) return property;
  const { count: _count, ...endless } = rule;
  return changeProperty(property, { value: formatRecurrenceRule({ ...endless, until: last }) });
}

function cancelled(component: Component, sequence: number, message: Component): Component {
  const withStatus = setProperties(component, "STATUS", [makeProperty("STATUS", "CANCELLED")]);
  const stamp = findProperty(message, "DTSTAMP");
  const dated = stamp === undefined ? withStatus : setProperties(withStatus, "DTSTAMP", [stamp]);
  return sequence > sequenceOf(dated) ? withSequence(dated, sequence) : dated;
}

/** RFC 5546 section 3.2.4: each component is one more instance, at its DTSTART. Without the series in the attendee's copy, or with a rule in the
 *  component, the attendee has to request the whole event. */
export function applyAdd(
  stored: SchedulingObject | undefined,
  message: SchedulingObject,
  who: Addresses,
): Applied {
  const added = message.master;
  if (stored?.master === undefined) return ignored("unknown");
  if (added === undefined || findProperty(added, "RRULE") !== undefined) return ignored("unknown");
  if (!isIn(added, who)) return ignored("not_invited");
  if (sequenceOf(added) < sequenceOf(stored.master)) return ignored("stale");
  const start = findProperty(added, "DTSTART");
  const time = start && readCalendarTime(start);
  if (start === undefined || time === undefined) return ignored("malformed");
  const key = stored.keyOf(time);
  if (stored.overrides.has(key) || hasInstance(stored, key)) return ignored("stale");
  const parameters = start.parameters.filter(({ name }) => name === "TZID" || name === "VALUE");
  const master = setProperties(stored.master, "RDATE", [
    ...listProperties(stored.master, "RDATE"),
    makeProperty("RDATE", start.value, parameters),
  ]);
  const override = setProperties(keepOwn(withoutOwnNotes(added), stored.master, who), "RECURRENCE-ID", [
    makeProperty("RECURRENCE-ID", start.value, parameters),
  ]);
  const calendar = withComponent(withComponent(stored.calendar, stored.master, master), undefined, override);
  return { outcome: "changed", calendar: withZones(calendar, message), isNew: false };
}
