/** What a request for busy time says (RFC 6638 section 5, RFC 5546 section 3.3.2): a pure function of its octets, so a thread can compute
 *  it. */
import { findProperty, listComponents, type Property } from "#/src/formats/content-lines/content-line.ts";
import { timeZonesOf } from "#/src/formats/icalendar/find-time-zone.ts";
import type { Span } from "#/src/formats/icalendar/free-busy.ts";
import { readCalendarTime } from "#/src/formats/icalendar/recurrence-set.ts";
import { utcOfLocal, utcZone } from "#/src/formats/icalendar/time-zone.ts";
import { attendeesOfInstanceMax } from "#/src/model/limits.ts";
import { readCalendar } from "./arriving/arriving-calendar.ts";
import type { CalendarAddress } from "./calendar-address.ts";
import { findOrganizer, listAttendees } from "./participants.ts";

export interface FreeBusyRequestFacts {
  readonly organizer: CalendarAddress | undefined;
  readonly attendees: readonly { readonly property: Property; readonly address: CalendarAddress }[];
  readonly range: Span;
  /** UID and ORGANIZER, which the answers repeat. */
  readonly repeated: readonly Property[];
}

/** Or the precondition that it breaks. */
export function readFreeBusyRequest(
  bytes: Uint8Array,
): FreeBusyRequestFacts | "valid-calendar-data" | "valid-scheduling-message" {
  const calendar = readCalendar(bytes);
  if (calendar === undefined) return "valid-calendar-data";
  const components = listComponents(calendar, "VFREEBUSY");
  const [component] = components;
  const isRequest = findProperty(calendar, "METHOD")?.value.trim().toUpperCase() === "REQUEST";
  if (!isRequest || component === undefined || components.length > 1) return "valid-scheduling-message";
  const findZone = timeZonesOf(calendar);
  const [startMs, endMs] = ["DTSTART", "DTEND"].map((name) => {
    const property = findProperty(component, name);
    const time = property && readCalendarTime(property);
    if (time === undefined) return undefined;
    return utcOfLocal((time.tzid === undefined ? undefined : findZone(time.tzid)) ?? utcZone, time.localMs);
  });
  const hasRange = startMs !== undefined && endMs !== undefined && startMs < endMs;
  const attendees = listAttendees(component).map(({ property, address }) => ({ property, address }));
  const [uid, organizer] = ["UID", "ORGANIZER"].map((name) => findProperty(component, name));
  if (!hasRange || uid === undefined || attendees.length > attendeesOfInstanceMax)
    return "valid-scheduling-message";
  return {
    organizer: findOrganizer(component)?.address,
    attendees,
    range: { startMs, endMs },
    repeated: organizer === undefined ? [uid] : [uid, organizer],
  };
}
