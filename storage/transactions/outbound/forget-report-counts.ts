import type { ReportCountRow } from "../../rows.ts";
import type { Transaction } from "../../sql.ts";

/** Forgets what was counted of a domain and day: its report has left, or nobody wants one. */
export async function forgetReportCounts(
  tx: Transaction,
  { kind, day, domain }: Pick<ReportCountRow, "kind" | "day" | "domain">,
): Promise<void> {
  await tx.run("delete from report_count where kind = ? and day = ? and domain = ?", kind, day, domain);
}
