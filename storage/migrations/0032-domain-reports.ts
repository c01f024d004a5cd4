/** Reports of other servers about domains of this server (TLS, DMARC), and the counts for reports to others. */
import type { Sql } from "../sql.ts";

export async function domainReports(tx: Sql): Promise<void> {
  await tx.run(`create table received_report (
    domain text not null,
    kind text not null,
    reporter text not null,
    name text not null,
    organization text not null,
    begins_at bigint not null,
    ends_at bigint not null,
    passed bigint not null,
    failed bigint not null,
    details text not null,
    received_at bigint not null,
    primary key (domain, kind, reporter, name))`);
  await tx.run(`create table report_count (
    kind text not null,
    day bigint not null,
    domain text not null,
    detail text not null,
    count bigint not null,
    primary key (kind, day, domain, detail))`);
}
