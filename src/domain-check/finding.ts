/** The result of one check, for people and for programs. */
export interface Finding {
  /** The subject of the check: a DNS record by its type and name, or a part of this server. */
  readonly what: string;
  /** `remark`: mail works, and something is worth knowing. `optional`: it does not exist, and mail works without it. `unknown`: the check
   *  was not possible. */
  readonly status: "ok" | "wrong" | "missing" | "remark" | "optional" | "unknown";
  /** The value that was found. */
  readonly found?: string;
  /** The value that is needed. */
  readonly expected?: string;
  /** The consequence, and what to do. */
  readonly why?: string;
  /** The line of a zone file that mends it. */
  readonly copy?: string;
}

/** What is found about one subject. */
export type Verdict = Omit<Finding, "what">;

export const ok: Verdict = { status: "ok" };

export function wrong(why: string): Verdict {
  return { status: "wrong", why };
}

export function remark(why: string): Verdict {
  return { status: "remark", why };
}
