/** What a check found, for people and for programs. */
export interface Finding {
  /** What was looked at: a DNS record by its type and name, or a part of this server. */
  readonly what: string;
  /** `optional`: it is not there, and mail goes without. `unknown`: it could not be found out. */
  readonly status: "ok" | "wrong" | "missing" | "optional" | "unknown";
  /** What is there. */
  readonly found?: string;
  /** What should be there. */
  readonly expected?: string;
  /** What follows from it, and what to do. */
  readonly why?: string;
}
