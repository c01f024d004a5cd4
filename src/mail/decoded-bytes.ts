/** Decodes the transfer encoding of a part in turns of the event loop, so that a long part does not block other work. */

import { LoopTurns } from "#/src/fairness/loop-turns.ts";
import { createTransferDecoder, decodeTransfer } from "#/src/formats/mime/transfer-encoding.ts";
import { mainBytesMax } from "#/src/model/limits.ts";
import type { ByteRange, MessageBytes, StoredBytes } from "./message-bytes.ts";

/** Octets that are read of the store at once. */
const rangeBytes = 256 * 1024;
/** Octets that are decoded at once. A decoder keeps some of them for the next piece. */
const pieceBytes = mainBytesMax / 2;

export async function readDecoded(
  bytes: Pick<MessageBytes, "readBytes">,
  message: StoredBytes,
  { start, end }: ByteRange,
  encoding: string,
): Promise<Buffer> {
  if (end - start <= mainBytesMax)
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
    const range = await bytes.readBytes(message, { start: at, end: Math.min(end, at + rangeBytes) });
    for (let from = 0; from < range.length; from += pieceBytes) {
      add(decoder.write(range.subarray(from, from + pieceBytes)));
      await turns.turn();
    }
  }
  add(decoder.end());
  return decoded.subarray(0, length);
}
