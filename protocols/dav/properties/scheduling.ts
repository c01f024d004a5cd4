/** Properties of RFC 6638: who a principal is in scheduling, and what its calendars do. */

import { defaultCalendarName, invalidDefaultCalendar } from "../default-calendar.ts";
import { homeHref, inboxSegment, outboxSegment, principalHref } from "../hrefs.ts";
import { property } from "../property.ts";
import { listUserAddresses } from "../searched-principals.ts";
import { findChild } from "../xml/element.ts";
import { caldav, calendarserver, dav } from "../xml/names.ts";
import { element, elementWith, escapeText, join, textElement } from "../xml/write-xml.ts";

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
  property({
    name: caldav("schedule-tag"),
    on: ["item"],
    isHidden: true,
    read: ({ item: { scheduleTag } }) =>
      scheduleTag === undefined ? undefined : escapeText(`"${scheduleTag}"`),
  }),
];
