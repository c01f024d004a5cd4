/** Reads what a caller writes as an event or task: the whole object, in which lists of plain texts may replace entries
 *  (`participants: ["ann@example.com"]`, `locations: ["Room 5"]`, `alerts: ["-PT15M"]`, `keywords: ["x"]`, `links: ["https://…"]`);
 *  or a patch of JSON pointers (RFC 8984 section 1.4.9). The result is canonical: each meaning has one form, and defaults are
 *  left out. Throws `invalid` with the field. */
import { WaypostError } from "#/src/model/errors.ts";
import { overrideEntriesMax } from "#/src/model/limits.ts";
import { calendarEndMaxMs } from "../icalendar/calendar-bounds.ts";
import { dayMs } from "../icalendar/calendar-time.ts";
import { formatDuration, parseDuration } from "../icalendar/duration.ts";
import { type TimeZone, utcZone } from "../icalendar/time-zone.ts";
import { atSent } from "../jscontact/at-sent.ts";
import { beginningOf } from "../jscontact/each-issue.ts";
import {
  formatPointer,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  member,
  type OpenObject,
  parsePointer,
  put,
  withAt,
} from "../jscontact/json.ts";
import { isUnchanged } from "../jscontact/unchanged.ts";
import { refusalOf } from "./event-refusal.ts";
import { eventSchema, taskSchema } from "./event-schema.ts";
import { readJcalProperty, writeJcalProperty } from "./ical-component.ts";
import { formatLocal, parseLocal } from "./local-time.ts";
import { idOfKey } from "./reading.ts";
import { readRule, writeRule } from "./recurrence-rule-json.ts";
import { applyOverride, instanceOf, isExcluded, patchTo } from "./series.ts";
import { calendarAddress, shortForm, withAddress, withoutShortForms } from "./short-forms.ts";
import { collections, leftOf, splitUnits } from "./unit.ts";
import { pathWithWrittenTimes, withWrittenTimes } from "./written-times.ts";
import { utcName } from "./zone-names.ts";

/** The Event or Task of a body; with this uid if it has none. `floating`: the clock of an event without a zone. */
export function acceptEvent(body: JsonObject, uid: string, floating = utcZone): JsonObject {
  return atSent(body, shortForm, () =>
    checked({ uid, ...withoutShortForms(body) }, { stored: nothing, zones: nothing, floating }),
  );
}

interface Before {
  /** The event as it is. */
  readonly stored: JsonObject;
  /** The member `timeZones`. */
  readonly zones: JsonObject;
  readonly floating: TimeZone;
}

const nothing: JsonObject = {};

/** Checks the members of the patch together, in the resulting object. A patch does not change the members that identify the
 *  object. */
export function patchEvent(event: JsonObject, patch: JsonObject, floating = utcZone): JsonObject {
  return atSent(patch, shortForm, () => patchedEvent(event, patch, floating));
}

function patchedEvent(event: JsonObject, given: JsonObject, floating: TimeZone): JsonObject {
  let patched: Json = event;
  const own = new WeakSet<object>();
  const patch = withInstances(event, given);
  const pointers = Object.keys(patch).map((pointer) => pointer.replace(/^\//, ""));
  const places = new Set(pointers);
  if (places.size < pointers.length) throw invalid("", "has one place twice");
  for (const [pointer, value] of Object.entries(patch)) {
    const path = parsePointer(pointer);
    if (pointer.replace(/^\//, "") === "" || path.includes("__proto__"))
      throw invalid(pointer, "is no place in an event");
    if (path.some((_, at) => at > 0 && places.has(formatPointer(path.slice(0, at)))))
      throw invalid(pointer, "is changed together with a place that it is in");
    const next = withAt(patched, path, value === null ? undefined : shortForm(path, value), own);
    if (next === undefined) throw invalid(pointer, "is no place in this event");
    patched = next;
  }
  const accepted = checked(patched as JsonObject, { stored: event, zones: zonesOf(event), floating });
  for (const name of ["uid", "@type"])
    if (accepted[name] !== event[name]) throw invalid(name, "cannot be changed");
  return accepted;
}

/** The patch with instances named as the event names them. */
function withInstances(event: JsonObject, patch: JsonObject): JsonObject {
  const timed = { ...event, ...patch };
  const named: OpenObject = {};
  for (const [given, value] of Object.entries(patch)) {
    const path = parsePointer(given);
    const changed = pathWithWrittenTimes(path, timed);
    const pointer = path.every((step, at) => step === changed[at]) ? given : formatPointer(changed);
    if (Object.hasOwn(named, pointer)) throw invalid(given, "is in the patch twice");
    put(named, pointer, value);
  }
  return named;
}

function zonesOf(event: JsonObject): JsonObject {
  return (member(event, "timeZones") ?? nothing) as JsonObject;
}

/** Replaces the stored object by a whole body. The members that identify the object, its author and its time of creation stay, unless
 *  the body has them. */
export function replaceEvent(event: JsonObject, body: JsonObject, floating = utcZone): JsonObject {
  const kept: OpenObject = {};
  for (const name of [
    "@type",
    "uid",
    "prodId",
    "created",
    "sequence",
    "recurrenceId",
    "recurrenceIdTimeZone",
  ])
    if (event[name] !== undefined) kept[name] = event[name];
  const accepted = atSent(body, shortForm, () =>
    checked({ ...kept, ...withoutShortForms(body) }, { stored: event, zones: zonesOf(event), floating }),
  );
  for (const name of ["uid", "@type"])
    if (accepted[name] !== event[name]) throw invalid(name, "cannot be changed");
  return accepted;
}

function invalid(pointer: string, why: string, hint?: string): WaypostError {
  const field = beginningOf(`/${pointer.replace(/^\//, "")}`);
  return new WaypostError("invalid", `${field} ${why}.`, { field, ...(hint === undefined ? {} : { hint }) });
}

function checked(given: JsonObject, before: Before): JsonObject {
  const object = withWrittenTimes(cleanTexts(given) as JsonObject, before.floating);
  const isTask = object["@type"] === "Task";
  assertValid(object, isTask, () => before.stored);
  const overrides = member(object, "recurrenceOverrides");
  const { recurrenceOverrides: _, ...rest } = object;
  const accepted = canonical(rest, isTask, before.zones);
  if (!isObject(overrides) || Object.keys(overrides).length === 0) return accepted;
  const patches: OpenObject = {};
  let entries = 0;
  const size = splitUnits(accepted).size;
  for (const [id, patch] of Object.entries(overrides)) {
    const field = `recurrenceOverrides/${id}`;
    if (accepted.showWithoutTime === true && !id.endsWith("T00:00:00"))
      throw invalid(field, "is no day of a series of days");
    if (isExcluded(patch)) {
      if (Object.keys(patch as JsonObject).length > 1)
        throw invalid(field, "is excluded and changed at once");
      put(patches, id, { excluded: true });
      continue;
    }
    const { excluded: __, ...changes } = patch as JsonObject;
    if (Object.keys(changes).length > 0) entries += size;
    if (entries > overrideEntriesMax)
      throw new WaypostError("invalid", "The object is too large for this number of overrides.", {
        reason: "limit_reached",
        field: "/recurrenceOverrides",
      });
    put(patches, id, checkedPatch(accepted, id, changes, isTask, before));
  }
  return { ...accepted, recurrenceOverrides: patches };
}

function checkedPatch(
  series: JsonObject,
  id: string,
  patch: JsonObject,
  isTask: boolean,
  { stored, zones, floating }: Before,
): JsonObject {
  if (Object.keys(patch).length === 0) return patch;
  const field = `recurrenceOverrides/${id}`;
  const from = instanceOf(series, id);
  const applied = applyOverride(from, patch);
  if ("failed" in applied)
    throw invalid(`${field}/${escaped(applied.failed)}`, "is no place in an instance of this event");
  const changed = withWrittenTimes(applied.object, floating);
  assertValid(changed, isTask, () => storedInstance(stored, id), field);
  return patchTo(from, canonical(changed, isTask, zones));
}

function storedInstance(stored: JsonObject, id: string): JsonObject {
  const patch = member((member(stored, "recurrenceOverrides") ?? nothing) as JsonObject, id);
  const applied = applyOverride(instanceOf(stored, id), isObject(patch) ? patch : nothing);
  return "failed" in applied ? nothing : applied.object;
}

/** Throws what a caller may not write. What is there already came from another program, which may say more: it stays. */
function assertValid(object: JsonObject, isTask: boolean, stored: () => JsonObject, at?: string): void {
  const { issues = [] } = (isTask ? taskSchema : eventSchema).safeParse(object).error ?? {};
  if (issues.length === 0) return;
  const before = stored();
  const wrong = issues.filter(({ path }) => !isUnchanged(path, object, before));
  if (wrong.length > 0) throw refusalOf(wrong, at);
}

function escaped(text: string): string {
  return formatPointer([text]);
}

/** Text that iCalendar can hold: LF as line end, without other control characters. */
function cleanTexts(value: Json): Json {
  if (typeof value === "string")
    return /[\p{Cc}\p{Cs}]/u.test(value)
      ? value.toWellFormed().replace(/\r\n?/g, "\n").replace(controls, "")
      : value;
  if (isArray(value)) return value.map(cleanTexts);
  if (!isObject(value)) return value;
  const object: OpenObject = {};
  for (const [key, inner] of Object.entries(value)) put(object, key, cleanTexts(inner));
  return object;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const controls = /[\0-\x08\x0b-\x1f\x7f-\x9f]/g;

type Rewrite = (value: JsonObject) => JsonObject;

/** The canonical form: one form for one meaning. */
function canonical(given: JsonObject, isTask: boolean, zones: JsonObject): JsonObject {
  const object: OpenObject = { ...withoutNulls(given, 3), "@type": isTask ? "Task" : "Event" };
  drop(object, "useDefaultAlerts", false);
  drop(object, "descriptionContentType", "text/plain");
  if (object.description === undefined) delete object.descriptionContentType;
  setTimes(object, isTask, zones);
  if (isObject(object.recurrenceRule)) object.recurrenceRule = canonicalRule(object);
  for (const [name, rewrite] of Object.entries(entryForms)) {
    const entries = member(object, name);
    if (!isObject(entries)) continue;
    const rewritten: OpenObject = {};
    for (const [id, entry] of Object.entries(entries)) put(rewritten, id, rewrite(entry as JsonObject));
    object[name] = rewritten;
  }
  setOrganizer(object);
  for (const name of [...collections, "keywords", "categories"])
    if (isObject(object[name]) && Object.keys(object[name]).length === 0) delete object[name];
  const left = canonicalLeft(object.iCalendar, isTask ? "vtodo" : "vevent");
  delete object.iCalendar;
  if (left !== undefined) object.iCalendar = left;
  return object;
}

/** Members with null are removed: null in a patch deletes, so an override cannot express it. */
function withoutNulls(object: JsonObject, depth: number): JsonObject {
  const kept: OpenObject = {};
  for (const [key, value] of Object.entries(object))
    if (value !== null) put(kept, key, isObject(value) && depth > 1 ? withoutNulls(value, depth - 1) : value);
  return kept;
}

function drop(object: OpenObject, key: string, value: Json): void {
  if (object[key] === value) delete object[key];
}

function setTimes(object: OpenObject, isTask: boolean, zones: JsonObject): void {
  for (const name of ["timeZone", "endTimeZone", "recurrenceIdTimeZone"]) {
    const zone = object[name];
    if (typeof zone === "string" && zone.startsWith("/") && member(zones, zone) === undefined)
      throw invalid(name, "names a time zone that this event does not have");
    if (zone === "UTC") object[name] = utcName;
  }
  for (const name of ["duration", "estimatedDuration"])
    if (typeof object[name] === "string") object[name] = formatDuration(parseDuration(object[name])!);
  drop(object, "showWithoutTime", false);
  drop(object, "duration", "PT0S");
  if (object.endTimeZone === object.timeZone || object.duration === undefined) delete object.endTimeZone;
  if (!isTask && object.start === undefined && object.uid !== undefined)
    throw invalid("start", "is missing", "A local time: 2026-01-31T12:00:00.");
  if (object.recurrenceRule !== undefined && object.start === undefined)
    throw invalid("start", "is missing, and the task repeats");
  if (!isTask) checkEnd(object);
  if (object.showWithoutTime !== true) {
    if (isTask && object.start === undefined && object.due === undefined) delete object.timeZone;
    return;
  }
  if (object.timeZone !== undefined)
    throw invalid(
      "timeZone",
      "cannot stand beside showWithoutTime",
      "A whole day has no time zone: leave it out.",
    );
  for (const name of ["start", "due"]) {
    const time = object[name];
    if (typeof time === "string" && parseLocal(time)! % dayMs !== 0)
      throw invalid(name, "is not a day", "With showWithoutTime the time is T00:00:00.");
  }
  if (isTask && object.start === undefined && object.due === undefined) delete object.showWithoutTime;
  if (isTask) return;
  object.duration ??= "P1D";
  const length = parseDuration(object.duration as string)!;
  if (length.ms !== 0 || length.days === 0)
    throw invalid("duration", "is not whole days beside showWithoutTime");
}

/** Years have four digits; the last day may end with them. */
function checkEnd({ start, duration }: OpenObject): void {
  if (typeof start !== "string" || typeof duration !== "string") return;
  const { days, ms } = parseDuration(duration)!;
  if (parseLocal(start)! + days * dayMs + ms > calendarEndMaxMs)
    throw invalid("duration", "ends after the year 9999");
}

function canonicalRule(object: JsonObject): JsonObject {
  const rule = object.recurrenceRule as JsonObject;
  const until = member(rule, "until");
  if (object.showWithoutTime === true && typeof until === "string" && !until.endsWith("T00:00:00"))
    throw invalid("recurrenceRule/until", "is not a day", "With showWithoutTime the time is T00:00:00.");
  const others = Object.entries(rule).filter(([key]) => key.includes(":"));
  const written = writeRule(rule, (local) => ({
    form: "date-time",
    localMs: parseLocal(local)!,
    tzid: undefined,
  }));
  return { ...readRule(written, ({ localMs }) => formatLocal(localMs)), ...Object.fromEntries(others) };
}

const withoutType: Rewrite = ({ "@type": _, ...entry }) => entry;

const entryForms: Readonly<Record<string, Rewrite>> = {
  locations: (entry) => canonicalEntry(withoutType(entry), "vlocation"),
  virtualLocations: (entry) => withoutEmpty(withoutType(entry), ["features"]),
  links: (entry) => withoutEmpty(withoutType(entry), ["display"]),
  relatedTo: (entry) => withoutEmpty(withoutType(entry), ["relation"]),
  alerts: canonicalAlert,
  participants: canonicalParticipant,
};

function withoutEmpty(entry: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    Object.entries(entry).filter(
      ([key, value]) => !names.includes(key) || !isObject(value) || Object.keys(value).length > 0,
    ),
  );
}

function canonicalEntry(entry: JsonObject, name: string): JsonObject {
  const { iCalendar, ...rest } = withoutEmpty(entry, ["locationTypes"]);
  const left = canonicalLeft(iCalendar, name);
  return left === undefined ? rest : { ...rest, iCalendar: left };
}

function canonicalAlert(given: JsonObject): JsonObject {
  const entry: OpenObject = { ...canonicalEntry(withoutType(given), "valarm") };
  const trigger: OpenObject = { ...(entry.trigger as JsonObject) };
  drop(entry, "action", "display");
  drop(trigger, "relativeTo", "start");
  const isOffset = typeof trigger.offset === "string";
  if (isOffset) trigger.offset = formatDuration(parseDuration(trigger.offset as string)!);
  return { ...entry, trigger: { ...trigger, "@type": isOffset ? "OffsetTrigger" : "AbsoluteTrigger" } };
}

function canonicalParticipant(given: JsonObject): JsonObject {
  const entry: OpenObject = { ...withAddress(withoutType(given)) };
  drop(entry, "expectReply", false);
  drop(entry, "scheduleForceSend", false);
  drop(entry, "scheduleAgent", "server");
  const { attendee, ...roles } = (isObject(entry.roles) ? entry.roles : {}) as OpenObject;
  const isNamed = ["required", "optional", "informational", "chair"].some((word) => roles[word] === true);
  if (attendee === true && !isNamed) roles.required = true;
  entry.roles = roles;
  return withoutEmpty(entry, ["roles", "delegatedTo", "delegatedFrom", "memberOf"]);
}

/** The organizer is a participant with the role `owner`, and the only one. */
function setOrganizer(object: OpenObject): void {
  const participants: OpenObject = { ...((object.participants ?? {}) as JsonObject) };
  const entriesOf = () => Object.entries(participants) as [string, JsonObject][];
  const hasRole = (entry: JsonObject) => isObject(entry.roles) && entry.roles.owner === true;
  if (typeof object.organizerCalendarAddress === "string")
    object.organizerCalendarAddress = calendarAddress(object.organizerCalendarAddress);
  else {
    const owner = entriesOf().find(([, entry]) => hasRole(entry))?.[1];
    if (owner === undefined) return;
    object.organizerCalendarAddress = owner.calendarAddress!;
  }
  const address = String(object.organizerCalendarAddress);
  const isOrganizer = (entry: JsonObject) =>
    String(entry.calendarAddress).toLowerCase() === address.toLowerCase();
  for (const [id, entry] of entriesOf()) {
    const { owner: _, ...roles } = (entry.roles ?? {}) as JsonObject;
    const changed = { ...entry, roles: isOrganizer(entry) ? { owner: true, ...roles } : roles };
    put(participants, id, withoutEmpty(changed as JsonObject, ["roles"]));
  }
  if (!entriesOf().some(([, entry]) => isOrganizer(entry)))
    put(participants, idOfKey(address.toLowerCase()), { calendarAddress: address, roles: { owner: true } });
  object.participants = participants;
}

function canonicalLeft(left: Json | undefined, name: string): JsonObject | undefined {
  if (!isObject(left)) return undefined;
  const [properties, components] = [member(left, "properties"), member(left, "components")];
  const written = isArray(properties)
    ? properties.map((property) => {
        const line = writeJcalProperty(property);
        return line === undefined ? property : readJcalProperty(line);
      })
    : [];
  return leftOf(name, written, isArray(components) ? components : []);
}
