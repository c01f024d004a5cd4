/** Calendar user addresses (RFC 5545 section 3.3.3, RFC 6638 section 2.4.1), in one form so that they can be compared.
 *  A mail address becomes `mailto:` and lower case: RFC 5321 lets local parts differ by case, but calendar servers ignore the case.
 *  Lenient: an address without `mailto:` (old Outlook, scripts). */

declare const brand: unique symbol;
export type CalendarAddress = string & { readonly [brand]: "CalendarAddress" };

export function readCalendarAddress(value: string): CalendarAddress {
  const text = value.trim();
  const mail = /^mailto:(.*)$/i.exec(text)?.[1] ?? (isBareMail(text) ? text : undefined);
  if (mail !== undefined) return `mailto:${decodePercents(mail).trim().toLowerCase()}` as CalendarAddress;
  return (/^urn:/i.test(text) ? text.toLowerCase() : text.replace(/\/$/, "")) as CalendarAddress;
}

function isBareMail(text: string): boolean {
  return text.slice(1, -1).includes("@") && !/[\s:/]/.test(text);
}

/** RFC 6068: `mailto:` is a URI, so any character may be percent-encoded. */
function decodePercents(text: string): string {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}
