/** Writes a DMARC aggregate report (RFC 7489 section 7.2 and appendix C): the mail in the name of one domain on one day. */
import type { Evidence } from "#/src/evidence/checks.ts";
import type { ReportCountRow } from "#/storage/rows.ts";
import type { ReportHead } from "./write-tls-report.ts";

/** What is counted of a message; the fields stand in this order. */
export interface DmarcDetail {
  readonly address: string;
  readonly disposition: "none" | "quarantine" | "reject";
  readonly dkim: "pass" | "fail";
  readonly spf: "pass" | "fail";
  readonly spfResult: NameResult;
  readonly signatures: readonly (NameResult & { readonly selector: string })[];
}

interface NameResult {
  readonly domain: string;
  readonly result: string;
}

/** Signatures that are told of one message. */
const signaturesMax = 4;

/** The domain and what is counted; undefined for mail that no policy is about. */
export function dmarcDetail(
  { checks, isSpfAligned }: Evidence,
  { address, disposition }: Pick<DmarcDetail, "address" | "disposition">,
): { readonly domain: string; readonly detail: DmarcDetail } | undefined {
  const { dmarc, spf, dkim = [] } = checks;
  if (dmarc?.domain === undefined || dmarc.policy === undefined || isSpfAligned === undefined)
    return undefined;
  return {
    domain: dmarc.domain,
    detail: {
      address,
      disposition,
      dkim: dkim.some(({ aligned }) => aligned === true) ? "pass" : "fail",
      spf: isSpfAligned ? "pass" : "fail",
      spfResult: { domain: spf?.domain ?? "", result: spf?.result ?? "none" },
      signatures: dkim
        .slice(0, signaturesMax)
        .map(({ domain = "", selector = "", result }) => ({ domain, selector, result })),
    },
  };
}

export interface PublishedPolicy {
  readonly domain: string;
  /** `adkim`, `aspf`, `p`, `sp`, `pct`, as far as the record has them. */
  readonly tags: Readonly<Record<string, string>>;
}

export function writeDmarcReport(
  head: ReportHead,
  published: PublishedPolicy,
  rows: readonly ReportCountRow[],
): string {
  const seconds = (time: number) => String(Math.floor(time / 1000));
  return [
    '<?xml version="1.0" encoding="UTF-8"?>\n<feedback>',
    element("version", "1.0"),
    group("report_metadata", [
      element("org_name", head.organization),
      element("email", head.contact),
      element("report_id", head.id),
      group("date_range", [element("begin", seconds(head.beginsAt)), element("end", seconds(head.endsAt))]),
    ]),
    group("policy_published", [
      element("domain", published.domain),
      ...Object.entries(published.tags).map(([name, value]) => element(name, value)),
    ]),
    ...rows.map((row) => writeRecord(head.domain, row)),
    "</feedback>\n",
  ].join("");
}

function writeRecord(domain: string, { detail, count }: ReportCountRow): string {
  const seen = JSON.parse(detail) as DmarcDetail;
  return group("record", [
    group("row", [
      element("source_ip", seen.address),
      element("count", String(count)),
      group("policy_evaluated", [
        element("disposition", seen.disposition),
        element("dkim", seen.dkim),
        element("spf", seen.spf),
      ]),
    ]),
    group("identifiers", [element("header_from", domain)]),
    group("auth_results", [
      ...seen.signatures.map((one) =>
        group("dkim", [
          element("domain", one.domain),
          element("selector", one.selector),
          element("result", one.result),
        ]),
      ),
      group("spf", [element("domain", seen.spfResult.domain), element("result", seen.spfResult.result)]),
    ]),
  ]);
}

function group(name: string, parts: readonly string[]): string {
  return `<${name}>${parts.join("")}</${name}>\n`;
}

function element(name: string, text: string): string {
  return `<${name}>${text.replace(/[&<>]/g, (character) => escapes[character]!)}</${name}>`;
}

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
