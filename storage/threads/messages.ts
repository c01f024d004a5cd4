/** Messages between the main thread and the store's threads. */
import type { DryRun } from "#/src/model/caller.ts";
import type { Touched } from "#/src/model/changes.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { Owner } from "#/src/model/owner.ts";
import type { WritingAuthor } from "../author-row.ts";
import type { Idempotency } from "../idempotency.ts";
import type { ErrorRow } from "../rows.ts";

/** Which of the writer's lanes a job waits in (`../writer-lanes.ts`). */
export type Lane = "quick" | "long" | "idle";

export interface Job {
  readonly id: number;
  /** Absent for the server. */
  readonly by: WritingAuthor | undefined;
  readonly name: string;
  readonly args: unknown;
  /** Octets of its arrays, for the bounds of a batch. */
  readonly bytes: number;
  readonly at: number;
  readonly idempotency?: Idempotency | undefined;
  readonly lane: Lane;
  /** The owner whose turn it takes in the lane. */
  readonly owner: Owner;
  /** Its transaction is undone. It has no other job: `lane` is `long`. */
  readonly dryRun?: DryRun | undefined;
  /** Memory that came with the job and can be reused after it. */
  readonly given?: readonly ArrayBuffer[] | undefined;
}

export type ToWriter =
  | { readonly kind: "jobs"; readonly jobs: readonly Job[] }
  | { readonly kind: "backup"; readonly id: number; readonly file: string }
  /** Ends a backup that runs: its answer is an error. */
  | { readonly kind: "end backup"; readonly id: number }
  /** Releases cached memory. */
  | { readonly kind: "rest"; readonly id: number }
  | { readonly kind: "close" };

export interface Answer {
  readonly id: number;
  readonly error?: ErrorRow;
  readonly result?: unknown;
  readonly isReplayed?: boolean;
}

export type FromWriter =
  | { readonly kind: "ready" }
  /** After the commit, or after a batch that failed. */
  | {
      readonly kind: "answers";
      readonly answers: readonly Answer[];
      readonly touched: readonly Touched[];
      /** Whose access was changed; absent: nobody's. */
      readonly access?: readonly AgentNumber[];
    }
  | { readonly kind: "progress"; readonly id: number; readonly done: number; readonly total: number }
  /** Something failed and was skipped; the store continues. */
  | { readonly kind: "trouble"; readonly message: string }
  /** The store could not be opened, or is not usable any more. */
  | { readonly kind: "failed"; readonly message: string };

export type ToReader =
  | { readonly kind: "scan"; readonly id: number; readonly name: string; readonly args: unknown }
  | { readonly kind: "check"; readonly id: number }
  | { readonly kind: "close" };

export type FromReader =
  | { readonly kind: "ready" }
  | { readonly kind: "answer"; readonly answer: Answer }
  | { readonly kind: "progress"; readonly id: number; readonly done: number; readonly total: number }
  | { readonly kind: "failed"; readonly message: string };
