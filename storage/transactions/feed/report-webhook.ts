import type { WebhookState } from "../../rows.ts";
import { insertion } from "../../schema/insertion.ts";
import type { Transaction } from "../../sql.ts";

export interface ReportWebhook {
  readonly webhook: number;
  /** The state of the webhook after the attempt. */
  readonly state: WebhookState;
  readonly position: string;
  readonly failureCount: number;
  readonly failingSince: number | null;
  readonly nextAttemptAt: number;
  /** Absent when there was nothing to send. */
  readonly attempt?: {
    readonly message: string;
    readonly at: number;
    readonly status: number | null;
    readonly error: string | null;
    readonly eventCount: number;
  };
  /** Attempts that are kept. */
  readonly historyMax: number;
}

/** Stores the outcome of one request. For a webhook that was deleted meanwhile `isKnown` is false. */
export async function reportWebhook(tx: Transaction, args: ReportWebhook): Promise<{ isKnown: boolean }> {
  const changed = await tx.run(
    `update webhook
    set state = ?, position = ?, failure_count = ?, failing_since = ?, next_attempt_at = ?
    where webhook_id = ?`,
    args.state,
    args.position,
    args.failureCount,
    args.failingSince,
    args.nextAttemptAt,
    args.webhook,
  );
  if (changed === 0) return { isKnown: false };
  if (args.attempt !== undefined) await addAttempt(tx, args.webhook, args.attempt, args.historyMax);
  return { isKnown: true };
}

async function addAttempt(
  tx: Transaction,
  webhook: number,
  attempt: NonNullable<ReportWebhook["attempt"]>,
  historyMax: number,
): Promise<void> {
  const { last } = (await tx.get<{ last: number }>(
    "select coalesce(max(attempt_number), 0) as last from webhook_attempt where webhook_id = ?",
    webhook,
  ))!;
  await tx.run(
    ...insertion("webhook_attempt", {
      webhook_id: webhook,
      attempt_number: last + 1,
      message_id: attempt.message,
      at: attempt.at,
      status: attempt.status,
      error: attempt.error,
      event_count: attempt.eventCount,
    }),
  );
  await tx.run(
    "delete from webhook_attempt where webhook_id = ? and attempt_number <= ?",
    webhook,
    last + 1 - historyMax,
  );
}
