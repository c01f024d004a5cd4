/** The amount of pending work, for metrics. The counts use indexes of pending rows only, not of finished ones. */
import type { AgentNumber } from "#/src/model/numbers.ts";
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

/** Recipients of active mailboxes whose mail should have been tried before a time, and was not. */
export async function countOverdue(reader: Reader, dueBefore: number): Promise<number> {
  const row = await reader.get<{ count: number }>(
    `select count(*) as count
    from submission_recipient as r
    join agent on agent.agent_id = r.agent_id and agent.state = 'active'
    where r.state = 'queued' and r.next_attempt_at <= ?`,
    dueBefore,
  );
  return row!.count;
}

/** Recipients that wait since before a time, at most `limit`. */
export async function countWaitingSince(
  reader: Reader,
  createdBefore: number,
  limit: number,
): Promise<number> {
  const row = await reader.get<{ count: number }>(
    `select count(*) as count
    from (
      select 1 as one
      from submission_recipient as r
      join submission as s on s.agent_id = r.agent_id and s.submission_id = r.submission_id
      where r.state = 'queued' and s.created_at <= ?
      limit ?) as waiting`,
    createdBefore,
    limit,
  );
  return row!.count;
}

export interface FullMailboxRow {
  readonly agent: AgentNumber;
  readonly address: string;
  readonly byteCount: number;
  readonly quotaBytes: number;
}

/** Mailboxes that use so many hundredths of their quota or more. */
export function listFullMailboxes(reader: Reader, percent: number, limit: number): Promise<FullMailboxRow[]> {
  return reader.all(
    `select agent.agent_id as agent, own.local_part || '@' || own.domain as address,
      agent.byte_count as "byteCount", agent.quota_bytes as "quotaBytes"
    from agent
    join address as own on own.agent_id = agent.agent_id and own.is_primary = 1
    where agent.state <> 'deleted' and agent.quota_bytes > 0 and agent.byte_count * 100 >= agent.quota_bytes * ?
    order by agent.agent_id
    limit ?`,
    percent,
    limit,
  );
}
