/** Changes of holds by time: approved mail is sent after the grace time, mail that nobody decides about is declined. */

import { createHash } from "node:crypto";
import { parseAddress } from "#/src/accounts/address.ts";
import { server } from "#/src/model/author.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import { type HoldFailure, holdDigest } from "#/src/model/holds.ts";
import { readBlobRange } from "#/storage/blob.ts";
import type { HoldRow } from "#/storage/holds.ts";
import { findGoneEvent } from "#/storage/queries/collections/calendar-mail.ts";
import { findBlob, findMessage } from "#/storage/queries/mail/messages.ts";
import {
  findNextHoldTimes,
  listExpiredHolds,
  listReleasableHolds,
} from "#/storage/queries/outbound/holds.ts";
import type { SendingBasis } from "#/storage/queries/outbound/sending-basis.ts";
import type { Envelope, EnvelopeRecipient } from "#/storage/submission.ts";
import { assertMayLeave, findSenders } from "../gate/decide.ts";
import { releaseApproved } from "../gate/gate.ts";
import type { HoldRooms, Holds } from "./holds.ts";

/** Holds that are handled at once. */
const holdsAtOnce = 50;

export function createHoldRelease(rooms: HoldRooms): Pick<Holds, "runDue" | "nextDueAt"> {
  const { store, accounts, settings } = rooms;
  const graceMs = settings.holds.graceS * 1000;

  /** Sends an approved mail. Checks everything once more that the approval was bound to: octets, envelope, allowed recipients. */
  async function release(hold: HoldRow): Promise<void> {
    const senders = await findSenders(rooms, hold.agent, hold.requestedBy);
    if (senders === undefined) return;
    const checked = await check(hold);
    if (typeof checked === "string") return end(hold, "fail", checked);
    let basis: SendingBasis;
    try {
      basis = await assertMayLeave(rooms, senders, checked);
    } catch (error) {
      if (!isWaypostError(error) || error.code !== "policy_refused") throw error;
      return end(hold, "fail", failureOf(error.details.reason));
    }
    const now = store.clock.now();
    await unlessChanged(
      releaseApproved(store, {
        agent: hold.agent,
        hold: hold.hold,
        version: String(hold.modseq),
        envelope: checked,
        basis,
        expiresAt: Math.max(now, hold.sendAt) + settings.outbound.maxAgeHours * 3_600_000,
        at: now,
      }),
    );
    rooms.outbound.ring();
  }

  async function check(hold: HoldRow): Promise<Envelope | HoldFailure> {
    const gone = await findGoneEvent(store, hold);
    if (gone === "invitation") return "changed";
    const message = await findMessage(store, hold.agent, hold.message);
    const blob = message && (await findBlob(store, message.account, message.blob));
    if (message === undefined || blob === undefined) return "changed";
    const bytes = await readBlobRange(store, message.account, message.blob, 0, blob.size);
    if (gone === "older" && !isEndOrAnswer(bytes)) return "changed";
    const digest = holdDigest(hold.envelopeText, createHash("sha256").update(bytes).digest());
    if (Buffer.compare(digest, hold.digest) !== 0) return "changed";
    const recipients: EnvelopeRecipient[] = [];
    for (const recipient of hold.envelope.recipients) {
      const { kind } = await accounts.resolveRecipient(recipient.address);
      if (kind === "unknown") return "refused";
      const domain = kind === "local" ? "" : parseAddress(recipient.address)!.domain;
      recipients.push({ ...recipient, domain });
    }
    return { ...hold.envelope, recipients };
  }

  async function end(
    hold: HoldRow,
    action: "fail" | "expire",
    reason: HoldFailure | "expired",
  ): Promise<void> {
    const version = String(hold.modseq);
    const { agent, hold: number } = hold;
    const args = { agent, hold: number, version, action, actor: "server" as const, reason };
    await unlessChanged(store.write(server, "decideHold", { ...args, at: store.clock.now() }));
  }

  return {
    async runDue() {
      const now = store.clock.now();
      const failures: unknown[] = [];
      // A failure with one hold does not stop the others.
      const each = async (holds: readonly HoldRow[], work: (hold: HoldRow) => Promise<void>) => {
        for (const hold of holds) await work(hold).catch((error: unknown) => failures.push(error));
      };
      const approved = await listReleasableHolds(store, { now, graceMs }, holdsAtOnce);
      await each(approved, release);
      const expired = await listExpiredHolds(store, now, holdsAtOnce);
      await each(expired, (hold) => end(hold, "expire", "expired"));
      if (failures.length > 0) throw new AggregateError(failures, "Some holds could not be dealt with");
      return approved.length === holdsAtOnce || expired.length === holdsAtOnce;
    },

    async nextDueAt() {
      const { approvedAt, expiresAt } = await findNextHoldTimes(store);
      const times = [approvedAt === undefined ? undefined : approvedAt + graceMs, expiresAt];
      const known = times.filter((at) => at !== undefined);
      return known.length === 0 ? undefined : Math.min(...known);
    },
  };
}

/** Whether the iTIP message of a mail leaves also when its event is gone. */
function isEndOrAnswer(bytes: Uint8Array): boolean {
  const octets = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return ["CANCEL", "REPLY"].some((method) => octets.includes(`method=${method}`));
}

function failureOf(reason: string | undefined): HoldFailure {
  if (reason === "recipient_blocked") return "blocked";
  return reason === "recipient_suppressed" ? "suppressed" : "refused";
}

/** Ignores the refusal if somebody else has changed the hold first. */
async function unlessChanged(write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    const isOvertaken =
      isWaypostError(error) &&
      (["precondition_failed", "paused", "not_found"].includes(error.code) ||
        error.details.reason === "hold_is_decided");
    if (!isOvertaken) throw error;
  }
}
