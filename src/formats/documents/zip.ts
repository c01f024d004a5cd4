/** Reads one file from a ZIP archive (APPNOTE.TXT), with a bound on its unpacked size. */
import { inflateRawSync } from "node:zlib";
import { readThrown } from "#/src/model/thrown.ts";

const endOfDirectory = 0x06054b50;
const directoryEntry = 0x02014b50;
const entriesMax = 5000;
/** Size of the end record with the longest possible comment. */
const commentMax = 65_535 + 22;

/** undefined when the archive has no such file or is damaged. What is there twice is over the limit: programs differ in which of them they
 *  take. Case does not count, as for the parts of documents (ECMA-376 part 2, section 6.2.2.3). */
export function readZipEntry(
  archive: Buffer,
  name: string,
  bytesMax: number,
): Buffer | "over-limit" | undefined {
  const end = findEnd(archive);
  if (end === undefined) return undefined;
  let at = archive.readUInt32LE(end + 16);
  const wanted = name.toLowerCase();
  let found: number | undefined;
  const count = archive.readUInt16LE(end + 10);
  if (count > entriesMax) return "over-limit";
  for (let left = count; left > 0; left--) {
    if (at + 46 > archive.length || archive.readUInt32LE(at) !== directoryEntry) return undefined;
    const nameLength = archive.readUInt16LE(at + 28);
    const next = at + 46 + nameLength + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
    if (archive.toString("utf8", at + 46, at + 46 + nameLength).toLowerCase() === wanted) {
      if (found !== undefined) return "over-limit";
      found = at;
    }
    at = next;
  }
  return found === undefined ? undefined : unpack(archive, found, bytesMax);
}

/** The first file of an archive; undefined when it has none or is damaged. */
export function readOnlyZipEntry(archive: Buffer, bytesMax: number): Buffer | "over-limit" | undefined {
  const end = findEnd(archive);
  if (end === undefined || archive.readUInt16LE(end + 10) === 0) return undefined;
  const at = archive.readUInt32LE(end + 16);
  if (at + 46 > archive.length || archive.readUInt32LE(at) !== directoryEntry) return undefined;
  return unpack(archive, at, bytesMax);
}

function findEnd(archive: Buffer): number | undefined {
  for (let at = archive.length - 22; at >= Math.max(0, archive.length - commentMax); at--)
    if (archive.readUInt32LE(at) === endOfDirectory) return at;
  return undefined;
}

function unpack(archive: Buffer, entry: number, bytesMax: number): Buffer | "over-limit" | undefined {
  const method = archive.readUInt16LE(entry + 10);
  const size = archive.readUInt32LE(entry + 20);
  const local = archive.readUInt32LE(entry + 42);
  if (local + 30 > archive.length) return undefined;
  const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
  const packed = archive.subarray(start, start + size);
  if (method === 0) return packed.length > bytesMax ? "over-limit" : packed;
  if (method !== 8) return undefined;
  try {
    return inflateRawSync(packed, { maxOutputLength: bytesMax });
  } catch (error) {
    // zlib has other codes only for damaged data.
    return readThrown(error).code === "ERR_BUFFER_TOO_LARGE" ? "over-limit" : undefined;
  }
}
