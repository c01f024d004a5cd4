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
/** A time that is further ahead was counted by a clock that has been set back since; writes at once and several daemons differ by less. */
const aheadMs = 5 * 60_000;

interface SendTime {
  readonly number: number;
  readonly sentAt: number;
}

const sendTimes = `select send_number as number, sent_at as "sentAt" from send_time where agent_id = ?`;

/** Counts one send, or throws `rate_limited` with the time until it is allowed. */
export async function countSend(write: AgentTransaction, limits: SendLimits): Promise<void> {
  const { tx, agent, at } = write;
  if (limits.perHour === 0 && limits.perDay === 0) return;
  const latest = await tx.get<SendTime>(`${sendTimes} order by send_number desc limit 1`, agent);
  const last = latest?.number ?? 0;
  const ofHour = await limitingSend(write, last, limits.perHour);
  const ofDay = await limitingSend(write, last, limits.perDay);
  const waits = [waitAfter(ofHour, hourMs, at), waitAfter(ofDay, dayMs, at)];
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
  // A refusal writes nothing, so one send is let go.
  if ([latest, ofHour, ofDay].some((one) => isAhead(one, at)))
    await tx.run("update send_time set sent_at = ? where agent_id = ? and sent_at > ?", at, agent, at);
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

/** The send that must be a window ago, so that another may follow; undefined: none need be. */
async function limitingSend(
  { tx, agent }: AgentTransaction,
  last: number,
  limit: number,
): Promise<SendTime | undefined> {
  if (limit === 0) return undefined;
  return await tx.get<SendTime>(`${sendTimes} and send_number = ?`, agent, last + 1 - limit);
}

/** The time until it is a window ago; 0 if it is already, or if a clock that has been set back since counted it. At most a window. */
function waitAfter(send: SendTime | undefined, windowMs: number, at: number): number {
  if (send === undefined || isAhead(send, at)) return 0;
  return Math.min(windowMs, Math.max(0, send.sentAt + windowMs - at));
}

function isAhead(send: SendTime | undefined, at: number): boolean {
  return send !== undefined && send.sentAt > at + aheadMs;
}
