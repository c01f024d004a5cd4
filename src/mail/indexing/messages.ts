/** What the main thread and the indexing thread say to each other. */
import type { AgentNumber, Modseq } from "#/src/model/numbers.ts";
import type { TextKey } from "../search-document.ts";

export interface IndexThreadData {
  readonly folder: string;
}

export type ToIndexThread =
  /** These agents' logs have grown. */
  | { readonly kind: "ring"; readonly agents: readonly AgentNumber[] }
  /** Which messages hold the keys; the keys are folded. */
  | {
      readonly kind: "find";
      readonly id: number;
      readonly agent: AgentNumber;
      readonly keys: readonly TextKey[];
    }
  /** To be answered when the index is complete and holds nothing that is gone. */
  | { readonly kind: "settle"; readonly id: number }
  | { readonly kind: "close" };

/** What the index knows of an agent's messages up to a number. */
export interface IndexAnswer {
  readonly upTo: Modseq;
  /** For each key, the messages that hold it, ascending. */
  readonly found: readonly Float64Array[];
  /** Messages up to there that are not in the index, ascending. */
  readonly tooLarge: Float64Array;
}

export type FromIndexThread =
  | { readonly kind: "ready" }
  /** Without an answer, the index could not say. */
  | { readonly kind: "answer"; readonly id: number; readonly answer?: IndexAnswer | undefined }
  | { readonly kind: "failed"; readonly message: string };
