/** Times in requests: with a zone, or without one as the clock of the caller's default calendar shows them; that of UTC if it has none. */
import { z } from "zod";
import { findCalendarZone } from "#/src/collections/calendar-zone.ts";
import { type TimeZone, utcZone } from "#/src/formats/icalendar/time-zone.ts";
import { readWrittenTime, utcOfWritten } from "#/src/formats/icalendar/written-time.ts";
import type { OperationContext } from "./operation.ts";

export const givenTime = z.iso.datetime({ offset: true, local: true });
export const givenTimeForm =
  "2026-01-31T09:00:00Z, or without a zone on the clock of the default calendar (else UTC).";

/** An end of a range: a time, or a day, which stands for its beginning. */
export const givenMoment = z.union([givenTime, z.iso.date()]);
export const givenMomentForm = `${givenTimeForm} A day alone, 2026-01-31, is its beginning.`;
const dayLength = "2026-01-31".length;

export async function readTime(
  context: Pick<OperationContext, "rooms" | "principal">,
  text: string,
): Promise<number> {
  // The schema has read it.
  const time = readWrittenTime(text.length === dayLength ? `${text}T00:00` : text)!;
  return utcOfWritten(time, time.offsetMs === undefined ? await defaultZone(context) : utcZone);
}

export async function defaultZone({
  rooms: { collections },
  principal,
}: Pick<OperationContext, "rooms" | "principal">): Promise<TimeZone> {
  const calendar = await collections.findCollectionOfRole(principal.agent, "calendar", "default");
  return (calendar?.timeZone === undefined ? undefined : findCalendarZone(calendar.timeZone)) ?? utcZone;
}
