/** Times as callers write them: without seconds, with fractions of them, and with a zone of their own. */
import { findNamedZone } from "../icalendar/find-time-zone.ts";
import { localOfUtc, type TimeZone, utcOfLocal, utcZone } from "../icalendar/time-zone.ts";
import { isObject, type Json, type JsonObject, member, type OpenObject } from "../jscontact/json.ts";
import { formatLocal } from "./local-time.ts";
import { utcName } from "./zone-names.ts";

/** A time with its own zone becomes the same instant on the clock of the event, or of UTC where the event has none. What is no time, and
 *  what that clock can't say, stays as it is, for the schema to refuse. */
export function withLocalTimes(object: JsonObject): JsonObject {
  const changed: OpenObject = { ...object };
  const written = ["start", "due"].map((name) => [name, member(object, name)] as const);
  if (object.showWithoutTime !== true && written.some(([, time]) => hasZone(time)))
    changed.timeZone = object.timeZone ?? utcName;
  const zone = object.showWithoutTime === true ? undefined : zoneOf(changed.timeZone);
  for (const [name, time] of written) if (time !== undefined) changed[name] = localTime(time, zone);
  const { recurrenceRule: rule } = object;
  if (isObject(rule) && member(rule, "until") !== undefined)
    changed.recurrenceRule = { ...rule, until: localTime(rule.until!, zone) };
  return changed;
}

const writtenTime = /^(\d{4}-\d\d-\d\dT\d\d:\d\d)(:\d\d)?(?:\.\d{1,9})?(Z|[+-]\d\d:\d\d)?$/;

function hasZone(time: Json | undefined): boolean {
  return typeof time === "string" && writtenTime.exec(time)?.[3] !== undefined;
}

function zoneOf(name: Json | undefined): TimeZone | undefined {
  if (typeof name !== "string") return undefined;
  return findNamedZone(name) ?? (name === "UTC" || name === utcName ? utcZone : undefined);
}

function localTime(written: Json, zone: TimeZone | undefined): Json {
  const [, minutes, seconds = ":00", offset] =
    (typeof written === "string" && writtenTime.exec(written)) || [];
  if (minutes === undefined) return written;
  if (offset === undefined) return minutes + seconds;
  const utcMs = Date.parse(minutes + seconds + offset);
  if (zone === undefined || Number.isNaN(utcMs)) return written;
  const localMs = localOfUtc(zone, utcMs);
  // The clock shows some times twice, and means the first of both (RFC 5545 section 3.3.5).
  return utcOfLocal(zone, localMs) === utcMs ? formatLocal(localMs) : written;
}
