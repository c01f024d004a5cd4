import type { Transaction } from "../../sql.ts";

export interface ReportPush {
  readonly subscription: number;
  /** A subscription that was renewed meanwhile stays as it is. */
  readonly endpoint: string;
  /** How it stands afterwards; undefined: nobody is told there any more. */
  readonly standing?:
    | {
        readonly told: string;
        readonly failureCount: number;
        readonly failingSince: number | null;
        readonly nextAttemptAt: number;
      }
    | undefined;
}

/** Stores the outcome of one push. */
export async function reportPush(
  tx: Transaction,
  { subscription, endpoint, standing }: ReportPush,
): Promise<void> {
  if (standing === undefined)
    await tx.run(
      "delete from push_subscription where push_subscription_id = ? and endpoint = ?",
      subscription,
      endpoint,
    );
  else
    await tx.run(
      `update push_subscription
      set told = ?, failure_count = ?, failing_since = ?, next_attempt_at = ?
      where push_subscription_id = ? and endpoint = ?`,
      standing.told,
      standing.failureCount,
      standing.failingSince,
      standing.nextAttemptAt,
      subscription,
      endpoint,
    );
}
