import { uidOf } from "#/src/arrival/deliver-with-calendar.ts";
import { parseStructure } from "#/src/formats/mime/structure.ts";
import { findArrivingCalendar } from "#/src/scheduling/arriving/arriving-calendar.ts";

/** The UID of the iTIP message in a mail; undefined for a mail without one. It reads the mail in this thread, which is that of an import. */
export function uidOfMail(bytes: Uint8Array): string | undefined {
  return uidOf(findArrivingCalendar(bytes, parseStructure(bytes)), true).calendarUid;
}
