/** A text part of a stored message, decoded in pieces. For any length of the part, a piece takes at most some milliseconds, and other
 *  work runs between the pieces. */

import { LoopTurns } from "#/src/fairness/loop-turns.ts";
import { createCharsetDecoder, decodeCharset, isLabelled, Utf8Check } from "#/src/formats/mime/charset.ts";
import { createTransferDecoder, decodeTransfer } from "#/src/formats/mime/transfer-encoding.ts";
import type { MessageBytes, StoredBytes } from "../message-bytes.ts";

/** Octets of the message that are decoded at once. */
const rangeBytes = 256 * 1024;
/** Characters of one piece. */
const pieceLength = 32 * 1024;

export interface TextPart {
  /** Octets of the blob. */
  readonly start: number;
  readonly end: number;
  readonly encoding: string;
  readonly charset: string;
}

type Source = Pick<MessageBytes, "readBytes">;

/** Decoded characters of a part. The pieces end where a text can be cut (`cutBefore`). */
export async function* textPieces(
  bytes: Source,
  message: StoredBytes,
  part: TextPart,
): AsyncGenerator<string> {
  const turns = new LoopTurns();
  let text = "";
  for await (const decoded of decodedTexts(bytes, message, part)) {
    text += decoded;
    for (; text.length > 2 * pieceLength; await turns.turn()) {
      const [piece] = piecesOfText(text);
      yield piece!;
      text = text.slice(piece!.length);
    }
  }
  yield* piecesOfText(text);
}

/** Pieces of a text, in their order. */
export function* piecesOfText(text: string): Generator<string> {
  let at = 0;
  while (text.length - at > pieceLength) {
    const end = cutBefore(text, at + pieceLength);
    yield text.slice(at, end);
    at = end;
  }
  if (at < text.length) yield text.slice(at);
}

async function* decodedTexts(bytes: Source, message: StoredBytes, part: TextPart): AsyncGenerator<string> {
  if (part.end - part.start <= rangeBytes) {
    const [raw = noBytes] = await Array.fromAsync(ranges(bytes, message, part));
    yield decodeCharset(decodeTransfer(raw, part.encoding), part.charset);
    return;
  }
  const check = new Utf8Check();
  if (!isLabelled(part.charset)) {
    for await (const decoded of decodedOctets(bytes, message, part)) {
      check.write(decoded);
      if (!check.isUtf8) break;
    }
    check.end();
  }
  const decoder = createCharsetDecoder(part.charset, check.isUtf8);
  for await (const decoded of decodedOctets(bytes, message, part)) yield decoder.write(decoded);
  yield decoder.end();
}

const noBytes = Buffer.alloc(0);

async function* decodedOctets(bytes: Source, message: StoredBytes, part: TextPart): AsyncGenerator<Buffer> {
  const decoder = createTransferDecoder(part.encoding);
  for await (const raw of ranges(bytes, message, part)) yield decoder.write(raw);
  yield decoder.end();
}

async function* ranges(
  bytes: Source,
  message: StoredBytes,
  { start, end }: Pick<TextPart, "start" | "end">,
): AsyncGenerator<Buffer> {
  const turns = new LoopTurns();
  const trace = message.trace.byteLength;
  for (let at = start; at < end; at += rangeBytes) {
    yield await bytes.readBytes(message, { start: at + trace, end: Math.min(end, at + rangeBytes) + trace });
    await turns.turn();
  }
}

/** How far before the end of a piece a good place to divide is searched. */
const spaceReach = 4096;
const characterReach = 256;
/** Characters that belong to the one before them, or are folded together with it. */
const following = /^[\p{M}\p{Default_Ignorable_Code_Point}\p{Emoji_Modifier}\p{Co}\udc00-\udfff\n]/u;
/** Characters whose visibility depends on the next one, such as a joiner between two emoji. */
const joining = /\p{Default_Ignorable_Code_Point}$/u;

/** The position at or before `at` where a text can be divided so that both sides fold separately as they do together: before a word, or
 *  else before a character. */
export function cutBefore(text: string, at: number): number {
  for (let cut = at; cut > at - spaceReach && cut > 0; cut--) {
    const before = text.charCodeAt(cut - 1);
    const after = text.charCodeAt(cut);
    if ((before === 32 || before === 10) && after > 32 && after < 127) return cut;
  }
  for (let cut = at; cut > at - characterReach && cut > 0; cut--)
    if (
      !following.test(text.slice(cut, cut + 2)) &&
      !joining.test(text.slice(Math.max(0, cut - 2), cut)) &&
      !isInPair(text, cut)
    )
      return cut;
  return isInPair(text, at) ? at - 1 : at;
}

function isInPair(text: string, at: number): boolean {
  return (text.charCodeAt(at - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(at) & 0xfc00) === 0xdc00;
}
