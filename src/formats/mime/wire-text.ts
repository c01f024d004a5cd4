/** Pieces of IMAP responses as octet strings (RFC 9051 section 9: nstring, string, literal). */

/** Longer strings are written as literals: clients that read lines bound their length. */
const quotedLengthMax = 1000;
const quotable = /^[\t\x20-\x7e]*$/;
const quotedSpecials = /["\\]/g;

export function formatNstring(octets: string | undefined): string {
  return octets === undefined ? "NIL" : formatString(octets);
}

export function formatString(octets: string): string {
  if (octets.length <= quotedLengthMax && quotable.test(octets))
    return octets.includes('"') || octets.includes("\\")
      ? `"${octets.replace(quotedSpecials, "\\$&")}"`
      : `"${octets}"`;
  // A literal carries every octet but NUL, which becomes 128, as in Dovecot: the length stays what the header has.
  const content = octets.includes("\0") ? octets.replaceAll("\0", "\x80") : octets;
  return `{${content.length}}\r\n${content}`;
}
