import { WaypostError } from "#/src/model/errors.ts";
import { seenFlag } from "#/src/model/flags.ts";
import type { AgentNumber, BlobNumber, Modseq } from "#/src/model/numbers.ts";
import { findHold } from "../queries/holds.ts";
import type { Transaction } from "../sql.ts";
import type { Envelope } from "../submission.ts";
import { beginAgentWrite } from "../writing/agent-write.ts";
import { changeHold } from "../writing/holds.ts";
import { queueSubmission } from "../writing/submissions.ts";
import { assertVersion } from "../writing/version.ts";

export interface ReleaseHold {
  readonly agent: AgentNumber;
  readonly hold: number;
  /** As its bytes and envelope were looked at. */
  readonly version: string;
  /** That of the hold, with the servers that take it now. */
  readonly envelope: Envelope;
  /** When trying ends. */
  readonly expiresAt: number;
  readonly at: number;
}

/** Mail that a person has approved, into the queue and into Sent, under the name that it had: once, as the hold is sent
 *  then. */
export async function releaseHold(
  tx: Transaction,
  args: ReleaseHold,
): Promise<{ submission: number; modseq: Modseq }> {
  const write = await beginAgentWrite(tx, args.agent, args.at, 1);
  const { state } = (await tx.get<{ state: string }>(
    "select state from agent where agent_id = ?",
    args.agent,
  ))!;
  if (state === "paused") throw new WaypostError("paused", "The mailbox is paused and not sending.");
  const hold = await findHold(tx, args.agent, args.hold);
  if (hold === undefined) throw new WaypostError("not_found", "There is no such hold.");
  assertVersion(args.version, String(hold.modseq), "hold");
  const message = (await tx.get<{ blob: BlobNumber; size: number }>(
    `select message.blob_id as blob, blob.size
    from message
    join blob on blob.account_id = message.account_id and blob.blob_id = message.blob_id
    where agent_id = ? and message_id = ?`,
    args.agent,
    hold.message,
  ))!;
  await changeHold(write, hold, "release", "server");
  const sent = await write.mailboxOfRole("sent");
  for (const [index, entry] of sent.added.entries())
    if (entry.message === hold.message && (entry.flags & seenFlag) === 0) {
      sent.added[index] = { ...entry, flags: entry.flags | seenFlag };
      sent.unseenGrowth--;
    }
  const submission = await queueSubmission(write, {
    message: hold.message,
    blob: message.blob,
    size: message.size,
    envelope: args.envelope,
    sendAt: hold.sendAt,
    expiresAt: args.expiresAt,
  });
  return { submission, modseq: await write.finish() };
}
