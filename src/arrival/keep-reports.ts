/** Keeps what other servers report about our domains. A report counts for a domain if its mail was sent to an address of that
 *  domain, as the domain's own records ask for; its author is authenticated. */
import { domainOfAddress, fromDomainOf } from "#/src/evidence/shown-address.ts";
import type { ReceivedReport } from "#/src/formats/reports/received-report.ts";
import type { Store } from "#/storage/store.ts";

/** Before the mail is stored: a sender who repeats brings the same report, which is kept once. */
export async function keepReports(
  store: Store,
  reports: readonly ReceivedReport[],
  author: string,
  recipients: readonly { readonly address: string }[],
  at: number,
): Promise<void> {
  const { fromDomain: reporter } = fromDomainOf(author);
  if (reporter === undefined) return;
  const domains = new Set(recipients.map(({ address }) => domainOfAddress(address)));
  for (const { rows, ...report } of reports)
    if (domains.has(report.domain))
      await store.write("keepReport", { ...report, rows: JSON.stringify(rows), reporter, at });
}
