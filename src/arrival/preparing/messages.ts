/** What the main thread and the threads that prepare messages say to each other. */
import type { MessageFacts } from "#/storage/rows.ts";

export interface PreparationJob {
  readonly id: number;
  readonly bytes: Uint8Array;
}

export type PreparationAnswer =
  | { readonly id: number; readonly facts: MessageFacts }
  | { readonly id: number; readonly failure: string };
