/** How much one write prunes. */
export interface PruneSlice {
  /** Rows, the oldest first. */
  readonly limit: number;
  /** Rows before them that are left: a file may be damaged where they are. */
  readonly skip?: number;
}
