/** Scheduled mail: when its time comes, it is moved from Scheduled to the queue. Before that its time can be changed. */

import { writeOnce } from "#/src/mail/write-once.ts";
import { server } from "#/src/model/author.ts";
import { isWaypostError, WaypostError } from "#/src/model/errors.ts";
import type { SendingBasis } from "#/storage/queries/outbound/sending-basis.ts";
import {
  findScheduled,
  listDueScheduled,
  listRecipients,
  listUnplacedScheduled,
} from "#/storage/queries/outbound/submissions.ts";
import type { SubmissionRow } from "#/storage/submission.ts";
import { assertMayLeave, findSenders } from "./gate/decide.ts";
import { reportOutcomes, startScheduled } from "./gate/gate.ts";
import { scheduledAtOnce, scheduledRetryMs } from "./limits.ts";
import type { Outbound, OutboundRooms } from "./outbound.ts";

const hourMs = 3_600_000;

export interface Scheduled extends Pick<Outbound, "reschedule" | "findSendAt"> {
  /** Puts mail into the queue whose time has come: a limited number, and rings if there is more. Throws unexpected errors, one for
   *  each mail that caused one. */
  startDue(now: number): Promise<void>;
  /** When mail that could not be put into the queue is tried again. */
  retryAt(): number | undefined;
}

export function createScheduled(rooms: OutboundRooms, ring: () => void): Scheduled {
  const { store, settings } = rooms;
  const setAside = new Set<string>();
  let hasPlaced = false;
  let retryAt: number | undefined;

  /** Puts one mail into the queue. undefined if it is done or the mail is no longer to be sent; "later" if it has to be tried again. */
  async function start(row: SubmissionRow, at: number): Promise<"later" | undefined> {
    const { agent, submission } = row;
    const basis = await basisOf(row);
    if (basis === undefined) return refuse(row, at);
    try {
      await startScheduled(store, { agent, submission, basis, at });
      return undefined;
    } catch (error) {
      if (isWaypostError(error) && error.code !== "internal") return "later";
      throw error;
    }
  }

  /** undefined if the rules no longer allow the mail to be sent. */
  async function basisOf({
    agent,
    submission,
    requestedBy,
  }: SubmissionRow): Promise<SendingBasis | undefined> {
    const senders = await findSenders(rooms, agent, requestedBy);
    if (senders === undefined) throw new WaypostError("not_found", "There is no such mailbox.");
    const recipients = await listRecipients(store, agent, submission);
    try {
      return await assertMayLeave(rooms, senders, { recipients });
    } catch (error) {
      if (isWaypostError(error) && error.code === "policy_refused") return undefined;
      throw error;
    }
  }

  /** Moves the mail to Sent and reports each recipient as failed: 5.7.1, not authorized (RFC 3463 section 3.8). */
  async function refuse({ agent, submission }: SubmissionRow, at: number): Promise<undefined> {
    const recipients = await listRecipients(store, agent, submission);
    const outcomes = recipients.map(({ number }) => ({
      number,
      state: "failed" as const,
      status: "5.7.1",
      host: null,
      reply: "The rules for this mailbox no longer allow the mail to be sent.",
      nextAttemptAt: at,
      isSuppressed: false,
    }));
    await reportOutcomes(store, server, {
      agent,
      submission,
      outcomes,
      isDelayTold: false,
      letters: [],
      breaker: null,
      isOfDue: true,
      at,
    });
  }

  async function placeOld(): Promise<void> {
    for (;;) {
      const rows = await listUnplacedScheduled(store, scheduledAtOnce);
      for (const row of rows) await store.write(server, "placeScheduled", { ...row, at: store.clock.now() });
      if (rows.length < scheduledAtOnce) return;
    }
  }

  return {
    async startDue(now) {
      if (!hasPlaced) await placeOld();
      hasPlaced = true;
      retryAt = undefined;
      const due = await listDueScheduled(store, { now, limit: scheduledAtOnce + setAside.size });
      const known = due.filter((row) => !setAside.has(nameOf(row)));
      // All at once, so that they share commits.
      const results = await Promise.allSettled(known.map((row) => start(row, now)));
      const failures: unknown[] = [];
      for (const [index, result] of results.entries())
        if (result.status === "rejected") {
          setAside.add(nameOf(known[index]!));
          failures.push(result.reason);
        } else if (result.value === "later") retryAt = now + scheduledRetryMs;
      if (known.length >= scheduledAtOnce && retryAt === undefined) ring();
      if (failures.length > 0)
        throw new AggregateError(failures, "Some scheduled mail could not be put into the queue");
    },

    retryAt: () => retryAt,

    async findSendAt(agent, message) {
      return (await findScheduled(store, agent, message))?.sendAt;
    },

    async reschedule(by, { idempotency, ...change }) {
      const at = store.clock.now();
      const expiresAt = Math.max(change.sendAt, at) + settings.outbound.maxAgeHours * hourMs;
      const result = await writeOnce(
        store,
        by,
        "rescheduleMessage",
        { ...change, expiresAt, at },
        idempotency,
      );
      ring();
      return result;
    },
  };
}

function nameOf({ agent, submission }: SubmissionRow): string {
  return `${agent} ${submission}`;
}
