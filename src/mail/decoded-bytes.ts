/** Decodes the transfer encoding of a part in turns of the event loop, so that a long part does not block other work. */

import { LoopTurns } from "#/src/fairness/loop-turns.ts";
import { createTransferDecoder } from "#/src/formats/mime/transfer-decoder.ts";
import { decodeTransfer } from "#/src/formats/mime/transfer-encoding.ts";
import type { ByteRange, MessageBytes, StoredBytes } from "./message-bytes.ts";

/** Octets that are decoded at once: one or two milliseconds. */
const rangeBytes = 256 * 1024;

export async function readDecoded(
  bytes: Pick<MessageBytes, "readBytes">,
  message: StoredBytes,
  { start, end }: ByteRange,
  encoding: string,
): Promise<Buffer> {
  if (end - start <= rangeBytes)
    return decodeTransfer(await bytes.readBytes(message, { start, end }), encoding);
  const turns = new LoopTurns();
  const decoder = createTransferDecoder(encoding);
  // Decoded data is never longer than encoded data.
  const decoded = Buffer.allocUnsafe(end - start);
  let length = 0;
  const add = (piece: Buffer): void => {
    length += piece.copy(decoded, length);
  };
  for (let at = start; at < end; at += rangeBytes) {
    add(decoder.write(await bytes.readBytes(message, { start: at, end: Math.min(end, at + rangeBytes) })));
    await turns.turn();
  }
  add(decoder.end());
  return decoded.subarray(0, length);
}
