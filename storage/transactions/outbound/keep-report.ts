import type { ReceivedReportRow } from "../../rows.ts";
import { insertion } from "../../schema/insertion.ts";
import type { Transaction } from "../../sql.ts";

/** Reports that are kept of each domain and kind: some years of the largest reporters. Beyond it the oldest ones are deleted. */
const reportsMax = 5000;

/** Stores a report of another server about a domain. A report that is already stored stays as it is. A report about a domain that is not
 *  served here is left out. */
export async function keepReport(
  tx: Transaction,
  args: Omit<ReceivedReportRow, "receivedAt"> & { readonly at: number },
): Promise<void> {
  const owned = await tx.get("select 1 as found from domain where name = ?", args.domain);
  if (owned === undefined) return;
  await tx.run(
    ...insertion(
      "received_report",
      {
        domain: args.domain,
        kind: args.kind,
        reporter: args.reporter,
        name: args.name,
        organization: args.organization,
        begins_at: args.beginsAt,
        ends_at: args.endsAt,
        passed: args.passed,
        failed: args.failed,
        details: args.rows,
        received_at: args.at,
      },
      "on conflict (domain, kind, reporter, name) do nothing",
    ),
  );
  const row = await tx.get<{ count: number }>(
    "select count(*) as count from received_report where domain = ? and kind = ?",
    args.domain,
    args.kind,
  );
  const extra = (row?.count ?? 0) - reportsMax;
  if (extra <= 0) return;
  const oldest = await tx.all<{ reporter: string; name: string }>(
    `select reporter, name
    from received_report
    where domain = ? and kind = ?
    order by received_at, reporter, name
    limit ?`,
    args.domain,
    args.kind,
    extra,
  );
  for (const { reporter, name } of oldest)
    await tx.run(
      "delete from received_report where domain = ? and kind = ? and reporter = ? and name = ?",
      args.domain,
      args.kind,
      reporter,
      name,
    );
}
