/** The mail that carries a report (RFC 8460 section 5.3, RFC 7489 section 7.2.1.1). Every part of it is ASCII. */
import { randomUUID } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { ReportKind } from "#/src/formats/reports/received-report.ts";
import type { ReportHead } from "./write-tls-report.ts";

const forms = {
  tls: { top: 'multipart/report; report-type="tlsrpt"', part: "application/tlsrpt+gzip", ending: "json.gz" },
  dmarc: { top: "multipart/mixed", part: "application/gzip", ending: "xml.gz" },
} as const satisfies Record<ReportKind, unknown>;

const words = {
  tls: "An aggregate report about TLS of mail to your servers (RFC 8460).",
  dmarc: "An aggregate report about mail in the name of your domain (DMARC).",
} as const satisfies Record<ReportKind, string>;

export function writeReportMail(
  kind: ReportKind,
  head: ReportHead,
  { report, to, at }: { readonly report: string; readonly to: readonly string[]; readonly at: number },
): Buffer {
  const { top, part, ending } = forms[kind];
  const boundary = randomUUID();
  const seconds = (time: number) => Math.floor(time / 1000);
  const name = `${head.organization}!${head.domain}!${seconds(head.beginsAt)}!${seconds(head.endsAt)}.${ending}`;
  const content =
    gzipSync(report)
      .toString("base64")
      .match(/.{1,76}/g) ?? [];
  return Buffer.from(
    [
      `From: <${head.contact}>`,
      ...to.map(
        (address, index) => `${index === 0 ? "To: " : " "}<${address}>${index < to.length - 1 ? "," : ""}`,
      ),
      `Subject: Report Domain: ${head.domain}`,
      ` Submitter: ${head.organization}`,
      ` Report-ID: <${head.id}>`,
      `Date: ${new Date(at).toUTCString().replace("GMT", "+0000")}`,
      `Message-ID: <${boundary}@${head.organization}>`,
      "Auto-Submitted: auto-generated",
      ...(kind === "tls"
        ? [`TLS-Report-Domain: ${head.domain}`, `TLS-Report-Submitter: ${head.organization}`]
        : []),
      "MIME-Version: 1.0",
      `Content-Type: ${top};`,
      ` boundary="${boundary}"`,
      "",
      `--${boundary}`,
      "Content-Type: text/plain; charset=us-ascii",
      "",
      words[kind],
      `--${boundary}`,
      `Content-Type: ${part};`,
      ` name="${name}"`,
      "Content-Disposition: attachment;",
      ` filename="${name}"`,
      "Content-Transfer-Encoding: base64",
      "",
      ...content,
      `--${boundary}--`,
      "",
    ].join("\r\n"),
  );
}
