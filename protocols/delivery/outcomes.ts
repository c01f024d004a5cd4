/** Turns replies into outcomes of recipients (RFC 5321 section 4.2.1, RFC 3463). */
import type { DueDelivery, RecipientOutcome } from "#/src/outbound/outbound.ts";
import { isPermanent, isPositive, printableText, type Reply } from "./reply.ts";
import type { TransactionResult } from "./wire-connection.ts";

export interface AttemptOutcome extends RecipientOutcome {
  /** The server supports DSN and has to send the reports from here on (RFC 3461 section 6.2). */
  readonly isReportedThere: boolean;
}

type Recipient = DueDelivery["recipients"][number];

/** One outcome for each recipient of a transaction after which no other server is tried. */
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
      // The other recipients of this message are tried with the next connection at once, not in an hour.
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

/** Too many recipients (RFC 5321 section 4.5.3.1.10): 452, or 552 from old servers. */
function isTooManyRecipients({ code, status }: Reply): boolean {
  return (code === 452 || code === 552) && (/^[45]\.5\.3$/.test(status) || /^[45]\.0\.0$/.test(status));
}

function refused(reply: Reply, state: "failed" | "deferred" = isPermanent(reply) ? "failed" : "deferred") {
  // A reply that does not fit (2yz to a command that failed) is taken as a temporary failure.
  const isRefusal = reply.code >= 400;
  return { state, status: isRefusal ? reply.status : "4.5.0", reply: reply.text };
}

/** The same outcome for all recipients. */
export function allOutcomes(
  recipients: readonly Recipient[],
  outcome: Omit<AttemptOutcome, "number" | "isReportedThere">,
): AttemptOutcome[] {
  return recipients.map(({ number }) => ({ ...outcome, number, isReportedThere: false }));
}
