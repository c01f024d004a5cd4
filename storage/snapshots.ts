/** Long reads on one engine: each over one snapshot, on a connection of its own. */
import type { WaypostError } from "#/src/model/errors.ts";
import type { Reader } from "./sql.ts";

export interface Snapshots {
  /** One at a time. */
  read<R>(run: (reader: Reader) => Promise<R>): Promise<R>;
  /** What the engine itself finds wrong with its files, as sentences. */
  listDamages(): Promise<string[]>;
  failureOf(error: unknown): WaypostError;
  close(): Promise<void>;
}
