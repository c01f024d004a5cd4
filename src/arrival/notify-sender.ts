/** Notifies the sender of a message that was submitted by SMTP: a DSN, stored in the same write as the outcome (RFC 3461 section 4.1,
 *  RFC 3464). Senders with the operation `send` get events instead. */
import { readHeader } from "#/src/mail/header-reading.ts";
import type { DueDelivery, Outbound, RecipientOutcome } from "#/src/outbound/outbound.ts";
import { isDelayDue } from "#/src/outbound/queue.ts";
import {
  composeReport,
  type ReportAction,
  type ReportedRecipient,
  returnedBytesMax,
} from "#/src/outbound/reports.ts";
import type { DeliverMessage } from "#/storage/transactions/mail/deliver-message.ts";
import type { Preparation } from "./preparing/preparation.ts";

export interface NoticeRooms {
  readonly preparation: Pick<Preparation, "prepare">;
  readonly settings: { readonly server: { readonly hostname: string } };
  readonly outbound: Pick<Outbound, "readMessage">;
}

export interface NoticedOutcome extends RecipientOutcome {
  /** The next server has accepted the message and sends notifications itself. */
  readonly isReportedThere?: boolean;
}

/** Empty when no notification is due. */
export async function noticesOf(
  rooms: NoticeRooms,
  delivery: DueDelivery,
  outcomes: readonly NoticedOutcome[],
  at: number,
): Promise<DeliverMessage[]> {
  // RFC 5321 section 6.1: no notification answers a message with the null reverse path.
  if (delivery.envelopeFrom === "") return [];
  const recipients = toldRecipients(delivery, outcomes, at);
  if (recipients.length === 0) return [];
  const { hostname } = rooms.settings.server;
  const message = await rooms.outbound.readMessage({
    ...delivery,
    size: Math.min(delivery.size, returnedBytesMax + 1),
  });
  const report = {
    hostname,
    sender: delivery.envelopeFrom,
    envid: delivery.envid,
    ret: delivery.ret,
    recipients,
    arrivedAt: delivery.createdAt,
    at,
    expiresAt: delivery.expiresAt,
    message,
  };
  const bytes = composeReport(report, await readHeader(message));
  const { facts } = await rooms.preparation.prepare(bytes);
  const recipient = {
    account: delivery.account,
    agent: delivery.agent,
    mailboxRole: "inbox" as const,
    trace: Buffer.from(`Return-Path: <>\r\nDelivered-To: ${delivery.envelopeFrom}\r\n`),
    flags: 0,
    provenance: JSON.stringify({ source: "submission", checks: {} }),
    isAuthenticated: false,
    source: "submission",
  };
  return [{ facts, recipients: [recipient], internalDate: at, at }];
}

function toldRecipients(
  delivery: DueDelivery,
  outcomes: readonly NoticedOutcome[],
  at: number,
): ReportedRecipient[] {
  return outcomes.flatMap((outcome) => {
    const recipient = delivery.recipients.find(({ number }) => number === outcome.number);
    const action = actionOf(outcome, isDelayDue(delivery, at) && recipient?.delayToldAt === null);
    if (recipient === undefined || action === undefined) return [];
    if (!isTold(delivery.source, recipient.notify, action)) return [];
    const { address, orcpt } = recipient;
    const { status, host, reply } = outcome;
    return [{ address, orcpt, action, status, host, reply }];
  });
}

function actionOf(outcome: NoticedOutcome, isDelayTold: boolean): ReportAction | undefined {
  if (outcome.state === "deferred") return isDelayTold ? "delayed" : undefined;
  if (outcome.state === "relayed") return outcome.isReportedThere === true ? undefined : "relayed";
  return outcome.state;
}

const words = { failed: "FAILURE", delayed: "DELAY", relayed: "SUCCESS", delivered: "SUCCESS" } as const;

/** RFC 3461 section 4.1: the events of NOTIFY; without NOTIFY failures, and delays if the server chooses to. */
function isTold(source: DueDelivery["source"], notify: readonly string[], action: ReportAction): boolean {
  if (notify.length > 0) return notify.includes(words[action]);
  return source === "submission" && words[action] !== "SUCCESS";
}
