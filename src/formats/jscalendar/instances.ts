/** Reads and changes one instance of a series: a change is an override of the series (RFC 8984 section 4.3.5). The caller checks
 *  whether the rules give the instance. */
import { WaypostError } from "#/src/model/errors.ts";
import { dayMs } from "../icalendar/calendar-time.ts";
import { utcZone } from "../icalendar/time-zone.ts";
import { isEqual, isObject, type JsonObject, member } from "../jscontact/json.ts";
import { patchEvent, replaceEvent } from "./accept-event.ts";
import { formatLocal, parseLocal } from "./local-time.ts";
import { applyOverride, instanceOf, isExcluded, patchTo } from "./series.ts";

/** The instance as an object of its own, with its recurrence id; undefined if it is excluded, or if the event does not repeat. */
export function findInstance(event: JsonObject, recurrenceId: string): JsonObject | undefined {
  if (member(event, "recurrenceId") !== undefined)
    return event.recurrenceId === recurrenceId ? event : undefined;
  const patch = overrideOf(event, recurrenceId);
  if (isExcluded(patch)) return undefined;
  if (patch === undefined && member(event, "recurrenceRule") === undefined) return undefined;
  const applied = applyOverride(instanceOf(event, recurrenceId), isObject(patch) ? patch : {});
  if ("failed" in applied) return undefined;
  const zone = member(event, "timeZone");
  return {
    "@type": event["@type"]!,
    uid: event.uid!,
    ...applied.object,
    recurrenceId,
    ...(zone === undefined ? {} : { recurrenceIdTimeZone: zone }),
  };
}

function overrideOf(event: JsonObject, recurrenceId: string) {
  const overrides = member(event, "recurrenceOverrides");
  return isObject(overrides) ? member(overrides, recurrenceId) : undefined;
}

export type EventChange = { readonly patch: JsonObject } | { readonly body: JsonObject };

/** The series in which that instance is changed. */
export function changeInstance(
  event: JsonObject,
  recurrenceId: string,
  change: EventChange,
  floating = utcZone,
): JsonObject {
  if (member(event, "recurrenceId") !== undefined) return changeEvent(event, change, floating);
  const instance = findInstance(event, recurrenceId);
  if (instance === undefined) throw noInstance();
  const { recurrenceId: _, recurrenceIdTimeZone: __, ...before } = instance;
  const after = changeEvent(before, change, floating);
  for (const name of ["recurrenceRule", "recurrenceOverrides"])
    if (member(after, name) !== undefined)
      throw new WaypostError("invalid", "A single instance has no recurrence rule.", {
        field: `/${name}`,
        hint: "Name the event without # to change the series.",
      });
  const old = overrideOf(event, recurrenceId);
  const patch = patchTo(instanceOf(event, recurrenceId), after);
  if (isEqual(old ?? {}, patch)) return event;
  return withOverride(event, recurrenceId, patch);
}

/** The series without that instance. */
export function excludeInstance(event: JsonObject, recurrenceId: string): JsonObject {
  if (findInstance(event, recurrenceId) === undefined || member(event, "recurrenceId") !== undefined)
    throw noInstance();
  return withOverride(event, recurrenceId, { excluded: true });
}

function withOverride(event: JsonObject, recurrenceId: string, patch: JsonObject): JsonObject {
  const overrides = (member(event, "recurrenceOverrides") ?? {}) as JsonObject;
  return { ...event, recurrenceOverrides: { ...overrides, [recurrenceId]: patch } };
}

/** `floating`: the clock of an event without a zone. */
export function changeEvent(event: JsonObject, change: EventChange, floating = utcZone): JsonObject {
  if ("body" in change) return replaceEvent(event, change.body, floating);
  const changed = patchEvent(event, change.patch, floating);
  const isAboutDates = Object.keys(change.patch).some((name) =>
    /^recurrence(?:Rule|Overrides)(?:$|\/)/.test(name),
  );
  return isAboutDates ? changed : withDatesMoved(event, changed);
}

/** A series whose start moves takes along what names its instances by their time: exclusions, added dates and changed instances, and the
 *  end of its rule. A rule that names days or months keeps its days, so only the time of day moves then. */
function withDatesMoved(before: JsonObject, after: JsonObject): JsonObject {
  const [was, is] = [startOf(before), startOf(after)];
  const rule = member(after, "recurrenceRule");
  const overrides = member(after, "recurrenceOverrides");
  if (was === undefined || is === undefined || was === is) return after;
  const hasDays = isObject(rule) && Object.keys(rule).some((name) => name.startsWith("by"));
  const movedMs = hasDays ? (is % dayMs) - (was % dayMs) : is - was;
  const moved = (local: string): string => {
    const localMs = parseLocal(local);
    return localMs === undefined ? local : formatLocal(localMs + movedMs);
  };
  const until = isObject(rule) ? member(rule, "until") : undefined;
  return {
    ...after,
    ...(typeof until === "string"
      ? { recurrenceRule: { ...(rule as JsonObject), until: moved(until) } }
      : {}),
    ...(isObject(overrides)
      ? {
          recurrenceOverrides: Object.fromEntries(
            Object.entries(overrides).map(([id, patch]) => [moved(id), patch]),
          ),
        }
      : {}),
  };
}

function startOf(event: JsonObject): number | undefined {
  const start = member(event, "start");
  return typeof start === "string" ? parseLocal(start) : undefined;
}

export function noInstance(): WaypostError {
  return new WaypostError("not_found", "There is no such object.");
}
