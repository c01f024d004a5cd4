/** Decodes content transfer encodings piece by piece, so that a body of any length needs bounded memory and other work can run
 *  between two pieces. The pieces together are the result of `decodeTransfer` for the whole body. */
import { Buffer } from "node:buffer";
import { asBuffer } from "./octets.ts";
import { Base64Digits, decodeTransfer } from "./transfer-encoding.ts";

export interface TransferDecoder {
  write(bytes: Uint8Array): Buffer;
  /** The rest of the content, from the octets that were kept back. */
  end(): Buffer;
}

const nothing = Buffer.alloc(0);

/** uuencode is not decoded in pieces: its body is kept until the end. */
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

/** Decodes up to the position that `endOf` returns, and keeps the octets after it for the next piece. */
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

/** Bound on white space that may be at the end of a line; real lines are far shorter. */
const keptBytesMax = 1024 * 1024;

/** The position after the last line end; without a line end, the position before a possible encoded octet or trailing white space. */
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
