/** Reads a TLS report (RFC 8460 section 4.4). A report of several policies becomes one for each domain. */
import { type ReceivedReport, type ReportRow, reportCount, reportWord } from "./received-report.ts";

/** Bounds on the policies, and on the failure kinds of each: a domain has one policy and a few servers. */
const policiesMax = 20;
const failuresMax = 500;

/** Empty if the text is not such a report. Each field is checked separately, because reporters leave out different ones. */
export function readTlsReport(text: string): ReceivedReport[] {
  let report: unknown;
  try {
    report = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
  const range = fieldOf(report, "date-range");
  const beginsAt = Date.parse(reportWord(fieldOf(range, "start-datetime")));
  const endsAt = Date.parse(reportWord(fieldOf(range, "end-datetime")));
  const name = reportWord(fieldOf(report, "report-id"));
  if (Number.isNaN(beginsAt) || Number.isNaN(endsAt) || name === "") return [];
  const shared = {
    kind: "tls" as const,
    organization: reportWord(fieldOf(report, "organization-name")),
    name,
    beginsAt,
    endsAt,
  };
  const byDomain = new Map<string, { passed: number; failed: number; rows: ReportRow[] }>();
  for (const policy of listOf(fieldOf(report, "policies")).slice(0, policiesMax)) {
    const domain = reportWord(fieldOf(fieldOf(policy, "policy"), "policy-domain")).toLowerCase();
    if (domain === "") continue;
    const sum = byDomain.get(domain) ?? { passed: 0, failed: 0, rows: [] };
    byDomain.set(domain, sum);
    const summary = fieldOf(policy, "summary");
    sum.passed += reportCount(fieldOf(summary, "total-successful-session-count"));
    sum.failed += reportCount(fieldOf(summary, "total-failure-session-count"));
    const left = failuresMax - sum.rows.length;
    sum.rows.push(...listOf(fieldOf(policy, "failure-details")).slice(0, left).map(readFailure));
  }
  return [...byDomain].map(([domain, sum]) => ({ ...shared, domain, ...sum }));
}

function readFailure(failure: unknown): ReportRow {
  const host = reportWord(fieldOf(failure, "receiving-mx-hostname"));
  const address = reportWord(fieldOf(failure, "sending-mta-ip"));
  return {
    count: reportCount(fieldOf(failure, "failed-session-count")),
    result: reportWord(fieldOf(failure, "result-type")),
    ...(host === "" ? {} : { host }),
    ...(address === "" ? {} : { address }),
  };
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
