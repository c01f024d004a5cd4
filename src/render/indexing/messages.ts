/** The messages between the main thread and the indexing thread. */
import type { Held, IndexAnswer, LookedAt } from "#/src/mail/indexing/text-index.ts";
import type { TextKey } from "#/src/mail/search/search-document.ts";
import type { AgentNumber, MessageNumber } from "#/src/model/numbers.ts";
import type { StorePlace } from "#/storage/store.ts";

export interface IndexThreadData {
  readonly place: StorePlace;
  /** One word that the thread counts up while its loop turns, so that it can be seen from outside when it does not. */
  readonly beat: Int32Array;
}

export type ToIndexThread =
  /** These agents' logs have grown. */
  | { readonly kind: "ring"; readonly agents: readonly AgentNumber[] }
  /** There may be mail of any agent. */
  | { readonly kind: "ring all" }
  /** Which messages hold the keys; the keys are folded. */
  | {
      readonly kind: "find";
      readonly id: number;
      readonly agent: AgentNumber;
      readonly keys: readonly TextKey[];
    }
  /** Which of the keys messages hold, in their header or body, by looking into them; the keys are folded. */
  | {
      readonly kind: "examine";
      readonly id: number;
      readonly agent: AgentNumber;
      readonly messages: readonly MessageNumber[];
      readonly keys: readonly TextKey[];
      readonly where: LookedAt;
    }
  /** Nobody waits for an answer any more, and there will be none. */
  | { readonly kind: "cancel"; readonly id: number }
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
  readonly examined?: readonly (Held | undefined)[];
  readonly previews?: readonly (readonly [MessageNumber, string])[];
}

export type FromIndexThread =
  | { readonly kind: "ready" }
  | IndexThreadAnswer
  /** A message cannot be indexed, or without a message, an agent's mail cannot be read. The reason holds no text of it. */
  | {
      readonly kind: "left out";
      readonly agent: AgentNumber;
      readonly message: MessageNumber | undefined;
      readonly reason: string;
    }
  | { readonly kind: "failed"; readonly message: string };
