/** What the main thread and the indexing thread say to each other. */
import type { IndexAnswer } from "#/src/mail/indexing/text-index.ts";
import type { TextKey } from "#/src/mail/search-document.ts";
import type { AgentNumber, MessageNumber } from "#/src/model/numbers.ts";

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
  /** The previews of messages. */
  | {
      readonly kind: "previews";
      readonly id: number;
      readonly agent: AgentNumber;
      readonly messages: readonly MessageNumber[];
    }
  /** To be answered when the index is complete and holds nothing that is gone. */
  | { readonly kind: "settle"; readonly id: number }
  | { readonly kind: "close" };

/** Without an answer, the index could not say. */
export interface IndexThreadAnswer {
  readonly kind: "answer";
  readonly id: number;
  readonly answer?: IndexAnswer | undefined;
  readonly previews?: readonly (readonly [MessageNumber, string])[];
}

export type FromIndexThread =
  | { readonly kind: "ready" }
  | IndexThreadAnswer
  | { readonly kind: "failed"; readonly message: string };
