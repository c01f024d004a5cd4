/** Content transfer encodings undone piece by piece, so that a body of any length is decoded in bounded memory and with turns in
 *  between. Together the pieces are what `decodeTransfer` makes of the whole. */
import { Buffer } from "node:buffer";
import { asBuffer } from "./octets.ts";
import { Base64Digits, decodeTransfer } from "./transfer-encoding.ts";

export interface TransferDecoder {
  write(bytes: Uint8Array): Buffer;
  /** What was kept back. */
  end(): Buffer;
}

const nothing = Buffer.alloc(0);

/** uuencode has no pieces: its body is kept until the end. */
export function createTransferDecoder(encoding: string): TransferDecoder {
  switch (encoding.trim().toLowerCase()) {
    case "base64": {
      const digits = new Base64Digits();
      return { write: (bytes) => digits.decode(bytes), end: () => nothing };
    }
    case "quoted-printable":
      return keepingBack(encoding, quotedPrintableEnd);
    case "x-uuencode":
    case "x-uue":
    case "uuencode":
      return keepingBack(encoding, () => 0);
    default:
      return { write: asBuffer, end: () => nothing };
  }
}

/** Decodes up to where `endOf` says that a piece can end. */
function keepingBack(encoding: string, endOf: (bytes: Buffer, keptBytes: number) => number): TransferDecoder {
  let kept: Buffer[] = [];
  let keptBytes = 0;
  return {
    write(bytes) {
      keptBytes += bytes.length;
      const end = endOf(asBuffer(bytes), keptBytes);
      if (end === 0) {
        kept.push(Buffer.from(bytes));
        return nothing;
      }
      const piece = Buffer.concat([...kept, bytes.subarray(0, end)]);
      kept = [Buffer.from(bytes.subarray(end))];
      keptBytes = bytes.length - end;
      return decodeTransfer(piece, encoding);
    },
    end() {
      const rest = Buffer.concat(kept);
      kept = [];
      return decodeTransfer(rest, encoding);
    },
  };
}

/** White space that may be that of a line's end; lines are far shorter. */
const keptBytesMax = 1024 * 1024;

/** Behind the last line end, or in a line without one before what may be an encoded octet or white space at the line's end. */
function quotedPrintableEnd(bytes: Buffer, keptBytes: number): number {
  const lineEnd = bytes.lastIndexOf(10) + 1;
  if (lineEnd > 0) return lineEnd;
  for (let at = bytes.length; at > 2; at--) {
    const isPlain = bytes[at - 1]! > 32 && bytes[at - 1] !== equals;
    if (isPlain && bytes[at - 2] !== equals && bytes[at - 3] !== equals) return at;
  }
  return keptBytes > keptBytesMax ? bytes.length : 0;
}

const equals = 61;
