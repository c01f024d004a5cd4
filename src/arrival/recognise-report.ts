/** Recognises reports of other servers about mail that was sent from here: by the return path to which they are sent, or by the ENVID
 *  that they name. Only a server that got the message knows either. A report is recorded; everything else is ordinary mail. */

import type { Settings } from "#/config/schema.ts";
import { parseAddress, splitTag } from "#/src/accounts/address.ts";
import { readApart } from "#/src/mail/header-reading.ts";
import { server } from "#/src/model/author.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import type { BreakerLimits } from "#/src/model/pause.ts";
import { createReturnPaths, type SubmissionName } from "#/src/model/return-path.ts";
import { reportOutcomes } from "#/src/outbound/gate/gate.ts";
import { breakerOf, isBadAddress } from "#/src/outbound/queue.ts";
import {
  type DeliveryReportMail,
  type DeliveryStatus,
  readDeliveryReport,
  reportBytesMax,
} from "#/src/outbound/read-report.ts";
import { findSubmission, listRecipients } from "#/storage/queries/outbound/submissions.ts";
import type { Store } from "#/storage/store.ts";
import type { SubmissionRecipientRow } from "#/storage/submission.ts";
import type { ReportedOutcome } from "#/storage/transactions/outbound/report-delivery.ts";
import type { Recipient } from "./admit-recipient.ts";

export interface ArrivingReport {
  readonly bytes: Uint8Array;
  readonly reversePath: string;
  readonly recipients: readonly Recipient[];
}

/** Answers true when the mail needs no delivery: a sender who used the operation `send` is notified by events. */
export async function recordReport(
  { store, settings }: { readonly store: Store; readonly settings: Pick<Settings, "breaker"> },
  mail: ArrivingReport,
): Promise<boolean> {
  const [recipient] = mail.recipients;
  if (recipient === undefined || mail.recipients.length > 1) return false;
  // Our return path has a tag.
  if (mail.reversePath !== "" && !recipient.address.includes("+")) return false;
  const tag = splitTag(parseAddress(recipient.address)?.localPart ?? "")?.tag;
  // RFC 3464 section 2: reports have the null reverse path. Others are examined only when they come to our return path.
  if (tag === undefined && mail.reversePath !== "") return false;
  const paths = createReturnPaths(store.key("return-path"));
  const named = tag === undefined ? undefined : paths.openTag(tag);
  if (named === undefined && mail.reversePath !== "") return false;
  const report = await readReport(mail.bytes.subarray(0, reportBytesMax));
  const name = named ?? paths.readToken(report?.envid ?? "");
  if (report === undefined || name === undefined || name.agent !== recipient.agent) return false;
  return record(store, breakerOf(settings), name, report);
}

/** Undefined for what is none, or takes too long to be read: that is ordinary mail. */
async function readReport(bytes: Uint8Array): Promise<DeliveryReportMail | undefined> {
  try {
    return await readApart("report", bytes, readDeliveryReport);
  } catch (error) {
    if (isWaypostError(error) && error.code === "invalid") return undefined;
    throw error;
  }
}

async function record(
  store: Store,
  breaker: BreakerLimits | null,
  name: SubmissionName,
  report: DeliveryReportMail,
): Promise<boolean> {
  const submission = await findSubmission(store, name.agent, name.submission);
  if (submission === undefined) return false;
  const all = await listRecipients(store, name.agent, name.submission);
  // No other server can report on a recipient that is still in our own queue.
  const recipients = all.filter(({ state }) => state === "relayed");
  const at = store.clock.now();
  const outcomes = report.recipients.flatMap((status) => outcomesOf(recipients, status));
  if (outcomes.length === 0) return false;
  await reportOutcomes(store, server, {
    ...name,
    outcomes,
    isDelayTold: true,
    letters: [],
    breaker,
    at,
  });
  return submission.source === "send";
}

const states: Readonly<Record<string, ReportedOutcome["state"]>> = {
  failed: "failed",
  delayed: "deferred",
  delivered: "delivered",
  // The mail went on to the members of a list, so it is delivered to the list.
  expanded: "delivered",
  relayed: "relayed",
};

function outcomesOf(
  recipients: readonly SubmissionRecipientRow[],
  { action, status, addresses, host, diagnostic }: DeliveryStatus,
): ReportedOutcome[] {
  const state = states[action];
  if (state === undefined) return [];
  const matching = recipients.filter(({ address }) => addresses.includes(address.toLowerCase()));
  // A forwarder names the address to which it forwarded. With one recipient the report can only be about that one.
  const isOneDomain = new Set(recipients.map(({ domain }) => domain)).size === 1;
  const meant = matching.length > 0 ? matching : recipients.length === 1 ? recipients : [];
  return meant.map(({ number, nextAttemptAt }) => ({
    number,
    state,
    status,
    host: host ?? null,
    reply: diagnostic ?? null,
    nextAttemptAt,
    // With recipients in several domains, one domain could cause the suppression of addresses in the others.
    isSuppressed: state === "failed" && matching.length > 0 && isOneDomain && isBadAddress(status),
  }));
}
