import { parseStructure } from "#/src/formats/mime/structure.ts";
import { findReports, mayHaveReport } from "#/src/formats/reports/find-reports.ts";
import type { ReceivedReport } from "#/src/formats/reports/received-report.ts";
import { type ArrivingCalendar, findArrivingCalendar } from "#/src/scheduling/arriving/arriving-calendar.ts";
import type { MessageFacts } from "#/storage/rows.ts";

/** The iTIP message of a mail. Most mails have none, which is read from their BODYSTRUCTURE. */
export function readArrivingCalendar(
  bytes: Uint8Array,
  { bodyStructure }: Pick<MessageFacts, "bodyStructure">,
): ArrivingCalendar | undefined {
  if (!/"text" "calendar"/i.test(bodyStructure)) return undefined;
  return findArrivingCalendar(bytes, parseStructure(bytes));
}

/** Reports of other servers about domains (TLS, DMARC) in a mail; empty for most. */
export function readArrivingReports(
  bytes: Uint8Array,
  { bodyStructure }: Pick<MessageFacts, "bodyStructure">,
): readonly ReceivedReport[] {
  return mayHaveReport(bodyStructure) ? findReports(bytes, parseStructure(bytes)) : [];
}
