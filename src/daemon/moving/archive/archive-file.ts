/** The file of an archive: plain (`.tar`), or compressed by gzip or Zstandard. */
import fs from "node:fs";
import { open } from "node:fs/promises";
import { pipeline as piped, type Transform, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip, createZstdCompress, createZstdDecompress } from "node:zlib";
import { WaypostError } from "#/src/model/errors.ts";
import { archiveGrowthFreeBytes, archiveGrowthMax } from "#/src/model/limits.ts";
import { readThrown } from "#/src/model/thrown.ts";
import { assertFileSize } from "../import-bounds.ts";

const chunkBytes = 256 * 1024;

export function isArchive(file: string): boolean {
  return /\.tar(?:\.gz|\.zst)?$/i.test(file);
}

/** Written whole or not at all. Refuses a name that is taken. */
export async function writeArchive(
  file: string,
  pieces: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  if (fs.existsSync(file))
    throw new WaypostError("invalid", `${file} exists; an export never overwrites anything.`, {
      field: "/file",
    });
  const partial = `${file}.partial`;
  fs.rmSync(partial, { force: true });
  try {
    await using handle = await open(partial, "wx", 0o600).catch((error: unknown) => {
      throw new WaypostError("invalid", `${file} cannot be written: ${readThrown(error).code}.`, {
        field: "/file",
      });
    });
    const sink = new Writable({
      highWaterMark: chunkBytes,
      write(chunk: Buffer, _, done) {
        handle.writeFile(chunk).then(() => done(), done);
      },
    });
    const packed = packing(file);
    if (packed === undefined) await pipeline(joined(pieces), sink, { signal });
    else await pipeline(joined(pieces), packed, sink, { signal });
    await handle.sync();
    fs.renameSync(partial, file);
  } finally {
    fs.rmSync(partial, { force: true });
  }
}

function packing(file: string): Transform | undefined {
  if (/\.gz$/i.test(file)) return createGzip();
  return /\.zst$/i.test(file) ? createZstdCompress() : undefined;
}

/** Small pieces together. */
async function* joined(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let waiting: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    waiting.push(piece);
    bytes += piece.length;
    if (bytes < chunkBytes) continue;
    yield Buffer.concat(waiting);
    waiting = [];
    bytes = 0;
  }
  yield Buffer.concat(waiting);
}

/** The octets of the tar in a file. Throws `invalid` when it becomes far larger than mail does. */
export async function* readArchive(file: string): AsyncGenerator<Uint8Array> {
  const unpacker = unpacking(await firstOctets(file));
  // Behind what is awaited: nobody would hear its error before.
  const source = fs.createReadStream(file, { highWaterMark: chunkBytes });
  if (unpacker === undefined) {
    yield* source;
    return;
  }
  // An error of either ends the other, and is thrown below.
  piped(source, unpacker, () => {});
  let written = 0;
  try {
    for await (const chunk of unpacker as AsyncIterable<Buffer>) {
      written += chunk.length;
      if (written > archiveGrowthFreeBytes + archiveGrowthMax * source.bytesRead)
        throw new WaypostError("invalid", "The unpacked archive is too large for the size of its file.", {
          field: "/file",
        });
      yield chunk;
    }
  } catch (error) {
    if (!readThrown(error).code?.startsWith("Z")) throw error;
    throw new WaypostError("invalid", "The archive cannot be read: it is damaged, or cut off.", {
      field: "/file",
      cause: error,
    });
  } finally {
    source.destroy();
    unpacker.destroy();
  }
}

function unpacking(first: Buffer): Transform | undefined {
  if (first.subarray(0, 2).toString("hex") === "1f8b") return createGunzip();
  return first.toString("hex") === "28b52ffd" ? createZstdDecompress() : undefined;
}

async function firstOctets(file: string): Promise<Buffer> {
  await using handle = await open(file, "r").catch((error: unknown) => {
    throw new WaypostError("invalid", `${file} cannot be read: ${readThrown(error).code}.`, {
      field: "/file",
    });
  });
  const found = await handle.stat();
  if (!found.isFile()) throw new WaypostError("invalid", `${file} is no file.`, { field: "/file" });
  assertFileSize(file, found.size);
  const first = Buffer.alloc(4);
  await handle.read(first, 0, first.length, 0);
  return first;
}
