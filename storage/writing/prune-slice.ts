/** How many rows one write prunes. */
export interface PruneSlice {
  /** Rows, the oldest first. */
  readonly limit: number;
  /** Older rows to leave out, because the file may be damaged there. */
  readonly skip?: number;
}
