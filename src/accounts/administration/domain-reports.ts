/** The reports of other servers about a domain. */
import { z } from "zod";
import { listReceivedReports } from "#/storage/queries/accounts/domain-reports.ts";
import type { ReceivedReportRow } from "#/storage/rows.ts";
import { administrationOperation } from "./operation.ts";
import { domainField, findOwnDomain, readDomain } from "./own-domain.ts";
import { isoTime } from "./selectors.ts";

export const domainReportsOperation = administrationOperation({
  name: "domain.reports",
  kind: "domains",
  isRead: true,
  summary:
    "Show the reports of other servers about a domain: on TLS of mail to it, or on mail with its name (DMARC).",
  input: z.strictObject({
    name: domainField,
    kind: z
      .enum(["dmarc", "tls"])
      .default("dmarc")
      .describe("Reports on mail in the domain's name (dmarc), or on TLS of mail to it (tls); dmarc."),
    failures: z.stringbool().default(false).describe("true: show only failures, as one list."),
    limit: z.coerce.number().int().min(1).max(1000).default(50).describe("Most reports, the newest; 50."),
  }),
  positional: ["name"],
  async run({ store }, { name, kind, failures, limit }) {
    const domain = readDomain(name);
    await findOwnDomain(store, domain);
    const reports = await listReceivedReports(store, domain, { kind, limit });
    return failures ? { failures: reports.flatMap(failuresOf) } : { reports: reports.map(describeReport) };
  },
});

function describeReport({ reporter, organization, beginsAt, endsAt, passed, failed }: ReceivedReportRow) {
  return {
    reporter,
    organization,
    beginsAt: isoTime(beginsAt),
    endsAt: isoTime(endsAt),
    passed,
    failed,
  };
}

interface Row {
  readonly count: number;
  readonly spf?: string;
  readonly dkim?: string;
}

function failuresOf({ reporter, endsAt, rows }: ReceivedReportRow) {
  return (JSON.parse(rows) as Row[])
    .filter(({ spf, dkim }) => spf !== "pass" && dkim !== "pass")
    .map((row) => ({ reporter, until: isoTime(endsAt), ...row }));
}
