/** Items as the store keeps them: their octets, and what was derived of those before the write. */
import { promisify } from "node:util";
import { constants, zstdCompress, zstdCompressSync, zstdDecompress, zstdDecompressSync } from "node:zlib";
import type { CollectionKind, CollectionRole } from "#/src/model/collections.ts";
import type { AgentNumber, CollectionNumber, ItemNumber, Modseq } from "#/src/model/numbers.ts";
import { uninterrupted } from "#/src/model/uninterrupted.ts";

export interface CollectionRow {
  readonly agent: AgentNumber;
  readonly collection: CollectionNumber;
  readonly kind: CollectionKind;
  readonly role: CollectionRole | null;
  readonly segment: string | null;
  readonly displayName: string;
  readonly description: string | null;
  readonly color: string | null;
  readonly position: number | null;
  /** With commas between; null: all. */
  readonly components: string | null;
  readonly timeZone: string | null;
  /** Of the scheduling inbox: iCalendar. */
  readonly availability: string | null;
  readonly isTransparent: number;
  readonly propertiesModseq: Modseq;
  readonly modseq: Modseq;
  readonly itemCount: number;
  readonly byteCount: number;
  readonly createdAt: number;
  /** Of the collection, or of what is in it. */
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

/** A period in which an item has instances: milliseconds, the end is not in it. */
export interface ItemPeriod {
  readonly startMs: number;
  readonly endMs: number;
  /** It is that of the one instance which the item has. */
  readonly isExact: boolean;
}

/** Bounds of periods that are open: the first and the last time that a Date has. */
export const openStartMs = -8.64e15;
export const openEndMs = 8.64e15;

/** Everything that is computed of an item's octets before they are written. */
export interface ItemFacts {
  readonly uid: string;
  readonly component: string;
  /** Octets as they were sent. */
  readonly size: number;
  readonly codec: number;
  readonly data: Uint8Array;
  /** Folded. */
  readonly searchText: string;
  /** Disjoint. Of a contact none. */
  readonly periods: readonly ItemPeriod[];
  /** Up to where the periods of an endless series are told one by one, and so must be told again; null for all else. */
  readonly horizonMs: number | null;
  /** Of a contact, its mail addresses as they are compared; of an event none. */
  readonly addresses: readonly string[];
  /** RFC 6638 section 3.1: it has an organizer and so a Schedule-Tag. */
  readonly isSchedulingObject: boolean;
  /** MANAGED-ID of attachments (RFC 8607 section 4.3), each once. */
  readonly managedIds: readonly string[];
}

export const rawItem = 0;
export const zstdItem = 1;
/** As of messages: what is shorter is not worth the time that reading it takes. */
const uncompressedMax = 4 * 1024;
const syncMax = 64 * 1024;
const options = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
const compress = promisify(zstdCompress) as (bytes: Uint8Array, options: object) => Promise<Buffer>;
const decompress = promisify(zstdDecompress) as (bytes: Uint8Array) => Promise<Buffer>;

/** The stored form. The array owns its memory. */
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

/** Throws when they are not the octets of an item of that size. */
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

/** Periods are kept in classes by how long they are, so that those which touch a range begin in a range too. */
const dayMs = 86_400_000;
export const spanMaxMs: readonly number[] = [2, 8, 32, 128, 512, 2048, 8192, 32_768].map(
  (days) => days * dayMs,
);
/** What is longer, or open. */
export const openSpanClass = spanMaxMs.length;

export function spanClassOf({ startMs, endMs }: Pick<ItemPeriod, "startMs" | "endMs">): number {
  const found = spanMaxMs.findIndex((maxMs) => endMs - startMs <= maxMs);
  return found === -1 ? openSpanClass : found;
}
