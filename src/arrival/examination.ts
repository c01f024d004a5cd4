/** Examines mail from another server before it is accepted: its facts, the evidence of who sent it, and the folder that follows. */
import type { Settings } from "#/config/schema.ts";
import { formatAuthenticationResults } from "#/src/evidence/authentication-results.ts";
import type { Checks } from "#/src/evidence/checks.ts";
import { checkSpam } from "#/src/evidence/spam-check.ts";
import type { ReceivedReport } from "#/src/formats/reports/received-report.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { ReportCounts } from "#/src/reports/report-counts.ts";
import { dmarcDetail } from "#/src/reports/write-dmarc-report.ts";
import type { ArrivingCalendar } from "#/src/scheduling/arriving/arriving-calendar.ts";
import type { MessageFacts } from "#/storage/rows.ts";
import type { Preparation } from "./preparing/preparation.ts";
import type { Transport } from "./transport.ts";

export interface ExaminationRooms {
  readonly preparation: Preparation;
  readonly settings: Pick<Settings, "server" | "evidence">;
  /** Counts for the reports to the domains of authors; absent where nothing is counted. */
  readonly reportCounts?: ReportCounts;
}

export interface Examined {
  readonly facts: MessageFacts;
  readonly calendar: ArrivingCalendar | undefined;
  readonly reports: readonly ReceivedReport[];
  readonly checks: Checks;
  /** Addresses of To and Cc, in lower case; undefined where nobody looked. */
  readonly addressees?: readonly string[] | undefined;
  readonly isAuthenticated: boolean;
  readonly mailboxRole: "inbox" | "junk";
  /** The Authentication-Results field, with its line end. */
  readonly authenticationResults: string;
}

/** Throws `policy_refused` for mail that its domain's policy rejects, when the operator's settings follow such policies. */
export async function examineArrival(
  { preparation, settings, reportCounts }: ExaminationRooms,
  bytes: Uint8Array,
  transport: Transport,
  reversePath: string,
  recipients: readonly string[],
): Promise<Examined> {
  const { remoteAddress, heloName } = transport;
  const origin = { remoteAddress, heloName, reversePath };
  const { failedDmarc } = settings.evidence;
  const spamCheck = checkSpam(settings.evidence, bytes, origin, recipients);
  const [{ facts, evidence, calendar, reports = [] }, spam] = await Promise.all([
    preparation.prepare(bytes, origin),
    spamCheck,
  ]);
  const { checks, addressees, isAuthenticated, failedPolicy } = evidence!;
  const isRefused = failedDmarc === "reject" && failedPolicy === "reject";
  const isDisowned = failedPolicy === "reject" || failedPolicy === "quarantine";
  const isQuarantined = isDisowned && failedDmarc !== "keep";
  const disposition = isRefused ? "reject" : isQuarantined ? "quarantine" : "none";
  const seen = reportCounts && dmarcDetail(evidence!, { address: remoteAddress, disposition });
  if (seen !== undefined) reportCounts!.note("dmarc", seen.domain, seen.detail);
  if (isRefused)
    throw new WaypostError("policy_refused", "The domain of the author does not allow this (DMARC).");
  const isUnwanted = isQuarantined || spam?.isSpam === true;
  return {
    facts,
    calendar,
    reports,
    checks: { ...checks, ...(spam === undefined ? {} : { spam }) },
    addressees,
    isAuthenticated,
    mailboxRole: isUnwanted ? "junk" : "inbox",
    authenticationResults: formatAuthenticationResults(settings.server.hostname, checks),
  };
}
