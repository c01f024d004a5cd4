/** The busy periods of one calendar object: a pure function of its octets, so a thread can run it. */
import { listComponents } from "#/src/formats/content-lines/content-line.ts";
import { readContentLines } from "#/src/formats/content-lines/read-content-lines.ts";
import { readCalendarAddress } from "#/src/formats/icalendar/calendar-address.ts";
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
  /** Calendar user addresses of the owner. Without them, no PARTSTAT is taken into account. */
  readonly ownAddresses: readonly string[] | undefined;
}

export interface ItemBusy {
  readonly busy: readonly BusyPeriod[];
  readonly availabilities: readonly Availability[];
}

/** What a thread answers. */
export interface BusyAnswer {
  readonly found: ItemBusy;
  readonly spentMs: number;
}

export function answerBusy(item: BusyItem): BusyAnswer {
  const begun = performance.now();
  const found = busyOfItem(item);
  return { found, spentMs: performance.now() - begun };
}

export function busyOfItem(item: BusyItem): ItemBusy {
  const [calendar] = listComponents(readContentLines(item.bytes), "VCALENDAR");
  if (calendar === undefined) return { busy: [], availabilities: [] };
  const { range, ownAddresses } = item;
  const own = ownAddresses && new Set<string>(ownAddresses.map(readCalendarAddress));
  const reading = {
    ...{ range, floating: zoneOfCalendar(item.timeZone) },
    ...(own === undefined ? {} : { isOwnAddress: (value: string) => own.has(readCalendarAddress(value)) }),
  };
  return item.component === "VAVAILABILITY"
    ? { availabilities: listAvailabilities(calendar, reading), busy: [] }
    : { availabilities: [], busy: listBusyPeriods(calendar, reading) };
}

/** The times of an unknown time zone are read as UTC. */
function zoneOfCalendar(timeZone: string | undefined): TimeZone {
  return (timeZone === undefined ? undefined : findCalendarZone(timeZone)) ?? utcZone;
}
