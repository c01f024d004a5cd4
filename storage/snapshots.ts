/** Long reads on one engine: each over one snapshot, on a connection of its own. */
import type { WaypostError } from "#/src/model/errors.ts";
import type { Reader } from "./sql.ts";

export interface Snapshots {
  /** Runs one scan at a time. */
  read<R>(run: (reader: Reader) => Promise<R>): Promise<R>;
  /** The engine's own findings about its files, as sentences. */
  listDamages(): Promise<string[]>;
  failureOf(error: unknown): WaypostError;
  close(): Promise<void>;
}
