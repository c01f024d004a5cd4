/** Reports of other servers about local domains, and the counts for our own reports. */
import type { ReceivedReportRow, ReportCountRow } from "../../rows.ts";
import { selectList } from "../../schema/select-list.ts";
import type { Reader } from "../../sql.ts";

/** The newest first. */
export function listReceivedReports(
  reader: Reader,
  domain: string,
  { kind, limit }: { readonly kind: string; readonly limit: number },
): Promise<ReceivedReportRow[]> {
  return reader.all(
    `select ${selectList<ReceivedReportRow, "received_report">({
      domain: "received_report.domain",
      kind: "received_report.kind",
      reporter: "received_report.reporter",
      name: "received_report.name",
      organization: "received_report.organization",
      beginsAt: "received_report.begins_at",
      endsAt: "received_report.ends_at",
      passed: "received_report.passed",
      failed: "received_report.failed",
      rows: "received_report.details",
      receivedAt: "received_report.received_at",
    })}
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
    `select ${selectList<ReportCountRow, "report_count">({
      kind: "report_count.kind",
      day: "report_count.day",
      domain: "report_count.domain",
      detail: "report_count.detail",
      count: "report_count.count",
    })}
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
