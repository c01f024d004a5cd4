/** Properties of calendars (RFC 4791 section 5.2 and 6.2, RFC 7809 section 5.2). */
import { formatCalendarTime, utcTzid } from "#/src/formats/icalendar/calendar-time.ts";
import { componentKinds } from "#/src/formats/icalendar/check-calendar-object.ts";
import {
  attachmentBytesMax,
  attachmentsOfItemMax,
  attendeesOfInstanceMax,
  calendarTimeMaxMs,
  calendarTimeMinMs,
  itemBytesMax,
  recurrenceInstancesMax,
} from "#/src/model/limits.ts";
import { unmet } from "../dav-error.ts";
import { homeHref } from "../hrefs.ts";
import { property } from "../property.ts";
import { acceptTimeZoneText, isZoneName, timeZoneText, zoneNameOf } from "../time-zone-property.ts";
import { findAttribute, listChildren } from "../xml/element.ts";
import { caldav, dav } from "../xml/names.ts";
import { elementWith, escapeText, join, noXml, textElement } from "../xml/write-xml.ts";

function formatUtc(localMs: number): string {
  return formatCalendarTime({ form: "date-time", localMs, tzid: utcTzid });
}

const calendars = ["calendar", "inbox"] as const;
export const collations = ["i;ascii-casemap", "i;octet", "i;unicode-casemap"] as const;

export const caldavProperties = [
  property({
    name: caldav("calendar-home-set"),
    on: ["principal"],
    isHidden: true,
    read: ({ principal }) => textElement(dav("href"), homeHref("calendar", principal.id)),
  }),
  property({
    name: caldav("min-date-time"),
    on: calendars,
    isHidden: true,
    read: () => escapeText(formatUtc(calendarTimeMinMs)),
  }),
  property({
    name: caldav("max-date-time"),
    on: calendars,
    isHidden: true,
    read: () => escapeText(formatUtc(calendarTimeMaxMs)),
  }),
  property({
    name: caldav("max-instances"),
    on: calendars,
    isHidden: true,
    read: () => escapeText(String(recurrenceInstancesMax)),
  }),
  // RFC 8607 section 6: attachments are at this server.
  property({
    name: caldav("managed-attachments-server-URL"),
    on: ["calendar-home"],
    isHidden: true,
    read: () => noXml,
  }),
  property({
    name: caldav("max-attachment-size"),
    on: ["calendar-home", "calendar"],
    isHidden: true,
    read: () => escapeText(String(attachmentBytesMax)),
  }),
  property({
    name: caldav("max-attachments-per-resource"),
    on: ["calendar-home", "calendar"],
    isHidden: true,
    read: () => escapeText(String(attachmentsOfItemMax)),
  }),
  property({
    name: caldav("calendar-description"),
    on: ["calendar"],
    isHidden: true,
    read: ({ collection: { description } }) =>
      description === undefined ? undefined : escapeText(description),
    write: (value) => ({ description: value?.text }),
  }),
  property({
    name: caldav("supported-calendar-component-set"),
    on: calendars,
    isHidden: true,
    read: ({ collection: { components } }) =>
      join((components ?? componentKinds).map((name) => elementWith(caldav("comp"), { name }))),
    write: (value) => {
      const names = listChildren(
        value ?? { ...caldav(""), attributes: [], content: [], children: [], text: "" },
        caldav("comp"),
      );
      const components = names.map((comp) => (findAttribute(comp, "name") ?? "").toUpperCase());
      if (
        components.length === 0 ||
        components.some((name) => !(componentKinds as readonly string[]).includes(name))
      )
        throw unmet(403, caldav("supported-calendar-component"), "There is no calendar of these components.");
      return { components: [...new Set(components)] };
    },
  }),
  property({
    name: caldav("supported-calendar-data"),
    on: calendars,
    isHidden: true,
    read: () => elementWith(caldav("calendar-data"), { "content-type": "text/calendar", version: "2.0" }),
  }),
  property({
    name: caldav("max-resource-size"),
    on: calendars,
    isHidden: true,
    read: () => escapeText(String(itemBytesMax)),
  }),
  property({
    name: caldav("max-attendees-per-instance"),
    on: ["calendar"],
    isHidden: true,
    read: () => escapeText(String(attendeesOfInstanceMax)),
  }),
  property({
    name: caldav("supported-collation-set"),
    on: calendars,
    isHidden: true,
    read: () => join(collations.map((name) => textElement(caldav("supported-collation"), name))),
  }),
  property({
    name: caldav("calendar-timezone"),
    on: calendars,
    isHidden: true,
    read: ({ collection: { timeZone, rights } }) => {
      // The text was written by the owner, so it needs the right to read.
      const text = timeZone === undefined || !rights.has("read") ? undefined : timeZoneText(timeZone);
      return text === undefined ? undefined : escapeText(text);
    },
    write: (value) => {
      if (value === undefined) return { timeZone: undefined };
      return { timeZone: acceptTimeZoneText(value.text) };
    },
  }),
  property({
    name: caldav("calendar-timezone-id"),
    on: calendars,
    isHidden: true,
    read: ({ collection: { timeZone, rights } }) => {
      const name = timeZone === undefined || !rights.has("read") ? undefined : zoneNameOf(timeZone);
      return name === undefined ? undefined : escapeText(name);
    },
    write: (value) => {
      if (value === undefined) return { timeZone: undefined };
      const name = value.text.trim();
      if (!isZoneName(name))
        throw unmet(403, caldav("valid-timezone"), "There is no time zone of this name.");
      return { timeZone: name };
    },
  }),
];
