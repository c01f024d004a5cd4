/** Bytes of a message as rows.
 *
 *  The header block has a column of its own (`header`), because it is read far more often than the rest. What follows is cut into
 *  chunks of 256 KiB, so that no single call stalls a thread: the first in `blob.data`, the others in `blob_chunk`, numbered
 *  from 1. Codec 0: chunks as they are. Codec 1: each chunk is one zstd frame. Codecs 2 and 3: the same, one behind the other in an
 *  object outside (`blob.object`). */
import { createHash, hash } from "node:crypto";
import { promisify } from "node:util";
import { constants, zstdCompress, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { LoopTurns } from "#/src/fairness/loop-turns.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { blobChunkBytes, headerBytesMax, objectReadBytesMax } from "#/src/model/limits.ts";
import type { AccountNumber, BlobNumber } from "#/src/model/numbers.ts";
import { giveBackMemory } from "#/src/model/octet-memory.ts";
import { uninterrupted } from "#/src/model/uninterrupted.ts";
import { objectName } from "./objects/objects.ts";
import type { Reader } from "./sql.ts";

export const rawCodec = 0;
export const zstdCodec = 1;
/** Added to the codec of a body that is in the object store; `data` has the lengths of its chunks, of four octets each. */
const outside = 2;

export function outsideCodecOf(codec: number): number {
  return codec + outside;
}

export interface EncodedBlob {
  readonly codec: number;
  /** Octets of the message. */
  readonly size: number;
  /** Octets kept for it. */
  readonly storedSize: number;
  readonly sha256: Uint8Array;
  /** Octets of the header block, with its blank line. */
  readonly headerSize: number;
  /** Where the parts are, as JSON; offsets count from the first octet of the blob. */
  readonly structure: string;
  readonly header: Uint8Array;
  readonly chunks: readonly Uint8Array[];
  /** Where the body is in the object store, and of which accounts. */
  readonly object?: { readonly name: string; readonly accounts: readonly AccountNumber[] };
}

/** A body up to this size is stored uncompressed: decompression would take longer than the rest of a read, and compression would save
 *  half a page at most, and nothing with a header of 2 KiB. */
const uncompressedMax = 6 * 1024;
/** Messages up to this size are compressed synchronously; larger ones on a thread of the pool. */
const compressSyncMax = 64 * 1024;
/** When the first chunk compresses to more than this share, the others are not compressed: data that is compressed already, and not in
 *  Base64, does not get smaller. */
const worthwhileShare = 0.97;
const zstdOptions = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
const compress = promisify(zstdCompress) as (bytes: Uint8Array, options: object) => Promise<Buffer>;

/** The octets in the `header` column. Of a header block that is longer than any honest one, only the beginning is in the column. */
function headerPrefix(headerSize: number): number {
  return Math.min(headerSize, headerBytesMax);
}

/** The stored form of a message. Each of its arrays has a buffer of its own, so that it can be transferred to another thread.
 *  `isOwnThread`: nothing else waits for this thread, so it compresses synchronously, which takes half the time of the thread pool, and
 *  without turns. */
export async function encodeBlob(
  bytes: Uint8Array,
  headerSize: number,
  structure: string,
  isOwnThread = false,
): Promise<EncodedBlob> {
  const prefix = headerPrefix(headerSize);
  const isSync = isOwnThread || bytes.length <= compressSyncMax;
  let isTried = bytes.length - prefix > uncompressedMax;
  const raw: Uint8Array[] = [];
  const packed: Uint8Array[] = [];
  const turns = isOwnThread ? undefined : new LoopTurns();
  const isOnePiece = bytes.length <= prefix + blobChunkBytes;
  const hashing = isOnePiece ? undefined : createHash("sha256").update(bytes.subarray(0, prefix));
  for (let at = prefix; at < bytes.length; at += blobChunkBytes) {
    const chunk = bytes.subarray(at, at + blobChunkBytes);
    raw.push(chunk);
    hashing?.update(chunk);
    if (isTried) {
      packed.push(isSync ? compressNow(chunk) : await uninterrupted(() => compress(chunk, zstdOptions)));
      isTried = at > prefix || packed[0]!.byteLength < chunk.byteLength * worthwhileShare;
    }
    await turns?.turn();
  }
  const isSmaller = isTried && totalLength(packed) < totalLength(raw);
  const chunks: Uint8Array[] = [];
  for (const chunk of isSmaller ? packed : raw) {
    chunks.push(isSmaller && ownsMemory(chunk) ? plainView(chunk) : ownCopy(chunk));
    await turns?.turn();
  }
  return {
    codec: isSmaller ? zstdCodec : rawCodec,
    size: bytes.length,
    storedSize: prefix + totalLength(chunks),
    // An object of `createHash` stays in memory until V8 collects all garbage, so there is none for most messages.
    sha256: ownCopy(hashing?.digest() ?? hash("sha256", bytes, "buffer")),
    headerSize,
    structure,
    header: ownCopy(bytes.subarray(0, prefix)),
    chunks,
  };
}

/** The result has a buffer of its own. The one that it was made in would stay until V8 collects all garbage. */
function compressNow(chunk: Uint8Array): Uint8Array {
  const chunkSize = zstdBound(chunk.byteLength);
  const piece = uninterrupted(() => zstdCompressSync(chunk, { ...zstdOptions, chunkSize }));
  const own = ownCopy(piece);
  // Short ones have their memory from a pool of Node.
  if (piece.buffer.byteLength === chunkSize) giveBackMemory(piece as Buffer<ArrayBuffer>);
  return own;
}

/** The most octets that so many can come to: with room for them zstd compresses in one go, which takes a quarter less time
 *  (`ZSTD_compressBound`). */
function zstdBound(octets: number): number {
  return octets + (octets >> 8) + 64;
}

/** The buffers of a blob that are large enough to be transferred instead of copied (`transfer` of `write`). */
export function transferableBuffers(blob: EncodedBlob): ArrayBuffer[] {
  return [blob.header, ...blob.chunks]
    .filter((bytes) => bytes.byteLength >= 16 * 1024)
    .map((bytes) => bytes.buffer as ArrayBuffer);
}

/** A copy with buffers of its own, for a write that transfers them while the original is kept. Gives up turns of the event loop while it
 *  copies. */
export async function copyBlob(blob: EncodedBlob): Promise<EncodedBlob> {
  const turns = new LoopTurns();
  const chunks: Uint8Array[] = [];
  for (const chunk of blob.chunks) {
    chunks.push(ownCopy(chunk));
    await turns.turn();
  }
  return { ...blob, header: ownCopy(blob.header), chunks };
}

/** The header block of a blob; undefined when it is so long that only its beginning is in the column. */
export async function readBlobHeader(
  reader: Reader,
  account: AccountNumber,
  blob: BlobNumber,
): Promise<Uint8Array | undefined> {
  const row = await reader.get<{ header: Uint8Array; headerSize: number }>(
    `select header, header_size as "headerSize"
    from blob
    where account_id = ? and blob_id = ?`,
    account,
    blob,
  );
  if (row === undefined) throw new WaypostError("not_found", "The message is no longer there");
  return row.header.byteLength === row.headerSize ? row.header : undefined;
}

/** A short message as its row has it. */
export interface StoredBlob {
  readonly codec: number;
  readonly size: number;
  readonly headerSize: number;
  readonly header: Uint8Array;
  readonly data: Uint8Array;
}

/** Octets of a message whose header block and body are in one row. */
export const shortBytesMax = 64 * 1024;

/** All of a short message with its structure, in one statement; undefined if it is no longer there, or its body is in the object store. */
export async function readShortBlob(
  reader: Reader,
  account: AccountNumber,
  blob: BlobNumber,
): Promise<(StoredBlob & { readonly structure: string }) | undefined> {
  return reader.get(
    `select codec, size, header_size as "headerSize", header, data, structure
    from blob
    where account_id = ? and blob_id = ? and object is null`,
    account,
    blob,
  );
}

/** The octets after the header block. */
export function bodyOf({ codec, size, headerSize, data }: Omit<StoredBlob, "header">): Uint8Array {
  return size === headerSize ? noBytes : decodeChunk(codec, data, size - headerSize);
}

const noBytes = new Uint8Array();

/** Octets `start` up to, not including, `end` of a blob; fewer when the blob ends before. */
export async function readBlobRange(
  reader: Reader,
  account: AccountNumber,
  blob: BlobNumber,
  start: number,
  end: number,
): Promise<Buffer> {
  // The same statement reads header and first chunk when the range needs them. Most messages need no other.
  const row = await reader.get<{
    codec: number;
    size: number;
    headerSize: number;
    header: Uint8Array | null;
    data: Uint8Array | null;
    object: string | null;
  }>(
    `select codec, size, header_size as "headerSize", object,
      case when header_size > ? then header end as header,
      case when object is not null or (header_size < ? and header_size > ?) then data end as data
    from blob
    where account_id = ? and blob_id = ?`,
    start,
    end,
    start - blobChunkBytes,
    account,
    blob,
  );
  if (row === undefined) throw new WaypostError("not_found", "The message is no longer there");
  const to = Math.min(end, row.size);
  const pieces: Uint8Array[] = [];
  const prefix = headerPrefix(row.headerSize);
  const turns = new LoopTurns();
  if (row.header !== null && start < prefix && start < to) pieces.push(row.header.subarray(start, to));
  const firstChunk = Math.floor(Math.max(0, start - prefix) / blobChunkBytes);
  if (row.object !== null && prefix < to) {
    const body = { ...row, name: objectName(account, row.object), data: row.data! };
    pieces.push(...(await readOutside(reader, body, Math.max(0, start - prefix), to - prefix)));
    return pieces.length === 1 ? Buffer.from(pieces[0]!) : Buffer.concat(pieces);
  }
  for (let number = firstChunk; prefix + number * blobChunkBytes < to; number++) {
    const chunkStart = prefix + number * blobChunkBytes;
    // Long messages are read in turns of the event loop, so that other work on this thread does not wait.
    if (to - start > aloneBytesMax) await turns.turn();
    const stored =
      number === 0 && row.data !== null ? row.data : await readChunk(reader, account, blob, number);
    const chunk = decodeChunk(row.codec, stored, Math.min(row.size - chunkStart, blobChunkBytes));
    pieces.push(chunk.subarray(Math.max(0, start - chunkStart), to - chunkStart));
  }
  return pieces.length === 1 ? Buffer.from(pieces[0]!) : Buffer.concat(pieces);
}

/** Octets that are read in one turn. */
const aloneBytesMax = 64 * 1024;

/** Octets of a body that is in the object store, from its own beginning, in the chunks that hold them. */
async function readOutside(
  { objects }: Reader,
  body: { name: string; codec: number; size: number; headerSize: number; data: Uint8Array },
  start: number,
  end: number,
): Promise<Uint8Array[]> {
  if (objects === undefined)
    throw new WaypostError(
      "upstream_unavailable",
      "The message is in an object store, and storage.blobs names none",
    );
  const lengths = new DataView(body.data.buffer, body.data.byteOffset, body.data.byteLength);
  const size = body.size - headerPrefix(body.headerSize);
  const last = Math.floor((end - 1) / blobChunkBytes);
  const turns = new LoopTurns();
  const pieces: Uint8Array[] = [];
  let number = Math.floor(start / blobChunkBytes);
  let at = 0;
  for (let before = 0; before < number; before++) at += lengths.getUint32(4 * before);
  while (number <= last) {
    const chunks: number[] = [];
    let octets = 0;
    for (; number + chunks.length <= last && octets < objectReadBytesMax; octets += chunks.at(-1)!)
      chunks.push(lengths.getUint32(4 * (number + chunks.length)));
    const stored = await objects.read(body.name, at, at + octets);
    let from = 0;
    for (const length of chunks) {
      const chunkStart = number * blobChunkBytes;
      const chunk = decodeChunk(
        body.codec - outside,
        stored.subarray(from, from + length),
        Math.min(size - chunkStart, blobChunkBytes),
      );
      pieces.push(chunk.subarray(Math.max(0, start - chunkStart), end - chunkStart));
      from += length;
      number++;
      await turns.turn();
    }
    at += octets;
  }
  return pieces;
}

async function readChunk(
  reader: Reader,
  account: AccountNumber,
  blob: BlobNumber,
  number: number,
): Promise<Uint8Array> {
  const row =
    number === 0
      ? await reader.get<{ data: Uint8Array }>(
          "select data from blob where account_id = ? and blob_id = ?",
          account,
          blob,
        )
      : await reader.get<{ data: Uint8Array }>(
          "select data from blob_chunk where account_id = ? and blob_id = ? and chunk_number = ?",
          account,
          blob,
          number,
        );
  if (row === undefined) throw new WaypostError("not_found", "The message is no longer there");
  return row.data;
}

/** `size`: the octets of the result, so that its buffer has the right size from the start. */
function decodeChunk(codec: number, data: Uint8Array, size: number): Uint8Array {
  if (codec === rawCodec) return data;
  if (codec === zstdCodec) {
    const chunkSize = Math.max(decodedChunkBytesMin, size + 1);
    const decoded = uninterrupted(() =>
      zstdDecompressSync(data, { maxOutputLength: blobChunkBytes, chunkSize }),
    );
    // Short ones have their memory from a pool of Node.
    if (decoded.buffer.byteLength !== chunkSize) return decoded;
    // The object of zlib that made it holds its memory until V8 collects all garbage, which becomes more frequent by that.
    const own = ownCopy(decoded);
    giveBackMemory(decoded as Buffer<ArrayBuffer>);
    return own;
  }
  throw new WaypostError(
    "internal",
    `The store holds a message in codec ${codec}, which this version cannot read`,
  );
}

/** The smallest output buffer that zlib accepts. */
const decodedChunkBytesMin = 64;

function totalLength(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, piece) => sum + piece.byteLength, 0);
}

function ownsMemory(bytes: Uint8Array): boolean {
  return bytes.byteLength === bytes.buffer.byteLength;
}

function plainView({ buffer }: Uint8Array): Uint8Array {
  return new Uint8Array(buffer);
}

/** Small buffers of Node are views of a shared pool. An array for another thread needs a buffer of its own. */
function ownCopy(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes);
}
