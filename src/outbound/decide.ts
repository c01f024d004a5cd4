import type { AgentFacts } from "#/src/accounts/accounts.ts";
import type { HoldReason } from "#/src/model/holds.ts";
import type { MessageFacts } from "#/storage/rows.ts";
import type { Envelope } from "#/storage/submission.ts";
import type { OutboundRooms, SubmitRequest } from "./outbound.ts";

export interface SendingFacts {
  readonly request: SubmitRequest;
  /** Of the mailbox that it leaves from. */
  readonly owner: AgentFacts;
  readonly envelope: Envelope;
  /** Of the message. */
  readonly facts: MessageFacts;
  readonly at: number;
}

export type Decision =
  | { readonly kind: "queue" }
  | { readonly kind: "hold"; readonly reason: HoldReason; readonly expiresAt: number };

const holdLifetimeMs = 7 * 24 * 3_600_000;

/** Whether a message may leave at once. */
export async function decideSending(_rooms: OutboundRooms, { request, at }: SendingFacts): Promise<Decision> {
  if (request.holdWish === "always")
    return { kind: "hold", reason: "requested", expiresAt: at + holdLifetimeMs };
  return { kind: "queue" };
}
