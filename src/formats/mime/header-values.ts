/** Values of header fields. What a thread has read already is not read again. */
import { listMailAddresses, type MailAddress } from "./addresses.ts";
import { decodeWords } from "./encoded-words.ts";
import type { HeaderField } from "./header.ts";
import { parseMessageIds } from "./message-ids.ts";

const addressFields: ReadonlySet<string> = new Set([
  ...["from", "sender", "reply-to", "to", "cc", "bcc"],
  ...["resent-from", "resent-sender", "resent-to", "resent-cc", "resent-bcc"],
]);
const idFields: ReadonlySet<string> = new Set(["message-id", "in-reply-to", "references"]);

/** Whether the addresses of fields of this name (lower case) are read. */
export function hasAddresses(name: string): boolean {
  return addressFields.has(name);
}

export function hasIds(name: string): boolean {
  return idFields.has(name);
}

export function addressesOfField({ value, known }: HeaderField): readonly MailAddress[] {
  return known?.addresses ?? listMailAddresses(value);
}

export function idsOfField({ value, known }: HeaderField): readonly string[] {
  return known?.ids ?? parseMessageIds(value);
}

export function textOfField({ value, known }: HeaderField): string {
  return known?.text ?? decodeWords(value);
}

/** Of all fields of that name (lower case). */
export function headerAddresses(fields: readonly HeaderField[], name: string): MailAddress[] {
  return fields.filter((field) => field.name === name).flatMap(addressesOfField);
}

export function headerIds(fields: readonly HeaderField[], name: string): string[] {
  return fields.filter((field) => field.name === name).flatMap(idsOfField);
}

/** Of the first field of that name; "" without one. */
export function headerText(fields: readonly HeaderField[], name: string): string {
  const field = fields.find((one) => one.name === name);
  return field === undefined ? "" : textOfField(field);
}
