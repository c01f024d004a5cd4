/** Reads and writes a tar file (POSIX ustar) entry by entry. Nothing is unpacked to the disk. */
import { createHash, type Hash } from "node:crypto";
import { Header } from "tar/header";
import { WaypostError } from "#/src/model/errors.ts";

const blockBytes = 512;

/** The octets of one entry. The path has at most 100 octets. */
export function* tarEntry(path: string, bytes: Uint8Array, modifiedAt: number): Generator<Uint8Array> {
  const header = Buffer.alloc(blockBytes);
  new Header({
    path,
    size: bytes.length,
    mtime: new Date(modifiedAt),
    mode: 0o600,
    uid: 0,
    gid: 0,
    type: "File",
  }).encode(header, 0);
  yield header;
  yield bytes;
  const over = bytes.length % blockBytes;
  if (over > 0) yield Buffer.alloc(blockBytes - over);
}

export const tarEnd: Uint8Array = Buffer.alloc(2 * blockBytes);

export interface TarEntry {
  readonly path: string;
  readonly size: number;
  /** undefined where there are more than `bytesMax`: they were passed over. */
  readonly bytes: Buffer | undefined;
  /** SHA-256 of the octets, also of those that were passed over. */
  readonly digest: string;
}

/** Entries that are no files: so many are passed over, and so many more for each file, as other programs write them. */
const passedMax = 1000;
const passedOfFile = 4;

/** The files of a tar. Links, folders and headers of other programs are passed over. Throws `invalid` for what is no tar, for one that is cut off,
 *  and where far more is passed over than taken. */
export async function* readTar(
  chunks: AsyncIterable<Uint8Array>,
  bytesMax: number,
): AsyncGenerator<TarEntry> {
  const octets = createOctets(chunks);
  let files = 0;
  let passed = 0;
  try {
    while (true) {
      const block = await octets.take(blockBytes);
      if (block === undefined) throw damaged("It is cut off");
      const header = readHeader(block);
      if (header.nullBlock) return;
      const { path = "", size = 0, type } = header;
      if (!header.cksumValid || !Number.isSafeInteger(size) || size < 0) throw damaged("It is no tar");
      const padding = (blockBytes - (size % blockBytes)) % blockBytes;
      const isWanted = type === "File" && size <= bytesMax;
      const hash = createHash("sha256");
      const bytes = isWanted ? await octets.take(size, hash) : undefined;
      if (isWanted ? bytes === undefined : !(await octets.skip(size, hash))) throw damaged("It is cut off");
      if (!(await octets.skip(padding))) throw damaged("It is cut off");
      if (type === "File") {
        files++;
        yield { path, size, bytes, digest: hash.digest("base64url") };
      } else if (++passed > passedMax + passedOfFile * files)
        throw damaged("It has many entries that are no files");
    }
  } finally {
    await octets.end();
  }
}

function readHeader(block: Buffer): Header {
  try {
    return new Header(block, 0);
  } catch (cause) {
    throw damaged("It is no tar", cause);
  }
}

function damaged(what: string, cause?: unknown): WaypostError {
  return new WaypostError("invalid", `The archive cannot be read: ${what}.`, { field: "/file", cause });
}

/** A stream by counts of octets. What was not asked for yet is at most one chunk. */
function createOctets(chunks: AsyncIterable<Uint8Array>) {
  const iterator = chunks[Symbol.asyncIterator]();
  let rest: Uint8Array = Buffer.alloc(0);
  async function next(): Promise<boolean> {
    while (rest.length === 0) {
      const { done, value } = await iterator.next();
      if (done === true) return false;
      rest = value;
    }
    return true;
  }
  return {
    async take(count: number, hash?: Hash): Promise<Buffer | undefined> {
      const pieces: Uint8Array[] = [];
      for (let left = count; left > 0; ) {
        if (!(await next())) return undefined;
        const piece = rest.subarray(0, left);
        pieces.push(piece);
        hash?.update(piece);
        rest = rest.subarray(piece.length);
        left -= piece.length;
      }
      return Buffer.concat(pieces, count);
    },
    async skip(count: number, hash?: Hash): Promise<boolean> {
      for (let left = count; left > 0; ) {
        if (!(await next())) return false;
        const passed = Math.min(left, rest.length);
        hash?.update(rest.subarray(0, passed));
        rest = rest.subarray(passed);
        left -= passed;
      }
      return true;
    },
    async end(): Promise<void> {
      await iterator.return?.();
    },
  };
}
