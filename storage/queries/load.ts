/** The amount of pending work, for metrics. The counts use indexes of pending rows only, not of finished ones. */
import type { Reader } from "../sql.ts";

export interface QueueLoad {
  /** Recipients that are due now. */
  readonly due: number;
  /** Recipients that wait for their next attempt. */
  readonly later: number;
  /** When the oldest mail with such a recipient was submitted. */
  readonly oldestAt: number | null;
}

export async function countQueued(reader: Reader, now: number): Promise<QueueLoad> {
  const due = await countWhere(reader, "state = 'queued' and next_attempt_at <= ?", now);
  const later = await countWhere(reader, "state = 'queued' and next_attempt_at > ?", now);
  if (due + later === 0) return { due, later, oldestAt: null };
  const row = await reader.get<{ oldestAt: number | null }>(
    `select min(s.created_at) as "oldestAt"
    from submission_recipient as r
    join submission as s on s.agent_id = r.agent_id and s.submission_id = r.submission_id
    where r.state = 'queued'`,
  );
  return { due, later, oldestAt: row?.oldestAt ?? null };
}

async function countWhere(reader: Reader, condition: string, now: number): Promise<number> {
  const row = await reader.get<{ count: number }>(
    `select count(*) as count from submission_recipient where ${condition}`,
    now,
  );
  return row!.count;
}

export async function countWaitingHolds(reader: Reader): Promise<number> {
  const row = await reader.get<{ count: number }>(
    "select count(*) as count from hold where state = 'waiting'",
  );
  return row!.count;
}
