/** Start, end and time zone: DTSTART, DTEND, DUE and DURATION as the members start, timeZone, duration, endTimeZone, due and
 *  showWithoutTime (RFC 8984 section 4.2 and 5.1.1).
 *  The length between DTSTART and DTEND is exact, so it is written in hours, also where it is whole days. */
import { calendarTimeMaxMs } from "#/src/model/limits.ts";
import {
  makeProperty,
  type Parameter,
  type Property,
  parameterValue,
} from "../content-lines/content-line.ts";
import {
  type CalendarTime,
  dayMs,
  formatCalendarTime,
  inYears,
  parseCalendarTime,
  utcTzid,
} from "../icalendar/calendar-time.ts";
import { type Duration, formatDuration, parseDuration } from "../icalendar/duration.ts";
import { localOfUtc, utcOfLocal } from "../icalendar/time-zone.ts";
import { type JsonObject, member, type OpenObject } from "../jscontact/json.ts";
import { otherParameters } from "./ical-component.ts";
import { formatLocal, parseLocal } from "./local-time.ts";
import { addUnit, linesOf, type Reading } from "./reading.ts";
import { utcName, type ZoneNames } from "./zone-names.ts";

const names = ["DTSTART", "DTEND", "DUE", "DURATION"] as const;

export function readTimeOf(property: Property | undefined): CalendarTime | undefined {
  return property === undefined
    ? undefined
    : parseCalendarTime(property.value, parameterValue(property, "TZID"));
}

export function readTimeUnit(reading: Reading): void {
  const [startLine, endLine, dueLine, durationLine] = names.map((name) => linesOf(reading, name)[0]);
  const start = readTimeOf(startLine?.item);
  if (reading.isTask) {
    const due = readTimeOf(dueLine?.item);
    if (start === undefined && due === undefined) return;
    const length = parseDuration(durationLine?.item.value ?? "");
    const value = readTask(reading.zones, start, due, length);
    const lines = [startLine, dueLine, start === undefined || due !== undefined ? undefined : durationLine];
    addUnit(
      reading,
      ["time"],
      value,
      lines.filter((line) => line !== undefined),
    );
  } else if (start !== undefined) {
    const end = readTimeOf(endLine?.item);
    const length = parseDuration(durationLine?.item.value ?? "");
    const lines = [startLine, endLine, durationLine].filter((line) => line !== undefined);
    addUnit(reading, ["time"], readEvent(reading.zones, start, end, length), lines);
  }
}

function startMembers(zones: ZoneNames, start: CalendarTime): OpenObject {
  const zone = zones.nameOf(start.tzid);
  return {
    start: formatLocal(start.localMs),
    ...(zone === undefined ? {} : { timeZone: zone }),
    ...(start.form === "date" ? { showWithoutTime: true } : {}),
  };
}

function readEvent(
  zones: ZoneNames,
  start: CalendarTime,
  end: CalendarTime | undefined,
  length: Duration | undefined,
): JsonObject {
  const value = startMembers(zones, start);
  if (start.form === "date") {
    const days = end === undefined ? (length?.days ?? 1) : Math.floor((end.localMs - start.localMs) / dayMs);
    value.duration = formatDuration({ days: Math.max(days, 1), ms: 0 });
    return value;
  }
  if (end === undefined) {
    if (length !== undefined && length.days * dayMs + length.ms > 0) value.duration = formatDuration(length);
    return value;
  }
  const [zone, endZone] = [zones.nameOf(start.tzid), zones.nameOf(end.tzid)];
  const ms = utcOfLocal(zones.zoneOf(endZone), end.localMs) - utcOfLocal(zones.zoneOf(zone), start.localMs);
  if (ms <= 0) return value;
  value.duration = formatDuration({ days: 0, ms });
  if (endZone !== zone && endZone !== undefined) value.endTimeZone = endZone;
  return value;
}

function readTask(
  zones: ZoneNames,
  start: CalendarTime | undefined,
  due: CalendarTime | undefined,
  length: Duration | undefined,
): JsonObject {
  const timed = [start, due].find((time) => time?.form === "date-time");
  const zone = timed === undefined ? undefined : zones.nameOf(timed.tzid);
  const localOf = (time: CalendarTime) => {
    const own = zones.nameOf(time.tzid);
    if (time.form === "date" || own === zone || own === undefined || zone === undefined) return time.localMs;
    return localOfUtc(zones.zoneOf(zone), utcOfLocal(zones.zoneOf(own), time.localMs));
  };
  const dueMs =
    due !== undefined
      ? localOf(due)
      : start !== undefined && length !== undefined
        ? endOf(zones, zone, localOf(start), length)
        : undefined;
  return {
    ...(start === undefined ? {} : { start: formatLocal(localOf(start)) }),
    ...(dueMs === undefined ? {} : { due: formatLocal(inYears(dueMs)) }),
    ...(zone === undefined ? {} : { timeZone: zone }),
    ...(timed === undefined ? { showWithoutTime: true } : {}),
  };
}

/** The end in the local time of its zone. */
function endOf(
  zones: ZoneNames,
  zone: string | undefined,
  startMs: number,
  { days, ms }: Duration,
  endZone = zone,
): number {
  const utcMs = utcOfLocal(zones.zoneOf(zone), startMs + days * dayMs) + ms;
  return localOfUtc(zones.zoneOf(endZone), utcMs);
}

interface Wanted {
  readonly localMs: number;
  readonly zone: string | undefined;
  readonly isDate: boolean;
}

const timeParameters = new Set(["TZID", "VALUE"]);

/** The old line if it has this time already. */
export function writeTime(
  zones: ZoneNames,
  name: string,
  { localMs, zone, isDate }: Wanted,
  old: Property | undefined,
  tzid = old === undefined ? undefined : parameterValue(old, "TZID"),
): Property {
  const before = readTimeOf(old);
  if (
    before !== undefined &&
    before.localMs === localMs &&
    (before.form === "date") === isDate &&
    (isDate || zones.nameOf(before.tzid) === zone)
  )
    return old!;
  return makeProperty(name, formatTime({ localMs, zone, isDate }), [
    ...timeParametersOf(zones, { zone, isDate }, tzid),
    ...otherParameters(old, timeParameters),
  ]);
}

export function formatTime({ localMs, zone, isDate }: Wanted): string {
  const tzid = zone === utcName ? utcTzid : undefined;
  return formatCalendarTime({ form: isDate ? "date" : "date-time", localMs, tzid });
}

export function timeParametersOf(
  zones: ZoneNames,
  { zone, isDate }: Omit<Wanted, "localMs">,
  preferred: string | undefined,
): Parameter[] {
  if (isDate) return [{ name: "VALUE", values: ["DATE"] }];
  if (zone === utcName) return [];
  if (zone !== undefined) return [{ name: "TZID", values: [zones.tzidOf(zone, preferred)] }];
  // A time with an unknown TZID is floating; the TZID stays.
  return preferred === undefined || zones.nameOf(preferred) !== undefined
    ? []
    : [{ name: "TZID", values: [preferred] }];
}

export function writeTimeUnit(
  zones: ZoneNames,
  isTask: boolean,
  value: JsonObject,
  old: readonly Property[],
): Property[] {
  const oldOf = (name: string) => old.find((property) => property.name === name);
  const text = (name: string) => member(value, name) as string | undefined;
  const zone = text("timeZone");
  const isDate = member(value, "showWithoutTime") === true;
  const startMs = text("start") === undefined ? undefined : parseLocal(text("start")!);
  const written: Property[] = [];
  const start =
    startMs === undefined
      ? undefined
      : writeTime(zones, "DTSTART", { localMs: startMs, zone, isDate }, oldOf("DTSTART"));
  if (start !== undefined) written.push(start);
  const oldDuration = oldOf("DURATION");
  if (isTask) {
    const dueMs = text("due") === undefined ? undefined : parseLocal(text("due")!);
    if (dueMs === undefined) return written;
    if (oldDuration !== undefined && oldOf("DUE") === undefined && startMs !== undefined) {
      const length = parseDuration(oldDuration.value);
      if (length !== undefined && endOf(zones, zone, startMs, length) === dueMs)
        return [...written, oldDuration];
    }
    written.push(writeTime(zones, "DUE", { localMs: dueMs, zone, isDate }, oldOf("DUE"), tzidOf(start)));
    return written;
  }
  const length = parseDuration(text("duration") ?? "");
  if (startMs === undefined || length === undefined) return written;
  const isDefault = isDate && length.days === 1 && length.ms === 0;
  if (
    isDefault &&
    oldOf("DTSTART") !== undefined &&
    oldOf("DTEND") === undefined &&
    oldDuration === undefined
  )
    return written;
  const endZone = text("endTimeZone") ?? zone;
  const isNominal = !isDate && length.days !== 0 && endZone === zone;
  const localMs = isDate ? startMs + length.days * dayMs : endOf(zones, zone, startMs, length, endZone);
  // A time that its clock shows twice is the first of both (RFC 5545 section 3.3.5): it can't say that an event ends at the second. A
  // length without a zone is exact, too, and two times without one are not: the clock that they are read on may change between them. No time
  // says the end of the year 9999.
  const isExact =
    localMs <= calendarTimeMaxMs &&
    (isDate ||
      (endZone !== undefined &&
        utcOfLocal(zones.zoneOf(endZone), localMs) ===
          utcOfLocal(zones.zoneOf(zone), startMs + length.days * dayMs) + length.ms));
  if (
    isNominal ||
    !isExact ||
    (oldDuration !== undefined && oldOf("DTEND") === undefined && endZone === zone)
  )
    return [...written, writeDuration(text("duration")!, length, oldDuration)];
  const oldEnd = oldOf("DTEND");
  const endTzid = oldEnd === undefined ? undefined : parameterValue(oldEnd, "TZID");
  const preferred = endTzid !== undefined && zones.nameOf(endTzid) === endZone ? endTzid : tzidOf(start);
  return [...written, writeTime(zones, "DTEND", { localMs, zone: endZone, isDate }, oldEnd, preferred)];
}

function tzidOf(property: Property | undefined): string | undefined {
  return property === undefined ? undefined : parameterValue(property, "TZID");
}

function writeDuration(text: string, length: Duration, old: Property | undefined): Property {
  const before = parseDuration(old?.value ?? "");
  return before !== undefined && before.days === length.days && before.ms === length.ms
    ? old!
    : makeProperty("DURATION", text, otherParameters(old, timeParameters));
}
