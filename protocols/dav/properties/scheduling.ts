/** Properties of RFC 6638: who a principal is in scheduling, and what its calendars do. */
import { readContentLines } from "#/src/formats/content-lines/read-content-lines.ts";
import { checkCalendarObject } from "#/src/formats/icalendar/check-calendar-object.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import { mainBytesMax } from "#/src/model/limits.ts";
import { defaultCalendarName, invalidDefaultCalendar } from "../collections/default-calendar.ts";
import { unmet } from "../dav-error.ts";
import { homeHref, inboxSegment, outboxSegment, principalHref } from "../hrefs.ts";
import { property } from "../property.ts";
import { listUserAddresses } from "../searched-principals.ts";
import { findChild } from "../xml/element.ts";
import { caldav, calendarserver, dav, type XmlName } from "../xml/names.ts";
import { element, elementWith, escapeText, join, textElement } from "../xml/write-xml.ts";

/** RFC 7953 section 7.2.4, and as Apple's clients call it. */
function availability(name: XmlName) {
  return property({
    name,
    on: ["inbox"],
    isHidden: true,
    read: ({ collection }) =>
      collection.availability === undefined ? undefined : escapeText(collection.availability),
    write: (value) => {
      if (value === undefined) return { availability: undefined };
      assertAvailability(value.text);
      return { availability: value.text };
    },
  });
}

function assertAvailability(text: string): void {
  if (text.length > mainBytesMax)
    throw unmet(403, caldav("valid-calendar-data"), "The availability has more than 4 KiB.");
  try {
    const checked = checkCalendarObject(readContentLines(Buffer.from(text)));
    if ("kind" in checked && checked.kind === "VAVAILABILITY") return;
  } catch (error) {
    if (!isWaypostError(error)) throw error;
  }
  throw unmet(403, caldav("valid-calendar-data"), "The text is not one VCALENDAR with a VAVAILABILITY.");
}

export const schedulingProperties = [
  property({
    name: caldav("calendar-user-address-set"),
    on: ["principal"],
    isHidden: true,
    read: async ({ principal }, request) =>
      join([
        ...(await listUserAddresses(request, principal)).map((address, at) =>
          elementWith(dav("href"), at === 0 ? { preferred: "1" } : {}, escapeText(`mailto:${address}`)),
        ),
        textElement(dav("href"), principalHref(principal.id)),
      ]),
  }),
  property({
    name: calendarserver("email-address-set"),
    on: ["principal"],
    isHidden: true,
    read: async ({ principal }, request) =>
      join(
        (await listUserAddresses(request, principal)).map((address) =>
          textElement(calendarserver("email-address"), address),
        ),
      ),
  }),
  property({
    name: caldav("calendar-user-type"),
    on: ["principal"],
    isHidden: true,
    read: () => escapeText("INDIVIDUAL"),
  }),
  property({
    name: caldav("schedule-inbox-URL"),
    on: ["principal"],
    isHidden: true,
    read: ({ principal }) =>
      textElement(dav("href"), `${homeHref("calendar", principal.id)}${inboxSegment}/`),
  }),
  property({
    name: caldav("schedule-outbox-URL"),
    on: ["principal"],
    isHidden: true,
    read: ({ principal }) =>
      textElement(dav("href"), `${homeHref("calendar", principal.id)}${outboxSegment}/`),
  }),
  property({
    name: caldav("schedule-calendar-transp"),
    on: ["calendar"],
    isHidden: true,
    read: ({ collection: { isTransparent } }) => element(caldav(isTransparent ? "transparent" : "opaque")),
    write: (value) => ({
      isTransparent: value !== undefined && findChild(value, caldav("transparent")) !== undefined,
    }),
  }),
  property({
    name: defaultCalendarName,
    on: ["inbox"],
    isHidden: true,
    read: async ({ principal }, { reach, tree }) => {
      const all = await reach.list("calendar");
      const found = all.find(({ agent, role }) => agent === principal.agent && role === "default");
      return found && textElement(dav("href"), tree.collectionOf(principal, found).href);
    },
    write: (value) => {
      const href = value && findChild(value, dav("href"))?.text.trim();
      // RFC 6638 section 9.2: what arrives has to have a calendar.
      if (href === undefined || href === "") throw invalidDefaultCalendar();
      return { defaultCalendarHref: href };
    },
  }),
  ...[caldav, calendarserver].map((standard) => availability(standard("calendar-availability"))),
  property({
    name: caldav("schedule-tag"),
    on: ["item"],
    isHidden: true,
    read: ({ item: { scheduleTag } }) =>
      scheduleTag === undefined ? undefined : escapeText(`"${scheduleTag}"`),
  }),
];
