/** CALDAV:calendar-data of a report (RFC 4791 section 9.6). Throws supported-calendar-data and valid-filter. */
import { unmet } from "../dav-error.ts";
import { findAttribute, findChild, listChildren, type XmlElement } from "../xml/element.ts";
import { caldav } from "../xml/names.ts";
import type { CalendarDataRequest, CompSelection } from "./calendar-data.ts";
import type { TimeRange } from "./calendar-filter.ts";
import { readTimeRange } from "./read-calendar-filter.ts";

export function readCalendarData(element: XmlElement, hasNoStandardZones: boolean): CalendarDataRequest {
  const type = findAttribute(element, "content-type")?.trim().toLowerCase() ?? "text/calendar";
  const version = findAttribute(element, "version")?.trim() ?? "2.0";
  if (type !== "text/calendar" || version !== "2.0")
    throw unmet(403, caldav("supported-calendar-data"), "Calendar data is text/calendar of version 2.0.");
  const comp = findChild(element, caldav("comp"));
  return {
    comp: comp === undefined ? undefined : readSelection(comp),
    expand: rangeOf(element, "expand"),
    limitRecurrenceSet: rangeOf(element, "limit-recurrence-set"),
    limitFreebusySet: rangeOf(element, "limit-freebusy-set"),
    hasNoStandardZones,
  };
}

function rangeOf(element: XmlElement, name: string): TimeRange | undefined {
  const range = findChild(element, caldav(name));
  return range === undefined ? undefined : readTimeRange(range, true);
}

/** Section 9.6.1. An empty CALDAV:comp means all that the component has, as in the example of section 7.8.1. */
function readSelection(element: XmlElement): CompSelection {
  const props = listChildren(element, caldav("prop"));
  const comps = listChildren(element, caldav("comp"));
  const isEmpty = element.children.length === 0;
  const hasAll = (name: string) => isEmpty || findChild(element, caldav(name)) !== undefined;
  return {
    name: (findAttribute(element, "name") ?? "").trim().toUpperCase(),
    props: hasAll("allprop")
      ? "all"
      : new Map(
          props.map((prop) => [
            (findAttribute(prop, "name") ?? "").trim().toUpperCase(),
            findAttribute(prop, "novalue") === "yes",
          ]),
        ),
    comps: hasAll("allcomp") ? "all" : comps.map(readSelection),
  };
}
