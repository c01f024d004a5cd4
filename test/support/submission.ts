/** Outgoing mail as rows of the store, without a composer and without a queue runner. */
import type { Store } from "#/storage/store.ts";
import type { Envelope } from "#/storage/submission.ts";
import type { ReportedOutcome } from "#/storage/transactions/outbound/report-delivery.ts";
import type { SubmitMessage } from "#/storage/transactions/outbound/submit-message.ts";
import { type Seed, testFacts } from "./store.ts";

const hourMs = 3_600_000;

/** An envelope for these recipients. Addresses of example.org belong to mailboxes of this server. */
export function envelopeTo(...addresses: string[]): Envelope {
  return {
    from: "ada@example.org",
    recipients: addresses.map((address) => ({
      address,
      domain: address.endsWith("@example.org") ? "" : address.slice(address.indexOf("@") + 1),
      notify: [],
      orcpt: null,
    })),
    envid: null,
    ret: null,
    bodyType: "7BIT",
    isSmtputf8: false,
    source: "send",
    answers: null,
    forwards: null,
  };
}

/** The input of `submitMessage` for one message from the mailbox to mel@far.example. */
export async function submission(
  store: Store,
  { agent }: Seed,
  changes: Partial<SubmitMessage> = {},
): Promise<SubmitMessage> {
  const at = store.clock.now();
  return {
    agent,
    requestedBy: agent,
    facts: await testFacts(),
    trace: new Uint8Array(),
    provenance: "{}",
    isAuthenticated: true,
    envelope: envelopeTo("mel@far.example"),
    hasCopy: true,
    sendAt: at,
    expiresAt: at + 120 * hourMs,
    draft: null,
    decision: { kind: "queue", basis: { addresses: [], domains: [], senders: [] } },
    limits: { perHour: 0, perDay: 0 },
    at,
    ...changes,
  };
}

export function outcome(number: number, state: ReportedOutcome["state"], status = "2.0.0"): ReportedOutcome {
  return { number, state, status, host: null, reply: null, nextAttemptAt: 0, isSuppressed: false };
}
