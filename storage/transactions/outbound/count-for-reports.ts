import type { ReportCountRow } from "../../rows.ts";
import { insertion } from "../../schema/insertion.ts";
import type { Transaction } from "../../sql.ts";

/** The most different events that are counted of one domain and day; further ones are left out. */
const detailsMax = 1000;

/** Adds to the counts for reports. */
export async function countForReports(
  tx: Transaction,
  args: { readonly counts: readonly ReportCountRow[] },
): Promise<void> {
  for (const { kind, day, domain, detail, count } of args.counts) {
    const isCounted = await tx.run(
      "update report_count set count = count + ? where kind = ? and day = ? and domain = ? and detail = ?",
      count,
      kind,
      day,
      domain,
      detail,
    );
    if (isCounted > 0) continue;
    const row = await tx.get<{ count: number }>(
      "select count(*) as count from report_count where kind = ? and day = ? and domain = ?",
      kind,
      day,
      domain,
    );
    if ((row?.count ?? 0) >= detailsMax) continue;
    await tx.run(...insertion("report_count", { kind, day, domain, detail, count }));
  }
}
