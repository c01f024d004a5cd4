/** Messages between this process and the process of a thread. */

/** The environment variable with the thread of the process: a `ThreadKind` as JSON. */
export const hostedThread = "WAYPOST_HOSTED_THREAD";

export type ToHost =
  /** The first message: what the thread is given when it starts. */
  | { readonly kind: "start"; readonly data: object }
  | { readonly kind: "job"; readonly job: unknown }
  | { readonly kind: "gone"; readonly isGone: boolean }
  | { readonly kind: "cpu" };

export type FromHost =
  | { readonly kind: "said"; readonly message: unknown }
  | { readonly kind: "ended"; readonly isOutOfMemory: boolean }
  /** Processor time of the thread. */
  | { readonly kind: "cpu"; readonly cpuMs: number };
