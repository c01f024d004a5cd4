/** The table of all shared resources: the total, the share of one owner, how many may wait and for how long, and the minimum rate of
 *  received data. A resource without a row has no queue. The README shows the same table. */

import type { MinimumRate } from "./arrival-rate.ts";
import type { Spare, WaitingLimits } from "./gate.ts";

const mebibyte = 1024 * 1024;

/** A number, or its source: the name of a setting, or a description. */
export type Amount = number | string;

export interface Share {
  /** Name in refusals and in the log, in the plural. */
  readonly what: string;
  readonly unit: "connections" | "octets" | "jobs" | "streams";
  readonly total: Amount;
  /** For a network, and for a mailbox without its own value. */
  readonly share: Amount;
  readonly mailboxShare?: Amount;
  /** For all mailboxes of one account. */
  readonly accountShare?: Amount;
  /** Limits of waiting; without it a caller without a place is refused. */
  readonly waiting?: WaitingLimits;
  /** The last part of the total, reserved for owners that have little. */
  readonly spare?: Spare;
  /** After a place could give way for this time, an owner with as many places may take it. */
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

export const shares = {
  smtp: connectionsOf("smtp", "connections of other servers"),
  submission: connectionsOf("submission", "connections of submission"),
  imap: connectionsOf("imap", "connections of IMAP"),
  http: connectionsOf("http", "connections of HTTP"),
  apart: {
    what: "connections of the ports of the operator and of metrics",
    unit: "connections",
    // Only a few programs of the operator use them.
    total: 200,
    share: 100,
    idleMs: 10_000,
  },
  challenges: {
    what: "connections of the port of ACME challenges",
    unit: "connections",
    // It is open to everybody; an authority sends one short request from each of a few addresses.
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
    // As in Postfix (smtpd_min_data_rate): a connection of 4,000 bits a second is fast enough.
    minimumRate: { graceMs: 60_000, octetsPerSecond: 500 },
  },
  requests: {
    what: "requests of HTTP in a turn of the loop",
    unit: "jobs",
    // Each costs the loop 0.1 to 0.3 ms before it first waits for something.
    total: 16,
    share: "in turns",
  },
  arrival: {
    what: "messages to be understood",
    unit: "jobs",
    // Each is in memory, within `receiving` or `sending`; a thread has many at a time, because most of them wait for answers of DNS.
    total: 512,
    share: 128,
    accountShare: 256,
    waiting: { total: 1000, share: 256, waitMs: 60_000 },
  },
  reading: {
    what: "readings of texts, events and contacts",
    unit: "jobs",
    // Each is in memory, and has 4 MiB at most.
    total: 64,
    share: 8,
    accountShare: 32,
    spare: { amount: 16, upTo: 2 },
    waiting: { total: 1000, share: 64, waitMs: 60_000 },
  },
  documents: {
    what: "readings of documents",
    unit: "jobs",
    total: 3,
    // A hostile document holds its process for seconds.
    share: 1,
    accountShare: 2,
    waiting: { total: 256, share: 64, waitMs: 20_000 },
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
    // On one thread, in turns: after reading 32 MiB, or after 1 s, a search waits for its next turn.
    total: 32,
    share: 2,
    accountShare: 8,
    // Within the time, this number of one owner's searches has had a turn.
    waiting: { total: 1000, share: 64, waitMs: 60_000 },
  },
  scans: {
    what: "long reads of the store",
    unit: "jobs",
    // One thread runs one job after the other; the second waits so that the thread is not idle in between.
    total: 2,
    share: 1,
    waiting: { total: 1000, share: 64, waitMs: 60_000 },
  },
  transfers: {
    what: "imports and exports",
    unit: "jobs",
    // Each is a process. The command line, programs of operators, and people each have a share: none of them shuts out another.
    total: 12,
    share: 4,
  },
  answers: {
    what: "answers of agents",
    unit: "jobs",
    total: 256,
    // The owner is the sending mailbox: each mail is counted in its conversation before the next one is checked.
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
    // Without their octets. A mail without a place stays in the store.
    total: 2000,
    share: 100,
  },
  carriers: {
    what: "connections to other servers",
    unit: "connections",
    total: "outbound.connections",
    share: "half of them",
    accountShare: "three quarters of them",
    // A delivery may give way while the receiving server cannot have the message yet.
    idleMs: 30_000,
  },
  servers: {
    what: "connections to one address of other servers",
    unit: "connections",
    // A delivery uses one; the connection of the previous mail may still be closing.
    total: "twice outbound.connections",
    // The owner is the IP address, for mail of all domains.
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
    // The number that the runner takes from the queue; a large mail takes minutes to transfer.
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
    // The number of connections of one login bounds how many can wait.
    waiting: { total: 1000, share: 60, waitMs: 600_000 },
  },
  dryRuns: {
    what: "dry runs",
    unit: "jobs",
    // Each has a transaction of the writer for itself.
    total: 32,
    share: 1,
    waiting: { total: 1000, share: 60, waitMs: 20_000 },
  },
} as const satisfies Record<string, Share>;

export type ShareName = keyof typeof shares;
