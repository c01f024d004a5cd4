/** Rewrites parts in `binary` encoding as `base64` (RFC 2045 section 6), so that protocols without `binary` can send the stored
 *  message. Composite parts stay: base64 is not allowed for them (section 6.4), and the parts inside have their own encoding. */
import { readHeaderFields } from "./header.ts";
import { type ByteRange, parseStructure, walkParts } from "./structure.ts";

const base64LineOctets = 57;
const fieldName = "content-transfer-encoding";

/** Returns the given octets where no part is binary. */
export function encodeBinaryParts(message: Uint8Array): Uint8Array {
  const pieces: Uint8Array[] = [];
  let kept = 0;
  const replace = ({ start, end }: ByteRange, text: string): void => {
    pieces.push(message.subarray(kept, start), Buffer.from(text, "latin1"));
    kept = end;
  };
  for (const part of walkParts(parseStructure(message))) {
    if (part.encoding !== "binary" || part.type === "multipart" || part.type === "message") continue;
    const header = message.subarray(part.headerStart, part.bodyStart);
    const field = readHeaderFields(header, fieldName).find(({ name }) => name === fieldName);
    if (field === undefined) continue;
    const { headerStart, bodyStart, bodyEnd } = part;
    replace(
      { start: headerStart + field.start, end: headerStart + field.end },
      "Content-Transfer-Encoding: base64\r\n",
    );
    replace({ start: bodyStart, end: bodyEnd }, base64Lines(message.subarray(bodyStart, bodyEnd)));
  }
  if (pieces.length === 0) return message;
  pieces.push(message.subarray(kept));
  return Buffer.concat(pieces);
}

function base64Lines(octets: Uint8Array): string {
  const lines: string[] = [];
  for (let at = 0; at < octets.length; at += base64LineOctets)
    lines.push(`${Buffer.from(octets.subarray(at, at + base64LineOctets)).toString("base64")}\r\n`);
  return lines.join("");
}
