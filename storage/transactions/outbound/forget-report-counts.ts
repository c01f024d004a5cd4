import type { ReportCountRow } from "../../rows.ts";
import type { Transaction } from "../../sql.ts";

/** Deletes the counts of a domain and day: the report was sent, or the domain does not want one. */
export async function forgetReportCounts(
  tx: Transaction,
  { kind, day, domain }: Pick<ReportCountRow, "kind" | "day" | "domain">,
): Promise<void> {
  await tx.run("delete from report_count where kind = ? and day = ? and domain = ?", kind, day, domain);
}
