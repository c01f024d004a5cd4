/** The addresses of participants, in one form so that they can be compared. */
import { type Property, parameterValue } from "#/src/formats/content-lines/content-line.ts";
import { type CalendarAddress, readCalendarAddress } from "#/src/formats/icalendar/calendar-address.ts";

export { type CalendarAddress, readCalendarAddress };

/** The address of an ORGANIZER or ATTENDEE. The parameter EMAIL (RFC 7986 section 6.2) has the mail address if the value is
 *  another kind of URI, as Apple's clients write it. */
export function addressOfProperty(property: Property): CalendarAddress {
  const address = readCalendarAddress(property.value);
  const email = address.startsWith("mailto:") ? undefined : parameterValue(property, "EMAIL");
  return email === undefined ? address : readCalendarAddress(`mailto:${email}`);
}

export function mailAddressOf(address: CalendarAddress): string | undefined {
  return address.startsWith("mailto:") ? address.slice("mailto:".length) : undefined;
}
