/** What replies mean for recipients (RFC 5321 section 4.2.1, RFC 3463). */
import type { DueDelivery, RecipientOutcome } from "#/src/outbound/outbound.ts";
import { isPermanent, isPositive, printableText, type Reply } from "./reply.ts";
import type { TransactionResult } from "./wire-connection.ts";

export interface AttemptOutcome extends RecipientOutcome {
  /** The server understands DSN parameters and has the duty to report from here on (RFC 3461 section 6.2). */
  readonly isReportedThere: boolean;
}

type Recipient = DueDelivery["recipients"][number];

/** One outcome for each recipient of a transaction that came so far that there is no other server to be asked. */
export function outcomesOf(
  recipients: readonly Recipient[],
  result: TransactionResult,
  host: string,
  now: number,
  isReportedThere: boolean,
): AttemptOutcome[] {
  return recipients.map(({ number, address }) => {
    const refusal = result.refused.get(address);
    const base = { number, host, isReportedThere: false };
    if (refusal !== undefined) {
      const isCrowded = result.accepted.size > 0 && isTooManyRecipients(refusal);
      // The others of this message take the next connection, not the next hour.
      if (isCrowded) return { ...base, ...refused(refusal, "deferred"), status: "4.5.3", retryAt: now };
      return { ...base, ...refused(refusal) };
    }
    const { reply } = result;
    if (reply === undefined) {
      const status = result.isDataSent ? "4.4.2" : "4.4.1";
      const words = result.failure ?? "The connection ended before the server had answered.";
      return { ...base, state: "deferred" as const, status, reply: printableText(words) };
    }
    if (!result.accepted.has(address) || !isPositive(reply)) return { ...base, ...refused(reply) };
    return { ...base, state: "relayed" as const, status: reply.status, reply: reply.text, isReportedThere };
  });
}

/** RFC 5321 section 4.5.3.1.10: 452, and 552 from servers that still say that. */
function isTooManyRecipients({ code, status }: Reply): boolean {
  return (code === 452 || code === 552) && (/^[45]\.5\.3$/.test(status) || /^[45]\.0\.0$/.test(status));
}

function refused(reply: Reply, state: "failed" | "deferred" = isPermanent(reply) ? "failed" : "deferred") {
  // What is not an answer to this command (2yz to a command that failed) is taken for a passing confusion.
  const isRefusal = reply.code >= 400;
  return { state, status: isRefusal ? reply.status : "4.5.0", reply: reply.text };
}

/** The same for all. */
export function allOutcomes(
  recipients: readonly Recipient[],
  outcome: Omit<AttemptOutcome, "number" | "isReportedThere">,
): AttemptOutcome[] {
  return recipients.map(({ number }) => ({ ...outcome, number, isReportedThere: false }));
}
