/** What this process and the one of a thread say to each other. */

/** The variable that says which thread a process is for: a `ThreadKind` as JSON. */
export const hostedThread = "WAYPOST_HOSTED_THREAD";

export type ToHost =
  | { readonly kind: "job"; readonly job: unknown }
  | { readonly kind: "gone"; readonly isGone: boolean }
  | { readonly kind: "cpu" };

export type FromHost =
  | { readonly kind: "said"; readonly message: unknown }
  | { readonly kind: "ended" }
  /** What the thread has taken of a processor. */
  | { readonly kind: "cpu"; readonly cpuMs: number };
