/** Whether a calendar object matches the filter of a calendar-query (RFC 4791 section 9.7.1 to 9.7.3).
 *  A component filter matches if there is a component of that name for which everything in it matches; a time range is that of
 *  its instances, so a changed instance answers with its own properties. */
import {
  type Component,
  listComponents,
  listProperties,
  type Property,
  parameterValues,
} from "#/src/formats/content-lines/content-line.ts";
import { parseText } from "#/src/formats/icalendar/text-value.ts";
import type { TimeZone } from "#/src/formats/icalendar/time-zone.ts";
import type { CompFilter, ParamFilter, PropFilter } from "./calendar-filter.ts";
import { type CalendarTarget, calendarTarget, overlapsComponent, overlapsProperty } from "./overlaps.ts";
import type { ComponentPath } from "./series.ts";
import { matchesTextOf, valuePart } from "./text-match.ts";

/** `filter` is that of the VCALENDAR. */
export function matchesCalendar(filter: CompFilter, calendar: Component, floating: TimeZone): boolean {
  if (filter.name !== calendar.name) return filter.isNotDefined;
  return !filter.isNotDefined && matchesComponent(calendarTarget(calendar, floating), filter, [calendar]);
}

function matchesComponent(target: CalendarTarget, filter: CompFilter, path: ComponentPath): boolean {
  const component = path.at(-1)!;
  return (
    // The cheapest condition comes first.
    filter.props.every((prop) => matchesProp(target, prop, component)) &&
    filter.comps.every((inner) => matchesInner(target, inner, path)) &&
    (filter.timeRange === undefined || overlapsComponent(target, path, filter.timeRange))
  );
}

function matchesInner(target: CalendarTarget, filter: CompFilter, path: ComponentPath): boolean {
  const components = listComponents(path.at(-1)!, filter.name);
  if (filter.isNotDefined) return components.length === 0;
  return components.some((component) => matchesComponent(target, filter, [...path, component]));
}

function matchesProp(target: CalendarTarget, filter: PropFilter, component: Component): boolean {
  const properties = listProperties(component, filter.name);
  if (filter.isNotDefined) return properties.length === 0;
  return properties.some(
    (property) =>
      filter.params.every((param) => matchesParam(param, property)) &&
      (filter.textMatch === undefined ||
        matchesTextOf(filter.textMatch, property, valuePart, () => [parseText(property.value)])) &&
      (filter.timeRange === undefined || overlapsProperty(target, property, filter.timeRange)),
  );
}

function matchesParam(filter: ParamFilter, property: Property): boolean {
  const isThere = property.parameters.some(({ name }) => name === filter.name);
  if (filter.isNotDefined) return !isThere;
  const { textMatch } = filter;
  if (!isThere || textMatch === undefined) return isThere;
  return matchesTextOf(textMatch, property, filter.name, () => parameterValues(property, filter.name));
}
