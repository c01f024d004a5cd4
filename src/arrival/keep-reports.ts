/** Stores the reports of other servers about domains that are served here. A report counts for a domain if its mail was sent to an address
 *  of that domain, as the domain's own records request, and its author is authenticated. */

import { domainOfAddress, fromDomainOf } from "#/src/evidence/shown-address.ts";
import type { ReceivedReport } from "#/src/formats/reports/received-report.ts";
import { server } from "#/src/model/author.ts";
import type { Store } from "#/storage/store.ts";

/** Called before the mail is stored. When the sender repeats the mail, the report is the same and is stored once. */
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
      await store.write(server, "keepReport", { ...report, rows: JSON.stringify(rows), reporter, at });
}
