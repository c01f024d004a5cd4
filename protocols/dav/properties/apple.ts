/** Properties that Apple's clients set on calendars, and those of shared calendars (calendarserver-sharing). */
import { unmet } from "../dav-error.ts";
import { principalHref } from "../hrefs.ts";
import { property } from "../property.ts";
import { apple, calendarserver, dav } from "../xml/names.ts";
import { element, escapeText, textElement } from "../xml/write-xml.ts";

const color = /^#(?:[0-9a-f]{6}|[0-9a-f]{8})$/i;
const orderMax = 2 ** 31 - 1;

export const appleProperties = [
  property({
    name: apple("calendar-color"),
    on: ["calendar", "addressbook"],
    isHidden: true,
    read: ({ collection }) => (collection.color === undefined ? undefined : escapeText(collection.color)),
    write: (value) => {
      const text = value?.text.trim();
      if (text !== undefined && !color.test(text))
        throw unmet(403, apple("valid-calendar-color"), "A colour is #rrggbb or #rrggbbaa.");
      return { color: text };
    },
  }),
  property({
    name: apple("calendar-order"),
    on: ["calendar", "addressbook"],
    isHidden: true,
    read: ({ collection }) =>
      collection.order === undefined ? undefined : escapeText(String(collection.order)),
    write: (value) => {
      if (value === undefined) return { order: undefined };
      const order = Number(value.text.trim());
      if (!Number.isInteger(order) || order < 0 || order > orderMax || value.text.trim() === "")
        throw unmet(403, apple("valid-calendar-order"), "An order is a whole number.");
      return { order };
    },
  }),
  property({
    name: calendarserver("invite"),
    on: ["calendar", "addressbook"],
    isHidden: true,
    read: ({ collection: { isOwn, owner } }, { rooms }) =>
      isOwn
        ? undefined
        : element(
            calendarserver("organizer"),
            textElement(dav("href"), principalHref(rooms.collections.ids.encode("agent", owner.agent))),
            textElement(calendarserver("common-name"), owner.name === "" ? owner.address : owner.name),
          ),
  }),
];
