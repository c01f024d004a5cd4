/** A calendar object as CALDAV:calendar-data asks for it (RFC 4791 section 9.6): parts of it, its instances one by one, and
 *  without standard time zones (RFC 7809 section 7.1). A request for none of this gets the stored octets. */
import {
  type Component,
  changeItems,
  changeProperty,
  findProperty,
  type Item,
  listComponents,
  type Property,
} from "#/src/formats/content-lines/content-line.ts";
import { parsePeriod, utcTzid } from "#/src/formats/icalendar/calendar-time.ts";
import { expandComponents, listUnexpanded } from "#/src/formats/icalendar/expand-components.ts";
import { findNamedZone } from "#/src/formats/icalendar/find-time-zone.ts";
import { readRecurrenceSet } from "#/src/formats/icalendar/recurrence-set.ts";
import type { TimeZone } from "#/src/formats/icalendar/time-zone.ts";
import { recurrenceDatesMax } from "#/src/model/limits.ts";
import type { TimeRange } from "./calendar-filter.ts";
import { calendarTarget, instantOf, overlapsPeriod } from "./overlaps.ts";

/** CALDAV:comp (section 9.6.1). */
export interface CompSelection {
  readonly name: string;
  /** By name, true where only the name is wanted (novalue). */
  readonly props: "all" | ReadonlyMap<string, boolean>;
  readonly comps: "all" | readonly CompSelection[];
}

export interface CalendarDataRequest {
  readonly comp: CompSelection | undefined;
  readonly expand: TimeRange | undefined;
  readonly limitRecurrenceSet: TimeRange | undefined;
  readonly limitFreebusySet: TimeRange | undefined;
  /** `CalDAV-Timezones: F` (RFC 7809 section 7.1). */
  readonly hasNoStandardZones: boolean;
}

/** Whether the answer is the stored octets without a change. */
export function isWholeObject(request: CalendarDataRequest): boolean {
  return (
    request.comp === undefined &&
    request.expand === undefined &&
    request.limitRecurrenceSet === undefined &&
    request.limitFreebusySet === undefined &&
    !request.hasNoStandardZones
  );
}

/** Returns undefined if the instances are too many, or too much work, for the limits. */
export function selectCalendarData(
  request: CalendarDataRequest,
  calendar: Component,
  floating: TimeZone,
): Component | undefined {
  let selected: Component | undefined = calendar;
  if (request.expand !== undefined) selected = expandCalendar(selected, request.expand, floating);
  else if (request.limitRecurrenceSet !== undefined)
    selected = limitRecurrenceSet(selected, request.limitRecurrenceSet, floating);
  if (selected === undefined) return undefined;
  if (request.limitFreebusySet !== undefined) selected = limitFreeBusySet(selected, request.limitFreebusySet);
  if (request.hasNoStandardZones) selected = withoutStandardZones(selected);
  return request.comp === undefined ? selected : selectComponent(selected, request.comp);
}

/** Section 9.6.5: instances that overlap the range, each a component of its own in UTC, and no time zones. */
function expandCalendar(calendar: Component, range: TimeRange, floating: TimeZone): Component | undefined {
  const { findZone } = calendarTarget(calendar, floating);
  const components = listComponents(calendar).filter(({ name }) => recurring.has(name));
  const expanded: Component[] = [];
  for (const one of seriesOf(components)) {
    const set = readRecurrenceSet(one, findZone, floating);
    const instances = expandComponents(set, range.startMs, range.endMs);
    if (instances === undefined) return undefined;
    expanded.push(...listUnexpanded(set, one), ...instances);
  }
  const others = calendar.items.filter(
    (item) => item.kind !== "component" || (!recurring.has(item.name) && item.name !== "VTIMEZONE"),
  );
  return changeItems(calendar, [...others, ...expanded]);
}

const recurring: ReadonlySet<string> = new Set(["VEVENT", "VTODO", "VJOURNAL"]);

function seriesOf(components: readonly Component[]): Iterable<Component[]> {
  return Map.groupBy(
    components,
    (component) => `${component.name} ${findProperty(component, "UID")?.value ?? ""}`,
  ).values();
}

/** Section 9.6.6: the series, and the changed instances that are in the range or were before they were changed. */
function limitRecurrenceSet(calendar: Component, range: TimeRange, floating: TimeZone): Component {
  const target = calendarTarget(calendar, floating);
  const set = readRecurrenceSet(
    listComponents(calendar).filter(({ name }) => recurring.has(name)),
    target.findZone,
    floating,
  );
  const isIn = (startMs: number, endMs: number) =>
    startMs < range.endMs && (endMs > range.startMs || (startMs === endMs && startMs >= range.startMs));
  const isKept = new Set<Item>();
  for (const override of set.overrides) {
    const { span, recurrenceId, start, isThisAndFuture } = override;
    const lengthMs = span.days * 86_400_000 + span.ms;
    const [startMs, wasMs] = [instantOf(target, start), instantOf(target, recurrenceId)];
    const isLater = isThisAndFuture && wasMs < range.endMs;
    const wasLengthMs =
      set.master === undefined ? lengthMs : set.master.span.days * 86_400_000 + set.master.span.ms;
    if (isLater || isIn(startMs, startMs + lengthMs) || isIn(wasMs, wasMs + wasLengthMs))
      isKept.add(override.component);
  }
  return changeItems(
    calendar,
    calendar.items.filter(
      (item) =>
        item.kind !== "component" ||
        !recurring.has(item.name) ||
        findProperty(item, "RECURRENCE-ID") === undefined ||
        isKept.has(item),
    ),
  );
}

/** Section 9.6.7: of FREEBUSY, the periods that overlap the range. */
function limitFreeBusySet(calendar: Component, range: TimeRange): Component {
  return changeItems(
    calendar,
    calendar.items.map((item) =>
      item.kind === "component" && item.name === "VFREEBUSY"
        ? changeItems(
            item,
            item.items.flatMap((inner) => limitFreeBusy(inner, range)),
          )
        : item,
    ),
  );
}

function limitFreeBusy(item: Item, range: TimeRange): Item[] {
  if (item.kind !== "property" || item.name !== "FREEBUSY") return [item];
  const periods = item.value.split(",", recurrenceDatesMax);
  const kept = periods.filter((text) => {
    const period = parsePeriod(text, utcTzid);
    return period !== undefined && overlapsPeriod(period, range);
  });
  if (kept.length === 0) return [];
  return [kept.length === periods.length ? item : changeProperty(item, { value: kept.join(",") })];
}

/** Leaves out time zones that a standard name identifies. */
export function withoutStandardZones(calendar: Component): Component {
  return changeItems(
    calendar,
    calendar.items.filter(
      (item) =>
        item.kind !== "component" ||
        item.name !== "VTIMEZONE" ||
        findNamedZone(findProperty(item, "TZID")?.value ?? "") === undefined,
    ),
  );
}

/** Sections 9.6.1 to 9.6.4. */
function selectComponent(component: Component, { props, comps }: CompSelection): Component {
  const selections = comps === "all" ? comps : new Map(comps.map((inner) => [inner.name, inner]));
  return changeItems(
    component,
    component.items.flatMap((item): Item[] => {
      if (item.kind === "component") {
        if (selections === "all") return [item];
        const selection = selections.get(item.name);
        return selection === undefined ? [] : [selectComponent(item, selection)];
      }
      if (item.kind === "unread" || props === "all") return item.kind === "unread" ? [] : [item];
      const hasNoValue = props.get(item.name);
      if (hasNoValue === undefined) return [];
      return [hasNoValue ? withoutValue(item) : item];
    }),
  );
}

function withoutValue(property: Property): Property {
  return changeProperty(property, { value: "" });
}
