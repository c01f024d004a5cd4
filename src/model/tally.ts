/** Metrics: counts and durations by name, with a few label words. The words are fixed words or codes, never text of a client, so their
 *  number is bounded. */
import type { FinishedSpan } from "./span.ts";

/** The counters, each with its label words. */
export const counted = {
  messages: {
    meaning: "Messages that SMTP clients brought, by port and outcome.",
    words: ["port", "outcome"],
  },
  refusals: {
    meaning: "MAIL, RCPT and connections that were refused, by port, command and enhanced status code.",
    words: ["port", "command", "status"],
  },
  deliveries: {
    meaning: "Outcomes of attempts to deliver, one for each recipient.",
    words: ["way", "outcome"],
  },
  logins: { meaning: "Logins, by kind of credential and outcome.", words: ["credential", "outcome"] },
  requests: { meaning: "HTTP requests, by class of status.", words: ["status"] },
  webhook_requests: { meaning: "Requests of webhooks, by outcome.", words: ["outcome"] },
} as const satisfies Record<string, { readonly meaning: string; readonly words: readonly string[] }>;
export type Counted = keyof typeof counted;

/** The timers, in seconds. */
export const timed = {
  write: "Time from asking for a write of the store to its durable commit.",
  message: "Time from the last octet of a message to its answer.",
  request: "Time from the first octet of an HTTP request to the end of its answer, streams not counted.",
} as const satisfies Record<string, string>;
export type Timed = keyof typeof timed;

export interface Tally {
  count<N extends Counted>(
    name: N,
    words: Readonly<Record<(typeof counted)[N]["words"][number], string>>,
  ): void;
  time(name: Timed, ms: number): void;
  /** Present when traces are sent. */
  readonly span?: (span: FinishedSpan) => void;
}

/** For a server without metrics. */
export const noTally: Tally = { count() {}, time() {} };
