/** Content transfer encodings (RFC 2045 section 6) and uuencode. Damaged input is decoded as far as it is readable. */
import { Buffer } from "node:buffer";
import { Base64Digits, decodeBase64 } from "./base64.ts";
import { asBuffer } from "./octets.ts";
import { QuotedPrintable } from "./quoted-printable.ts";
import { Uuencode } from "./uuencode.ts";

/** Decodes a body piece by piece, so that a body of any length needs bounded work at once. The pieces together are the result of
 *  `decodeTransfer` for the whole body. */
export interface TransferDecoder {
  write(bytes: Uint8Array): Buffer;
  /** The rest of the content, from the octets that were kept back. */
  end(): Buffer;
}

export function createTransferDecoder(encoding: string): TransferDecoder {
  switch (encoding.trim().toLowerCase()) {
    case "base64":
      return new Base64Digits();
    case "quoted-printable":
      return new QuotedPrintable();
    case "x-uuencode":
    case "x-uue":
    case "uuencode":
      return new Uuencode();
    default:
      return unchanged;
  }
}

const unchanged: TransferDecoder = { write: asBuffer, end: () => Buffer.alloc(0) };

/** The content of a part's body. Identity and unknown encodings answer the bytes given, not a copy. */
export function decodeTransfer(bytes: Uint8Array, encoding: string): Buffer {
  const decoder = createTransferDecoder(encoding);
  if (decoder === unchanged) return asBuffer(bytes);
  if (decoder instanceof Base64Digits) return decodeBase64(asBuffer(bytes));
  const decoded = decoder.write(bytes);
  const rest = decoder.end();
  return rest.length === 0 ? decoded : Buffer.concat([decoded, rest]);
}
