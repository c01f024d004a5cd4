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
