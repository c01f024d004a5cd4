/** Times of an event or task as callers write them (`../icalendar/written-time.ts`), made those that JSCalendar has: local times on the clock
 *  of the event, and times in UTC. */
import { z } from "zod";
import { findNamedZone } from "../icalendar/find-time-zone.ts";
import { type TimeZone, utcZone } from "../icalendar/time-zone.ts";
import { localOfWritten, readWrittenTime, utcOfWritten } from "../icalendar/written-time.ts";
import { type Json, type JsonObject, member, type Path } from "../jscontact/json.ts";
import { type ConvertTime, pathWithTimes, timePlacesOf, withTimes } from "../jscontact/time-places.ts";
import { eventSchema, taskSchema } from "./event-schema.ts";
import { formatLocal, formatUtc } from "./local-time.ts";
import { utcName } from "./zone-names.ts";

/** All times of an event or task. */
export const eventTimes = timePlacesOf(z.union([eventSchema, taskSchema]))!;

/** What is no time, and what the clock of its place can't say, stays as it is, for the schema to refuse. An event that begins at a time with
 *  a zone and has none itself is in UTC. `floating`: the clock of an event without a zone. */
export function withWrittenTimes(object: JsonObject, floating: TimeZone): JsonObject {
  const isZoned = ["start", "due"].some((name) => hasZone(member(object, name)));
  const timed =
    isZoned && object.showWithoutTime !== true ? { ...object, timeZone: object.timeZone ?? utcName } : object;
  return withTimes(timed, eventTimes, converting(timed, floating)) as JsonObject;
}

/** A path into the event in which an instance is named by its time. */
export function pathWithWrittenTimes(path: Path, object: JsonObject): Path {
  return pathWithTimes(path, eventTimes, converting(object, utcZone));
}

function converting(object: JsonObject, floating: TimeZone): ConvertTime {
  const areDays = object.showWithoutTime === true;
  const clocks = new Map<string, TimeZone | undefined>();
  const clockOf = (name: "timeZone" | "recurrenceIdTimeZone"): TimeZone | undefined => {
    if (!clocks.has(name)) clocks.set(name, zoneOf(object[name]));
    return clocks.get(name);
  };
  const utcText = (written: string): string => {
    const time = readWrittenTime(written);
    if (time === undefined) return written;
    const clock = typeof object.timeZone === "string" ? clockOf("timeZone") : floating;
    const isKnown = time.offsetMs !== undefined || clock !== undefined;
    return isKnown ? formatUtc(utcOfWritten(time, clock ?? utcZone)) : written;
  };
  const localText = (written: string, name: string): string => {
    const isDay = dayPattern.test(written);
    if (areDays && isDay) return `${written}T00:00:00`;
    // A series of times goes on to the end of that day, as where iCalendar has a day there.
    if (name === "until" && isDay) return `${written}T23:59:59`;
    const time = readWrittenTime(written);
    if (time === undefined) return written;
    // A day is the one that is written.
    if (areDays || time.offsetMs === undefined) return formatLocal(time.localMs);
    const own = name === "recurrenceId" ? clockOf("recurrenceIdTimeZone") : undefined;
    const clock = own ?? clockOf("timeZone");
    const localMs = clock === undefined ? undefined : localOfWritten(time, clock);
    return localMs === undefined ? written : formatLocal(localMs);
  };
  const proposedText = (written: string): string => {
    const time = readWrittenTime(written);
    const isUtc = typeof object.timeZone === "string" || time?.offsetMs !== undefined;
    if (time === undefined) return written;
    return isUtc ? utcText(written) : formatLocal(time.localMs);
  };
  return (written, kind, name) => {
    if (kind === "utc") return utcText(written);
    if (kind === "proposed") return written.split("/").map(proposedText).join("/");
    return localText(written, name);
  };
}

const dayPattern = /^\d{4}-\d\d-\d\d$/;

function hasZone(time: Json | undefined): boolean {
  return typeof time === "string" && readWrittenTime(time)?.offsetMs !== undefined;
}

function zoneOf(name: Json | undefined): TimeZone | undefined {
  if (typeof name !== "string") return undefined;
  return findNamedZone(name) ?? (name === "UTC" || name === utcName ? utcZone : undefined);
}
