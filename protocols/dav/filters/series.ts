/** Expands the series of one calendar object for a filter. Expansions are cached while the object is tested, because a filter needs
 *  the same range once for each override. */
import { type Component, findProperty, listComponents } from "#/src/formats/content-lines/content-line.ts";
import { expandRecurrenceSet, type Occurrence } from "#/src/formats/icalendar/expand-recurrence-set.ts";
import type { FindTimeZone } from "#/src/formats/icalendar/find-time-zone.ts";
import { type RecurrenceSet, readRecurrenceSet } from "#/src/formats/icalendar/recurrence-set.ts";
import type { TimeZone } from "#/src/formats/icalendar/time-zone.ts";

/** From the VCALENDAR to a component: `[calendar, event, alarm]`. */
export type ComponentPath = readonly Component[];

export interface ExpandedSeries {
  /** The instances that have the properties of the component. */
  of(component: Component): readonly Occurrence[];
  readonly goesOn: boolean;
}

export interface SeriesOfObject {
  /** Expands the series of the last component of the path; undefined beyond the limits. */
  expand(path: ComponentPath, fromMs: number, toMs: number): ExpandedSeries | undefined;
  /** The start of the series, in its local time. */
  findStart(path: ComponentPath): number | undefined;
}

/** Expansions of one object that follow rules; alarms with other triggers ask for other ranges. Beyond that they are undefined. */
const expansionsMax = 20;

interface KeptSeries {
  readonly components: Component[];
  set: RecurrenceSet | undefined;
  readonly expansions: Map<string, ExpandedSeries | undefined>;
}

export function createSeries(findZone: FindTimeZone, floating: TimeZone): SeriesOfObject {
  const byParent = new Map<Component | undefined, ReadonlyMap<string, KeptSeries>>();
  let expansionsLeft = expansionsMax;

  function find(path: ComponentPath): KeptSeries {
    const component = path.at(-1)!;
    const parent = path.at(-2);
    let series = byParent.get(parent);
    if (series === undefined) {
      series = groupSeries(parent === undefined ? [component] : listComponents(parent));
      byParent.set(parent, series);
    }
    return series.get(seriesKey(component))!;
  }

  function setOf(series: KeptSeries): RecurrenceSet {
    series.set ??= readRecurrenceSet(series.components, findZone, floating);
    return series.set;
  }

  return {
    expand(path, fromMs, toMs) {
      const series = find(path);
      const key = `${fromMs} ${toMs}`;
      if (series.expansions.has(key)) return series.expansions.get(key);
      const set = setOf(series);
      if (set.master !== undefined && set.master.rules.length > 0) expansionsLeft--;
      const expanded = expansionsLeft < 0 ? undefined : expand(set, fromMs, toMs);
      series.expansions.set(key, expanded);
      return expanded;
    },
    findStart: (path) => setOf(find(path)).master?.start.localMs,
  };
}

function groupSeries(components: readonly Component[]): ReadonlyMap<string, KeptSeries> {
  const series = new Map<string, KeptSeries>();
  for (const component of components) {
    const key = seriesKey(component);
    const known = series.get(key);
    if (known === undefined)
      series.set(key, { components: [component], set: undefined, expansions: new Map() });
    else known.components.push(component);
  }
  return series;
}

function seriesKey(component: Component): string {
  return `${component.name} ${findProperty(component, "UID")?.value ?? ""}`;
}

function expand(set: RecurrenceSet, fromMs: number, toMs: number): ExpandedSeries | undefined {
  const expansion = expandRecurrenceSet(set, fromMs, toMs);
  if (expansion === undefined) return undefined;
  const byComponent = Map.groupBy(expansion.occurrences, ({ component }) => component);
  return { of: (component) => byComponent.get(component) ?? [], goesOn: expansion.goesOn };
}
