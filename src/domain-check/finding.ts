/** The result of one check, for people and for programs. */
export interface Finding {
  /** The subject of the check: a DNS record by its type and name, or a part of this server. */
  readonly what: string;
  /** `optional`: it does not exist, and mail works without it. `unknown`: the check was not possible. */
  readonly status: "ok" | "wrong" | "missing" | "optional" | "unknown";
  /** The value that was found. */
  readonly found?: string;
  /** The value that is needed. */
  readonly expected?: string;
  /** The consequence, and what to do. */
  readonly why?: string;
}
