/** The calendar that CALDAV:schedule-default-calendar-URL of the scheduling inbox names (RFC 6638 section 9.2). */
import { type DavError, unmet } from "../dav-error.ts";
import type { DavRequest } from "../request.ts";
import type { CollectionResource } from "../resource.ts";
import { caldav } from "../xml/names.ts";

export const defaultCalendarName = caldav("schedule-default-calendar-URL");

/** A calendar of the inbox's owner. Throws valid-schedule-default-calendar-URL. */
export async function findDefaultCalendar(
  { tree }: DavRequest,
  inbox: CollectionResource,
  href: string,
): Promise<CollectionResource> {
  const found = await tree.find(href);
  if (found?.kind !== "calendar" || found.collection.agent !== inbox.collection.agent)
    throw invalidDefaultCalendar();
  return found;
}

export function invalidDefaultCalendar(): DavError {
  return unmet(
    403,
    caldav("valid-schedule-default-calendar-URL"),
    "The default calendar is a calendar of the inbox's owner that takes events.",
  );
}
