/** What an operator does with mail in the queue. */
import type { Author } from "#/src/model/author.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { listRecipients } from "#/storage/queries/outbound/submissions.ts";
import type { SubmissionRow } from "#/storage/submission.ts";
import { reportOutcomes, retryNow } from "./gate/gate.ts";
import type { Outbound, OutboundRooms } from "./outbound.ts";

export function createOperatorActs(
  { store }: OutboundRooms,
  ring: () => void,
): Pick<Outbound, "retry" | "cancel"> {
  return {
    async retry(by, mail) {
      const count = await retryNow(store, by, mail);
      ring();
      return count;
    },
    cancel: (by, mail) => cancel(by, store, mail),
  };
}

/** Tells the sender of each recipient. Scheduled mail goes to Trash. */
async function cancel(by: Author, store: OutboundRooms["store"], row: SubmissionRow): Promise<void> {
  const recipients = await listRecipients(store, row.agent, row.submission);
  const at = store.clock.now();
  if (recipients.some(({ state }) => state === "scheduled")) {
    await store.write(by, "cancelScheduled", { agent: row.agent, submission: row.submission, at });
    return;
  }
  const outcomes = recipients
    .filter(({ state }) => state === "queued")
    .map(({ number }) => ({
      number,
      state: "cancelled" as const,
      // RFC 3463 section 3.8: not authorized.
      status: "5.7.1",
      host: null,
      reply: "Cancelled by the operator.",
      nextAttemptAt: at,
      isSuppressed: false,
    }));
  if (outcomes.length === 0)
    throw new WaypostError("precondition_failed", "Nothing of that mail is waiting any more.");
  const { agent, submission } = row;
  await reportOutcomes(store, by, {
    agent,
    submission,
    outcomes,
    isDelayTold: false,
    letters: [],
    breaker: null,
    at,
  });
}
