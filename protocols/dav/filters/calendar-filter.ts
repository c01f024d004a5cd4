/** The filter of a calendar-query (RFC 4791 section 9.7), as values. */
import type { TextMatch } from "./text-match.ts";

/** Section 9.9: UTC, the end is not in it. What is absent is infinite. */
export interface TimeRange {
  readonly startMs: number;
  readonly endMs: number;
}

export interface CompFilter {
  /** In upper case, as all names of a filter. */
  readonly name: string;
  readonly isNotDefined: boolean;
  readonly timeRange: TimeRange | undefined;
  readonly props: readonly PropFilter[];
  readonly comps: readonly CompFilter[];
}

export interface PropFilter {
  readonly name: string;
  readonly isNotDefined: boolean;
  readonly timeRange: TimeRange | undefined;
  readonly textMatch: TextMatch | undefined;
  readonly params: readonly ParamFilter[];
}

export interface ParamFilter {
  readonly name: string;
  readonly isNotDefined: boolean;
  readonly textMatch: TextMatch | undefined;
}

/** The time range of a filter that has no other condition than one kind of component in that range. For such a filter, exact
 *  candidates of the index match, and the object is not read. */
export interface PlainFilter {
  readonly component: string;
  readonly timeRange: TimeRange | undefined;
}

export function plainFilter(filter: CompFilter): PlainFilter | undefined {
  if (filter.isNotDefined || filter.timeRange !== undefined || filter.props.length > 0) return undefined;
  const [inner, ...others] = filter.comps;
  if (inner === undefined || others.length > 0) return undefined;
  if (inner.isNotDefined || inner.props.length > 0 || inner.comps.length > 0) return undefined;
  return { component: inner.name, timeRange: inner.timeRange };
}

/** A time range in which every matching object has an instance; undefined if the filter has none. Ranges of inner components do not
 *  count, as an alarm can be far from its instance. */
export function boundOf(filter: CompFilter): TimeRange | undefined {
  const ranges = filter.comps
    .filter(({ name, isNotDefined }) => !isNotDefined && indexed.has(name))
    .map(({ timeRange }) => timeRange);
  return ranges.find((range) => range !== undefined);
}

const indexed: ReadonlySet<string> = new Set(["VEVENT", "VTODO", "VJOURNAL", "VFREEBUSY", "VAVAILABILITY"]);
