/** Line ends for SMTP (RFC 5321 section 2.3.8): a bare CR or LF becomes CRLF. */
import { isAscii } from "node:buffer";
import { asBuffer } from "./octets.ts";

const carriageReturn = 13;
const lineFeed = 10;

/** Returns the given bytes where nothing changes; the last line gets a CRLF if it has no line end. */
export function withCrlf(bytes: Uint8Array): Buffer {
  const buffer = asBuffer(bytes);
  const lone = countLone(buffer);
  const isEnded = buffer.length === 0 || endsLine(buffer.at(-1)!);
  if (lone === 0 && isEnded) return buffer;
  const out = Buffer.allocUnsafe(buffer.length + lone + (isEnded ? 0 : 2));
  let length = 0;
  for (let at = 0; at < buffer.length; at++) {
    const octet = buffer[at]!;
    if (!endsLine(octet)) {
      out[length++] = octet;
      continue;
    }
    if (octet === carriageReturn && buffer[at + 1] === lineFeed) at++;
    out[length++] = carriageReturn;
    out[length++] = lineFeed;
  }
  if (!isEnded) {
    out[length++] = carriageReturn;
    out[length++] = lineFeed;
  }
  return out.subarray(0, length);
}

function endsLine(octet: number): boolean {
  return octet === carriageReturn || octet === lineFeed;
}

/** CRs without LF and LFs without CR. */
function countLone(buffer: Buffer): number {
  let count = 0;
  for (let at = buffer.indexOf(lineFeed); at >= 0; at = buffer.indexOf(lineFeed, at + 1))
    if (buffer[at - 1] !== carriageReturn) count++;
  for (let at = buffer.indexOf(carriageReturn); at >= 0; at = buffer.indexOf(carriageReturn, at + 1))
    if (buffer[at + 1] !== lineFeed) count++;
  return count;
}

/** Offset of the body of a message with CRLF line ends: after the first empty line, or the end of the message. */
export function bodyOffset(bytes: Uint8Array): number {
  const buffer = asBuffer(bytes);
  if (buffer[0] === carriageReturn && buffer[1] === lineFeed) return 2;
  const end = buffer.indexOf("\r\n\r\n");
  return end < 0 ? buffer.length : end + 4;
}

/** Whether any octet is beyond ASCII: the message needs 8BITMIME (RFC 6152). */
export function isEightBit(bytes: Uint8Array): boolean {
  return !isAscii(bytes);
}
