/** The table of everything that owners share: what there is of it in all, how much one owner may have, who may wait and for how
 *  long, and how fast what arrives has to come. What has no row here has no queue; the README shows the same table. */

import type { MinimumRate } from "./arrival-rate.ts";
import type { Spare, WaitingLimits } from "./gate.ts";

const mebibyte = 1024 * 1024;

/** A number of our own, or where it comes from: the name of a setting, or what it is counted by. */
export type Amount = number | string;

export interface Share {
  /** As refusals and the log name it, in the plural. */
  readonly what: string;
  readonly unit: "connections" | "octets" | "jobs" | "streams";
  readonly total: Amount;
  /** Of a network, and of a mailbox where that has no other. */
  readonly share: Amount;
  readonly mailboxShare?: Amount;
  /** Of all mailboxes of one account. */
  readonly accountShare?: Amount;
  /** Who finds no place waits; without it, is refused. */
  readonly waiting?: WaitingLimits;
  /** The last of it is for owners that then have no more than this. */
  readonly spare?: Spare;
  /** A place that may give way for so long gives way to an owner that has as many. */
  readonly idleMs?: number;
  readonly minimumRate?: MinimumRate;
}

function connectionsOf(role: string, what: string): Share {
  return {
    what,
    unit: "connections",
    total: `${role}.max_connections`,
    share: `${role}.max_connections_per_network`,
    ...(role === "smtp"
      ? {}
      : {
          mailboxShare: `${role}.max_connections_per_login`,
          accountShare: "limits.connections_share_of_account of all",
        }),
    // A client says its first word within a second.
    idleMs: 10_000,
  };
}

/** Jobs of threads. One owner leaves a thread to the others where there are several. */
function jobs(what: string): Share {
  return {
    what,
    unit: "jobs",
    total: "threads",
    share: "threads but one, at least 1",
    waiting: { total: 256, share: 64, waitMs: 20_000 },
  };
}

export const shares = {
  smtp: connectionsOf("smtp", "connections of other servers"),
  submission: connectionsOf("submission", "connections of submission"),
  imap: connectionsOf("imap", "connections of IMAP"),
  http: connectionsOf("http", "connections of HTTP"),
  apart: {
    what: "connections of the ports of the operator and of metrics",
    unit: "connections",
    // They are for a few programs of the operator's own.
    total: 200,
    share: 100,
    idleMs: 10_000,
  },
  challenges: {
    what: "connections of the port of ACME challenges",
    unit: "connections",
    // Anybody may reach it; an authority asks from a few places, one short question each.
    total: 200,
    share: 20,
    idleMs: 10_000,
  },
  receiving: {
    what: "octets of messages and bodies on their way in",
    unit: "octets",
    total: "256 MiB, or four of the largest message",
    share: "half of it",
    spare: { amount: 32 * mebibyte, upTo: mebibyte },
    waiting: { total: 1000, share: 64, waitMs: 20_000 },
    // As Postfix has it (smtpd_min_data_rate): a line of 4,000 bits a second keeps it.
    minimumRate: { graceMs: 60_000, octetsPerSecond: 500 },
  },
  requests: {
    what: "requests of HTTP in a turn of the loop",
    unit: "jobs",
    // Each costs the loop 0.1 to 0.3 ms before it first waits for something.
    total: 16,
    share: "in turns",
  },
  html: jobs("renderings of HTML"),
  documents: {
    ...jobs("readings of documents"),
    // A hostile one holds its thread for seconds.
    share: 1,
    accountShare: 2,
  },
  contacts: jobs("contacts to be converted"),
  events: jobs("events to be converted"),
  rules: jobs("recurrence rules"),
  questions: jobs("questions about large items"),
  scheduler: jobs("invitations"),
  preparers: {
    what: "messages to be understood",
    unit: "jobs",
    // Each is in memory, within `receiving` or `sending`; threads have many under way, as most of them wait for answers of DNS.
    total: 512,
    share: 128,
    accountShare: 256,
    waiting: { total: 1000, share: 256, waitMs: 60_000 },
  },
  items: {
    what: "calendar and address objects to be understood",
    unit: "jobs",
    total: 64,
    share: 8,
    accountShare: 32,
    waiting: { total: 1000, share: 64, waitMs: 60_000 },
  },
  streams: {
    what: "streams of events",
    unit: "streams",
    total: "http.max_connections",
    // The owner is the credential.
    share: "limits.streams_per_token",
  },
  searches: {
    what: "searches for text",
    unit: "jobs",
    // On one thread, in turns: one that has looked into 32 MiB, or for 1 s, begins to wait again.
    total: 32,
    share: 2,
    accountShare: 8,
    // So many of an owner have had their turn by then.
    waiting: { total: 1000, share: 64, waitMs: 60_000 },
  },
  scans: {
    what: "long reads of the store",
    unit: "jobs",
    // One thread does one after the other; the second is there when it has done the first.
    total: 2,
    share: 1,
    waiting: { total: 1000, share: 64, waitMs: 60_000 },
  },
  answers: {
    what: "answers of agents",
    unit: "jobs",
    total: 256,
    // The owner is the mailbox that they leave from: each counts in its conversation before the next one is looked at.
    share: 1,
    waiting: { total: 1000, share: 64, waitMs: 20_000 },
  },
  largeMails: {
    what: "large mails to be composed",
    unit: "jobs",
    // One of 50 MiB is in memory several times over while it is composed.
    total: 1,
    share: 1,
    waiting: { total: 256, share: 16, waitMs: 60_000 },
  },
  queued: {
    what: "deliveries taken from the queue",
    unit: "jobs",
    // Without their octets. What finds no place stays in the store.
    total: 2000,
    share: 100,
  },
  carriers: {
    what: "connections to other servers",
    unit: "connections",
    total: "outbound.connections",
    share: "half of them",
    accountShare: "three quarters of them",
    // Of one delivery, as long as the server cannot have the message.
    idleMs: 30_000,
  },
  servers: {
    what: "connections to one address of other servers",
    unit: "connections",
    // A carrier has one; that of the mail before it may still be closing.
    total: "twice outbound.connections",
    // The owner is the address, for whatever domains the mail is.
    share: "outbound.connections_per_domain",
  },
  deliverers: {
    what: "deliveries into mailboxes here",
    unit: "jobs",
    total: 4,
    share: 2,
    accountShare: 3,
  },
  sending: {
    what: "octets of mail on its way out",
    unit: "octets",
    total: 256 * mebibyte,
    share: 128 * mebibyte,
    spare: { amount: 32 * mebibyte, upTo: mebibyte },
    // As many as the runner has taken from the queue; a large one is with its server for minutes.
    waiting: { total: 500, share: 500, waitMs: 1_800_000 },
  },
  webhooks: {
    what: "requests of webhooks",
    unit: "jobs",
    // A receiver that never answers holds its place for 15 s.
    total: 64,
    share: 4,
    waiting: { total: 10_000, share: 10_000, waitMs: 1_800_000 },
  },
  writes: {
    what: "writes",
    unit: "jobs",
    // Or 64 MiB of them. A caller has one at a time, so its connections bound what it has.
    total: 2000,
    share: "in turns",
  },
  longWrites: {
    what: "writes of many messages",
    unit: "jobs",
    // Each has its sets of numbers in memory, and the writer does a piece of each in turns.
    total: 32,
    share: 1,
    // Beyond the connections that one login may have it is no use to wait.
    waiting: { total: 1000, share: 60, waitMs: 600_000 },
  },
} as const satisfies Record<string, Share>;

export type ShareName = keyof typeof shares;
