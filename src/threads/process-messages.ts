/** Messages between this process and the process of a thread. */

/** The environment variable with the thread of the process: a `ThreadKind` as JSON. */
export const hostedThread = "WAYPOST_HOSTED_THREAD";

export type ToHost =
  /** The first message: what the thread is given when it starts. */
  | { readonly kind: "start"; readonly data: object }
  | { readonly kind: "give"; readonly message: unknown }
  | { readonly kind: "look" };

export type FromHost =
  | { readonly kind: "said"; readonly message: unknown }
  /** `error`: what the thread threw and did not catch, as text. */
  | { readonly kind: "ended"; readonly isOutOfMemory: boolean; readonly error?: string }
  /** Processor time of the thread, and its board (`job-board.ts`). */
  | {
      readonly kind: "seen";
      readonly cpuMs: number;
      readonly words: readonly number[];
      readonly times: readonly number[];
    };
