export interface Health {
  /** Why the server cannot take mail now, as sentences; none if it can. Calls at the same time share one answer. */
  findProblems(): Promise<readonly string[]>;
}
