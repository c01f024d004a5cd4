/** Strings of responses. Text of a message or a client is always written by these functions. */
import { asBuffer } from "#/src/formats/mime/octets.ts";

/** literal of stored octets. Only literal8 may have NUL (RFC 9051 section 9, CHAR8); here NUL becomes 128, as in Dovecot, so that
 *  sizes and offsets stay those of the message. */
export function literalText(octets: string): string {
  return `{${octets.length}}\r\n${withoutNul(octets)}`;
}

/** The octets of a literal, without its size. Does not change those that are given. */
export function literalOctets(octets: string | Uint8Array): string | Uint8Array {
  return typeof octets === "string" ? withoutNul(octets) : literalBytes(asBuffer(octets));
}

function withoutNul(octets: string): string {
  return octets.includes("\0") ? octets.replaceAll("\0", "\x80") : octets;
}

/** The same for octets that are written separately from the literal's size. Does not change the given octets. */
export function literalBytes(bytes: Buffer): Buffer {
  if (!bytes.includes(0)) return bytes;
  return Buffer.from(bytes.map((octet) => octet || 0x80));
}

/** string: quoted where it can be, a literal where it holds what a quoted string may not. One character for one octet. */
export function stringText(octets: string): string {
  if (/\p{Cc}|\P{ASCII}/u.test(octets) || octets.length > 1000) {
    // NUL is in no string of IMAP (RFC 9051 section 4.3).
    const text = octets.replaceAll("\0", "");
    return `{${text.length}}\r\n${text}`;
  }
  return `"${octets.replace(/["\\]/g, "\\$&")}"`;
}

/** string of a client in a mode where quoted strings may be UTF-8 (RFC 9051 section 4.3). */
export function utf8StringText(octets: string): string {
  if (/[\r\n]/.test(octets) || octets.includes("\0")) return stringText(octets);
  return `"${octets.replace(/["\\]/g, "\\$&")}"`;
}

/** astring: an atom where possible. A text with "]" could be an atom too, but some clients take "]" as the end of a section. */
export function astringText(octets: string): string {
  return /^(?:(?![(){%*"\\\]])[!-~])+$/.test(octets) ? octets : stringText(octets);
}

/** An identifier of ACL, most often an address, as an astring of UTF-8. */
export function identifierText(identifier: string): string {
  const octets = Buffer.from(identifier, "utf8").toString("latin1");
  return /^[!-~]+$/.test(octets) ? astringText(octets) : stringText(octets);
}

/** resp-text: nothing that ends the line, opens a response code, or is not ASCII. */
export function humanText(text: string): string {
  const plain = text.replace(/[^\x20-\x7e]+/g, " ").slice(0, 500);
  return plain.startsWith("[") ? ` ${plain}` : plain || "Done";
}
