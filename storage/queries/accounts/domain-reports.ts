/** Reports of other servers about local domains, and the counts for our own reports. */
import type { ReceivedReportRow, ReportCountRow } from "../../rows.ts";
import type { Reader } from "../../sql.ts";

/** The newest first. */
export function listReceivedReports(
  reader: Reader,
  domain: string,
  { kind, limit }: { readonly kind: string; readonly limit: number },
): Promise<ReceivedReportRow[]> {
  return reader.all(
    `select domain, kind, reporter, name, organization, begins_at as "beginsAt", ends_at as "endsAt",
      passed, failed, details as rows, received_at as "receivedAt"
    from received_report
    where domain = ? and kind = ?
    order by ends_at desc, reporter, name
    limit ?`,
    domain,
    kind,
    limit,
  );
}

/** The days before a day, and the domains, that have counts. */
export function listCountedDomains(
  reader: Reader,
  kind: string,
  beforeDay: number,
  limit: number,
): Promise<{ readonly day: number; readonly domain: string }[]> {
  return reader.all(
    `select distinct day, domain
    from report_count
    where kind = ? and day < ?
    order by day, domain
    limit ?`,
    kind,
    beforeDay,
    limit,
  );
}

export function listReportCounts(
  reader: Reader,
  { kind, day, domain, limit }: Omit<ReportCountRow, "detail" | "count"> & { readonly limit: number },
): Promise<ReportCountRow[]> {
  return reader.all(
    `select kind, day, domain, detail, count
    from report_count
    where kind = ? and day = ? and domain = ?
    order by detail
    limit ?`,
    kind,
    day,
    domain,
    limit,
  );
}
