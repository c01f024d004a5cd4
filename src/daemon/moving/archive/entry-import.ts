import { createHash } from "node:crypto";
import type { Idempotency } from "#/src/mail/write-once.ts";
import type { AgentRow } from "#/storage/rows.ts";
import type { TransferRooms } from "../transfer-rooms.ts";
import type { Manifest } from "./format.ts";
import type { TarEntry } from "./tar.ts";

/** The counts of an import, which it reports. */
export interface ImportCounts {
  imported: number;
  known: number;
  items: number;
  files: number;
  refused: number;
  readonly refusals: { readonly folder: string; readonly why: string }[];
}

/** One kind of entries. */
export interface EntryImport {
  /** True when the entry is of this kind. */
  take(entry: TarEntry): Promise<boolean>;
  /** What waits is stored. */
  finish(): Promise<void>;
}

/** What each kind of entries is put into. */
export interface OpenArchive {
  readonly rooms: TransferRooms;
  readonly owner: AgentRow;
  readonly head: Manifest;
  readonly counts: ImportCounts;
  readonly bytesMax: number;
  refuse(folder: string, why: string): void;
}

/** An import may be taken up again so long. */
const memoryMs = 365 * 86_400_000;

/** What has this name in the archive, or these octets at a place of it, is stored once. The identifier is only what the archive says of
 *  itself: names have a digest, so that what another one has at the same place is not taken for known. */
export function onceOf({ rooms: { store }, owner: { agent }, head }: OpenArchive, name: string): Idempotency {
  return {
    agent,
    operation: "import",
    key: `import ${createHash("sha256").update(`archive ${head.id}\n${name}`).digest("base64url")}`,
    requestHash: new Uint8Array(32),
    expiresAt: store.clock.now() + memoryMs,
    replaysAnyRequest: true,
  };
}
