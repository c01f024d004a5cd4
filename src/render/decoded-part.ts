/** The bytes of a part, with its transfer encoding decoded. */
import type { MimePart } from "#/src/formats/mime/structure.ts";
import { readDecoded } from "#/src/mail/decoded-bytes.ts";
import type { MessageBytes, StoredBytes } from "#/src/mail/message-bytes.ts";

export interface DecodedPart {
  readonly bytes: Buffer;
  /** Only the first `encodedBytesMax` octets were looked at. */
  readonly isCut: boolean;
}

export async function readDecodedPart(
  mail: MessageBytes,
  message: StoredBytes,
  part: MimePart,
  encodedBytesMax: number = Number.MAX_SAFE_INTEGER,
): Promise<DecodedPart> {
  const trace = message.trace.byteLength;
  const size = part.bodyEnd - part.bodyStart;
  const start = part.bodyStart + trace;
  const end = start + Math.min(size, encodedBytesMax);
  // A multipart or message has no encoding of its own (RFC 2045 section 6.4).
  const isComposite = part.type === "multipart" || part.message !== undefined;
  const bytes = await readDecoded(mail, message, { start, end }, isComposite ? "" : part.encoding);
  return { bytes, isCut: size > encodedBytesMax };
}

/** Whether the content can be had, and not only the octets sent: where BINARY (RFC 3516 section 4.3) would say UNKNOWN-CTE,
 *  nothing is guessed here either. */
export function hasKnownEncoding(part: MimePart): boolean {
  return ["", "7bit", "8bit", "binary", "base64", "quoted-printable"].includes(part.encoding);
}
