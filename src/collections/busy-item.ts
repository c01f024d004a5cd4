/** What one calendar object says of the time of its owner: a pure function of octets, done where there is time for it. */
import { listComponents } from "#/src/formats/content-lines/content-line.ts";
import { readContentLines } from "#/src/formats/content-lines/read-content-lines.ts";
import { readCalendarAddress } from "#/src/formats/icalendar/calendar-address.ts";
import type { ExpandRule } from "#/src/formats/icalendar/expand-rule.ts";
import {
  type Availability,
  type BusyPeriod,
  listAvailabilities,
  listBusyPeriods,
  type Span,
} from "#/src/formats/icalendar/free-busy.ts";
import { type TimeZone, utcZone } from "#/src/formats/icalendar/time-zone.ts";
import { findCalendarZone } from "./calendar-zone.ts";

export interface BusyItem {
  readonly bytes: Uint8Array;
  readonly component: string;
  readonly range: Span;
  /** Of floating times and dates, as its calendar has it; undefined: UTC. */
  readonly timeZone: string | undefined;
  /** Calendar user addresses of whose time it is. Without them nobody's answers count. */
  readonly ownAddresses: readonly string[] | undefined;
}

export interface ItemBusy {
  readonly busy: readonly BusyPeriod[];
  readonly availabilities: readonly Availability[];
}

export function busyOfItem(item: BusyItem, floating: TimeZone, expandRule: ExpandRule): ItemBusy {
  const [calendar] = listComponents(readContentLines(item.bytes), "VCALENDAR");
  if (calendar === undefined) return { busy: [], availabilities: [] };
  const { range, ownAddresses } = item;
  const own = ownAddresses && new Set<string>(ownAddresses.map(readCalendarAddress));
  const reading = {
    ...{ range, floating, expandRule },
    ...(own === undefined ? {} : { isOwnAddress: (value: string) => own.has(readCalendarAddress(value)) }),
  };
  return item.component === "VAVAILABILITY"
    ? { availabilities: listAvailabilities(calendar, reading), busy: [] }
    : { availabilities: [], busy: listBusyPeriods(calendar, reading) };
}

/** One whose zone is not known has its times in UTC. */
export function zoneOfCalendar(timeZone: string | undefined): TimeZone {
  return (timeZone === undefined ? undefined : findCalendarZone(timeZone)) ?? utcZone;
}
