import type { Transaction } from "../../sql.ts";

/** Keeps when a session was used last. */
export async function touchPageSession(
  tx: Transaction,
  args: { readonly session: number; readonly at: number },
): Promise<void> {
  await tx.run(
    "update page_session set seen_at = ? where page_session_id = ? and ended_at is null and seen_at < ?",
    args.at,
    args.session,
    args.at,
  );
}
