/** The times at which a mailbox has sent mail. Rows are numbered, so that the time of the n-th last one is read by key. */
import { WaypostError } from "#/src/model/errors.ts";
import { insertion } from "../../schema/insertion.ts";
import type { AgentTransaction } from "../agent-transaction.ts";

/** Limits of sending; 0 means no limit. */
export interface SendLimits {
  readonly perHour: number;
  readonly perDay: number;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** Old rows that one send deletes; it adds one. */
const prunedAtOnce = 16;

/** Counts one send, or throws `rate_limited` with the time until it is allowed. */
export async function countSend(write: AgentTransaction, limits: SendLimits): Promise<void> {
  const { tx, agent, at } = write;
  if (limits.perHour === 0 && limits.perDay === 0) return;
  const { last } = (await tx.get<{ last: number }>(
    "select coalesce(max(send_number), 0) as last from send_time where agent_id = ?",
    agent,
  ))!;
  const waits = [
    await waitOf(write, last, limits.perHour, hourMs),
    await waitOf(write, last, limits.perDay, dayMs),
  ];
  const retryAfterMs = Math.max(...waits);
  if (retryAfterMs > 0)
    throw new WaypostError(
      "rate_limited",
      `This mailbox sends at most ${limits.perHour || "any number of"} messages an hour and ${limits.perDay || "any number"} a day.`,
      {
        retryAfterMs,
        hint: "Wait retry_after_ms; the operator sets limits.sends_per_hour and sends_per_day.",
      },
    );
  await tx.run(...insertion("send_time", { agent_id: agent, send_number: last + 1, sent_at: at }));
  await tx.run(
    `delete from send_time
    where agent_id = ? and sent_at <= ? and send_number < ? + (
      select min(send_number) from send_time where agent_id = ?)`,
    agent,
    at - dayMs,
    prunedAtOnce,
    agent,
  );
}

/** The time until the `limit`-th last send is `windowMs` ago; 0 if it is already. At most a window: a send that is further ahead was counted
 *  by a clock that has been set back since, and counts no more. */
async function waitOf(
  write: AgentTransaction,
  last: number,
  limit: number,
  windowMs: number,
): Promise<number> {
  if (limit === 0) return 0;
  const row = await write.tx.get<{ sentAt: number }>(
    `select sent_at as "sentAt" from send_time where agent_id = ? and send_number = ?`,
    write.agent,
    last + 1 - limit,
  );
  if (row === undefined || row.sentAt > write.at + windowMs) return 0;
  return Math.min(windowMs, Math.max(0, row.sentAt + windowMs - write.at));
}
