/** Reads one VEVENT or VTODO into members of JSCalendar. Every line belongs to a unit; lines without a counterpart are in
 *  `iCalendar`, as jCal. */
import {
  type Component,
  type Item,
  makeProperty,
  type Property,
  parameterValue,
} from "../content-lines/content-line.ts";
import { formatText, parseText } from "../icalendar/text-value.ts";
import {
  formatPointer,
  type Json,
  type JsonObject,
  member,
  type OpenObject,
  type Path,
  parsePointer,
  put,
  withAt,
} from "../jscontact/json.ts";
import { parseJsonText } from "../jscontact/json-text.ts";
import { readEntries } from "./entries.ts";
import { mayBeMember } from "./event-schema.ts";
import { readJcalComponent, readJcalProperty } from "./ical-component.ts";
import { readParticipants } from "./participants.ts";
import { addUnit, type Line, linesOf, type Reading, startReading, takeLines } from "./reading.ts";
import { readRecurrence, readSingles } from "./singles.ts";
import { readTimeUnit } from "./time-unit.ts";
import { joinUnits, splitUnits, type Units, unitKeyOf } from "./unit.ts";
import type { ZoneNames } from "./zone-names.ts";

export interface ReadComponent {
  readonly object: JsonObject;
  readonly units: Units;
  /** For each unit, the items of the component that express it. */
  readonly lines: ReadonlyMap<string, readonly number[]>;
}

/** Properties that `read-event.ts` reads for the whole series. */
const ofSeries: ReadonlySet<string> = new Set(["RECURRENCE-ID", "EXDATE", "RDATE"]);

/** `ownDates`: whether EXDATE and RDATE of this component are read as overrides of the series. */
export function readComponent(component: Component, zones: ZoneNames, ownDates = true): ReadComponent {
  const reading = startReading(component, zones);
  readSingles(reading);
  readTimeUnit(reading);
  readRecurrence(reading);
  readParticipants(reading);
  readEntries(reading);
  let object = withExtensions(reading, joinUnits(reading.units, component.name.toLowerCase()));
  const left = readRest(reading, ownDates);
  if (left !== undefined) object = { ...object, iCalendar: left };
  return { object, units: splitUnits(object), lines: reading.lines };
}

/** Bound on the lines in `iCalendar`; further ones are only in the text. */
const leftLinesMax = 1000;

/** Bound on JSPROP lines, because each copies a part of the object; later ones are read as ordinary lines. */
const extensionsMax = 200;

function readRest(reading: Reading, ownDates: boolean): JsonObject | undefined {
  const before = new Set(reading.units.keys());
  const counts = new Map<string, number>();
  let linesLeft = leftLinesMax;
  const add = (list: "properties" | "components", value: Json, index: number, item: Item) => {
    const text = JSON.stringify(value);
    const count = counts.get(text) ?? 0;
    counts.set(text, count + 1);
    addUnit(reading, ["iCalendar", list, text, String(count)], value, [{ index, item }]);
  };
  for (const [index, item] of reading.component.items.entries()) {
    if (reading.taken.has(index)) continue;
    if (linesLeft-- === 0) break;
    if (item.kind === "component") add("components", readJcalComponent(item), index, item);
    else if (item.kind === "property" && !isHidden(item, ownDates))
      add("properties", readJcalProperty(item), index, item);
  }
  const rest = [...reading.units].filter(([key]) => !before.has(key));
  if (rest.length === 0) return undefined;
  return joinUnits(rest, reading.component.name.toLowerCase()).iCalendar as JsonObject;
}

/** Properties that the series expresses, and lines whose parameters have no names. */
function isHidden({ name, parameters }: Property, ownDates: boolean): boolean {
  if (ofSeries.has(name) && (ownDates || name === "RECURRENCE-ID")) return true;
  return parameters.some((parameter) => !/^[A-Za-z0-9_-]{1,100}$/.test(parameter.name));
}

/** With what the lines JSPROP say. A member that would not be one that a caller may write stays as it is without them: whoever writes an
 *  invitation could make an event that nobody can answer. */
function withExtensions(reading: Reading, object: JsonObject): JsonObject {
  const applied: (Extended & { readonly line: Line })[] = [];
  const own = new WeakSet<object>();
  let extended = object;
  for (const line of linesOf(reading, "JSPROP").slice(0, extensionsMax)) {
    const one = applyExtension(extended, line, own);
    if (one === undefined) continue;
    extended = one.object;
    applied.push({ ...one, line });
  }
  const tops = new Set(applied.map(({ top }) => top));
  const wrong = new Set([...tops].filter((top) => !mayBeMember(reading.isTask, top, extended[top]!)));
  const mended: OpenObject = { ...extended };
  for (const top of wrong) {
    const before = member(object, top);
    if (before === undefined) delete mended[top];
    else put(mended, top, before);
  }
  for (const { key, top, line } of applied) if (!wrong.has(top)) takeLines(reading, key, [line]);
  return mended;
}

interface Extended {
  readonly object: JsonObject;
  readonly key: string;
  readonly top: string;
}

/** JSPROP: a member that iCalendar does not have, at the place that JSPTR names:
 *  JSPROP;JSPTR="locale":"de" */
function applyExtension(object: JsonObject, { item }: Line, own: WeakSet<object>): Extended | undefined {
  const path = parsePointer(parameterValue(item, "JSPTR") ?? "");
  const key = unitKeyOf(path);
  // The value is TEXT; some writers do not escape it.
  const parsed = parseJsonText([parseText(item.value), item.value]);
  if (key === undefined || path.includes("__proto__") || path[0] === "uid" || parsed === undefined)
    return undefined;
  const changed = withAt(object, path, parsed.value, own);
  return changed === undefined ? undefined : { object: changed as JsonObject, key, top: path[0]! };
}

export function writeExtension(path: Path, value: Json): Property {
  return makeProperty("JSPROP", formatText(JSON.stringify(value)), [
    { name: "JSPTR", values: [formatPointer(path)] },
  ]);
}
