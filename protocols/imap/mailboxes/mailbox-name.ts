/** Mailbox names on the wire. The store keeps a name as Unicode in NFC with "/" between levels; IMAP4rev1 writes it in modified
 *  UTF-7 (RFC 3501 section 5.1.3), IMAP4rev2 and UTF8=ACCEPT in UTF-8 (RFC 9051 section 5.1, RFC 6855 section 3). */
import { hierarchyDelimiter } from "#/src/model/roles.ts";
import { no } from "../errors.ts";
import { decodeUtf8 } from "../wire/wire-reader.ts";

/** How names are written on a connection. ENABLE changes it. */
export type NameMode = "utf7" | "utf8";

/** The stored form of a name that a client wrote. INBOX is the same name in any case (RFC 9051 section 5.1). */
export function decodeMailboxName(octets: string, mode: NameMode): string {
  const normal = decodeGivenName(octets, mode).normalize("NFC");
  return /^inbox(?=\/|$)/i.test(normal) ? `INBOX${normal.slice(5)}` : normal;
}

/** A name exactly as the client wrote it. */
export function decodeGivenName(octets: string, mode: NameMode): string {
  return mode === "utf8" ? decodeUtf8(octets) : decodeModifiedUtf7(octets);
}

/** The octets of a name on the wire, one character for each octet. */
export function encodeMailboxName(name: string, mode: NameMode): string {
  return mode === "utf8" ? Buffer.from(name, "utf8").toString("latin1") : encodeModifiedUtf7(name);
}

/** A name that may be created: no empty level, no "." or "..", no character that is not text. A trailing
 *  delimiter only announces children (RFC 9051 section 6.3.4) and is dropped. */
export function newMailboxName(name: string): string {
  const plain = name.endsWith(hierarchyDelimiter) ? name.slice(0, -1) : name;
  if (plain === "") throw no("CANNOT", "A mailbox needs a name");
  for (const level of plain.split(hierarchyDelimiter))
    if (level === "" || level === "." || level === "..")
      throw no("CANNOT", "A level of a mailbox name is empty or a dot");
  // RFC 5198 and RFC 9051 section 5.1: no controls, no line or paragraph separators. Wildcards are ordinary characters.
  if (/[\p{Cc}\p{Cs}\u2028\u2029\ufffe\uffff\\]/u.test(plain))
    throw no("CANNOT", "A mailbox name must not hold control characters or \\");
  return plain;
}

/** Modified base64: "," for "/", no padding. */
function decodeModifiedUtf7(octets: string): string {
  // RFC 3501 allows no 8-bit octets here; some IMAP4rev1 clients send UTF-8 nevertheless, and it is read as UTF-8.
  if (!octets.includes("&")) return decodeUtf8(octets);
  let name = "";
  let at = 0;
  while (at < octets.length) {
    const shift = octets.indexOf("&", at);
    if (shift < 0) return name + decodeUtf8(octets.slice(at));
    name += decodeUtf8(octets.slice(at, shift));
    const end = octets.indexOf("-", shift);
    if (end < 0) throw malformed();
    name += end === shift + 1 ? "&" : decodeShifted(octets.slice(shift + 1, end));
    at = end + 1;
    // Two adjacent shifted runs must be written as one.
    if (end > shift + 1 && octets.charAt(at) === "&" && octets.charAt(at + 1) !== "-") throw malformed();
  }
  return name;
}

function decodeShifted(text: string): string {
  if (!/^[A-Za-z0-9+,]+$/.test(text)) throw malformed();
  const bytes = Buffer.from(text.replaceAll(",", "/"), "base64");
  if (bytes.length === 0 || bytes.length % 2 !== 0) throw malformed();
  const decoded = Buffer.from(bytes).swap16().toString("utf16le");
  // One spelling for each name: unpaired surrogates, unused bits and printable ASCII in a shifted run are refused.
  if (!decoded.isWellFormed() || /[\x20-\x7e]/.test(decoded) || encodeShifted(decoded) !== text)
    throw malformed();
  return decoded;
}

function malformed(): Error {
  return no("CANNOT", "Mailbox name is not modified UTF-7");
}

function encodeModifiedUtf7(name: string): string {
  return name.replace(/&|[^\x20-\x7e]+/g, (run) => (run === "&" ? "&-" : `&${encodeShifted(run)}-`));
}

function encodeShifted(run: string): string {
  return Buffer.from(run, "utf16le").swap16().toString("base64url").replaceAll("_", ",").replaceAll("-", "+");
}
