/** Items as they are stored: their octets, and the data that is derived from the octets before the write. */
import { promisify } from "node:util";
import { constants, zstdCompress, zstdCompressSync, zstdDecompress, zstdDecompressSync } from "node:zlib";
import type { CollectionSettings } from "#/src/model/collection-properties.ts";
import type { CollectionKind, CollectionRole } from "#/src/model/collections.ts";
import type { AgentNumber, CollectionNumber, ItemNumber, Modseq } from "#/src/model/numbers.ts";
import { uninterrupted } from "#/src/model/uninterrupted.ts";

export interface CollectionRow extends CollectionSettings {
  readonly agent: AgentNumber;
  readonly collection: CollectionNumber;
  readonly kind: CollectionKind;
  readonly role: CollectionRole | null;
  readonly segment: string | null;
  /** Separated by commas; null: all. */
  readonly components: string | null;
  readonly propertiesModseq: Modseq;
  readonly modseq: Modseq;
  readonly itemCount: number;
  readonly byteCount: number;
  readonly createdAt: number;
  /** The last change of the collection or of an item in it. */
  readonly updatedAt: number;
}

export interface ItemRow {
  readonly agent: AgentNumber;
  readonly item: ItemNumber;
  readonly collection: CollectionNumber;
  readonly kind: CollectionKind;
  readonly segment: string | null;
  readonly uid: string;
  readonly component: string;
  readonly modseq: Modseq;
  readonly scheduleTag: string | null;
  readonly size: number;
  /** Octets of its managed attachments. */
  readonly attachmentBytes: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly isAuthenticated: number;
  /** JSON. */
  readonly provenance: string;
}

/** A period in which an item has instances, in milliseconds; the end is exclusive. */
export interface ItemPeriod {
  readonly startMs: number;
  readonly endMs: number;
  /** The period is exactly that of the item's only instance. */
  readonly isExact: boolean;
}

/** Bounds of open periods: the first and the last time of a Date. */
export const openStartMs = -8.64e15;
export const openEndMs = 8.64e15;

/** Everything that is computed from an item's octets before they are written. */
export interface ItemFacts {
  readonly uid: string;
  readonly component: string;
  /** The number of octets, uncompressed. */
  readonly size: number;
  readonly codec: number;
  readonly data: Uint8Array;
  /** Folded. */
  readonly searchText: string;
  /** Disjoint periods; empty for a contact. */
  readonly periods: readonly ItemPeriod[];
  /** The time up to which the periods of an endless series are listed, after which they must be computed again; null for other items. */
  readonly horizonMs: number | null;
  /** The mail addresses of a contact in their form for comparison; empty for an event. */
  readonly addresses: readonly string[];
  /** Keys of the names of a contact (`src/model/likeness.ts`); empty for an event. */
  readonly nameKeys: readonly string[];
  /** RFC 6638 section 3.1: it has an organizer and so a Schedule-Tag. */
  readonly isSchedulingObject: boolean;
  /** The MANAGED-IDs of the attachments (RFC 8607 section 4.3), each once. */
  readonly managedIds: readonly string[];
}

export const rawItem = 0;
export const zstdItem = 1;
/** As for messages: for shorter ones decompression costs more time than the saved space is worth. */
const uncompressedMax = 4 * 1024;
const syncMax = 64 * 1024;
const options = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
const compress = promisify(zstdCompress) as (bytes: Uint8Array, options: object) => Promise<Buffer>;
const decompress = promisify(zstdDecompress) as (bytes: Uint8Array) => Promise<Buffer>;

/** The stored form. Its array has a buffer of its own. */
export async function encodeItem(bytes: Uint8Array): Promise<Pick<ItemFacts, "size" | "codec" | "data">> {
  const size = bytes.length;
  if (size > uncompressedMax) {
    const packed = await uninterrupted(() =>
      size <= syncMax ? zstdCompressSync(bytes, options) : compress(bytes, options),
    );
    if (packed.length < size) return { size, codec: zstdItem, data: new Uint8Array(packed) };
  }
  return { size, codec: rawItem, data: new Uint8Array(bytes) };
}

/** Throws when the stored data is not that of an item of the size. */
export async function decodeItem(stored: {
  readonly codec: number;
  readonly data: Uint8Array;
  readonly size: number;
}): Promise<Uint8Array> {
  const { codec, data, size } = stored;
  const bytes =
    codec === rawItem
      ? data
      : await uninterrupted(() => (size <= syncMax ? zstdDecompressSync(data) : decompress(data)));
  if (codec > zstdItem || bytes.length !== size) throw new Error("The octets of an item are damaged");
  return bytes;
}

/** Periods are grouped into classes by length. In a class, all periods that overlap a range begin in a bounded range. */
const dayMs = 86_400_000;
export const spanMaxMs: readonly number[] = [2, 8, 32, 128, 512, 2048, 8192, 32_768].map(
  (days) => days * dayMs,
);
/** The class of longer and of open periods. */
export const openSpanClass = spanMaxMs.length;

export function spanClassOf({ startMs, endMs }: Pick<ItemPeriod, "startMs" | "endMs">): number {
  const found = spanMaxMs.findIndex((maxMs) => endMs - startMs <= maxMs);
  return found === -1 ? openSpanClass : found;
}
