import { type HeaderField, headerValues } from "./header.ts";

/** Whether a program sent the message: the field of RFC 3834 section 5, and the older fields of lists and bulk senders. */
export function isAutomated(fields: readonly HeaderField[]): boolean {
  const submitted = headerValues(fields, "auto-submitted")[0]?.toLowerCase().split(";")[0]?.trim();
  if (submitted !== undefined && submitted !== "no") return true;
  const precedence = headerValues(fields, "precedence")[0]?.toLowerCase().trim();
  return ["bulk", "junk", "list"].includes(precedence ?? "") || headerValues(fields, "list-id").length > 0;
}
