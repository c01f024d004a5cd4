/** Delivery status notifications (RFC 3464) in multipart/report (RFC 6522), for senders of messages by SMTP: the outcome for each
 *  recipient, as text and as fields, with the message or its header. If something is beyond ASCII, the media types are those of RFC
 *  6533.
 *
 *  Text of other servers is one line of printable characters here, and decides nothing. */
import { randomUUID } from "node:crypto";
import { formatDate } from "#/src/formats/mime/dates.ts";
import { type HeaderField, headerValues, readHeaderFields } from "#/src/formats/mime/header.ts";
import { isEightBit } from "#/src/formats/mime/line-ends.ts";

/** RFC 3464 section 2.3.3. */
export type ReportAction = "failed" | "delayed" | "relayed" | "delivered";

export interface ReportedRecipient {
  readonly address: string;
  /** ORCPT as it was given. */
  readonly orcpt: string | null;
  readonly action: ReportAction;
  readonly status: string;
  readonly host?: string | undefined;
  readonly reply?: string | undefined;
}

export interface ReportFacts {
  /** The name of this server. */
  readonly hostname: string;
  /** The recipient of the notification. */
  readonly sender: string;
  /** ENVID as it was given, in xtext. */
  readonly envid: string | null;
  readonly ret: "FULL" | "HDRS" | null;
  readonly recipients: readonly ReportedRecipient[];
  /** When the message came to this server, and now; milliseconds. */
  readonly arrivedAt: number;
  readonly at: number;
  /** When the last attempt is. */
  readonly expiresAt: number;
  /** The message. Of a large one only the beginning is returned. */
  readonly message: Buffer;
}

const subjects: Record<ReportAction, string> = {
  failed: "Your message could not be delivered",
  delayed: "Your message has not been delivered yet",
  relayed: "Your message was passed on",
  delivered: "Your message was delivered",
};
const actions = Object.keys(subjects) as readonly ReportAction[];

const explanations: Record<ReportAction, string> = {
  failed: "It could not be delivered to these recipients, and will not be tried again:",
  delayed:
    "It has not been delivered to these recipients yet. It is still being tried; there is nothing to do:",
  relayed: "It was given to other servers, which do not report its delivery, for these recipients:",
  delivered: "It was delivered to these recipients:",
};

/** Octets of a message that a failure returns in full, if it was asked for (RET=FULL). Of a larger one only the header is returned. */
export const returnedBytesMax = 1024 * 1024;
const returnedHeaderBytesMax = 64 * 1024;

/** A complete message with CRLF. `header`: the fields of the message that it is about. */
export function composeReport(
  facts: ReportFacts,
  header: readonly HeaderField[] = readHeaderFields(facts.message),
): Buffer {
  const { sender, hostname, recipients, message } = facts;
  const isFull = facts.ret === "FULL" && message.length <= returnedBytesMax && has(facts, "failed");
  const returned = isFull ? message : headerOf(message, header);
  const isWide =
    isEightBit(returned) || recipients.some(({ address }) => !isAscii(address)) || !isAscii(sender);
  const boundary = `=_${randomUUID()}`;
  const subject = subjects[actions.find((action) => has(facts, action)) ?? "failed"];
  const lines = [
    `From: Mail Delivery System <mailer-daemon@${sender.slice(sender.lastIndexOf("@") + 1)}>`,
    `To: <${sender}>`,
    `Subject: ${subject}`,
    `Date: ${formatDate(facts.at)}`,
    `Message-ID: <${randomUUID()}@${hostname}>`,
    ...referenceFields(header),
    "Auto-Submitted: auto-replied",
    "MIME-Version: 1.0",
    `Content-Type: multipart/report; report-type=delivery-status;\r\n\tboundary="${boundary}"`,
  ];
  const encoding = `Content-Transfer-Encoding: ${isWide ? "8bit" : "7bit"}`;
  const parts = [
    ["Content-Type: text/plain; charset=utf-8", encoding, "", explain(facts, isWide)],
    [
      `Content-Type: message/${isWide ? "global-delivery-status" : "delivery-status"}`,
      encoding,
      "",
      formatStatus(facts, isWide),
    ],
  ].map((lines) => `--${boundary}\r\n${lines.join("\r\n")}\r\n`);
  const last = `--${boundary}\r\nContent-Type: ${returnedType(isFull, isWide)}\r\n${encoding}\r\n\r\n`;
  return Buffer.concat([
    Buffer.from(`${lines.join("\r\n")}\r\n\r\n${parts.join("")}${last}`),
    returned,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
}

function has({ recipients }: ReportFacts, action: ReportAction): boolean {
  return recipients.some((recipient) => recipient.action === action);
}

/** The media type of the returned message (RFC 6522 section 3 and RFC 6533 section 4). */
function returnedType(isFull: boolean, isWide: boolean): string {
  if (isFull) return isWide ? "message/global" : "message/rfc822";
  return isWide ? "message/global-headers" : "text/rfc822-headers";
}

/** As many whole header fields as there is room for. */
function headerOf(message: Buffer, header: readonly HeaderField[]): Buffer {
  const fields = header.filter(({ end }) => end <= returnedHeaderBytesMax);
  return message.subarray(0, fields.at(-1)?.end ?? 0);
}

/** Fields that put the report into the conversation of the reported message. */
function referenceFields(header: readonly HeaderField[]): string[] {
  const id = headerValues(header, "message-id")[0] ?? "";
  return /^<[!-;=?-~]{1,250}>$/.test(id) ? [`In-Reply-To: ${id}`, `References: ${id}`] : [];
}

function explain(facts: ReportFacts, isWide: boolean): string {
  const lines = [`This is the mail server ${facts.hostname}, about a message that you sent.`, ""];
  for (const action of actions) {
    const told = facts.recipients.filter((recipient) => recipient.action === action);
    if (told.length === 0) continue;
    lines.push(explanations[action], "");
    for (const { address, status, host, reply } of told) {
      lines.push(`  <${address}>`);
      if (action === "failed" || action === "delayed")
        lines.push(
          `    ${status}${host === undefined ? "" : ` ${host}:`} ${line(reply ?? "", isWide)}`.trimEnd(),
        );
    }
    if (action === "delayed") lines.push("", `Trying ends on ${formatDate(facts.expiresAt)}.`);
    lines.push("");
  }
  return lines.join("\r\n");
}

function formatStatus(facts: ReportFacts, isWide: boolean): string {
  const message = [
    ...(facts.envid === null ? [] : [`Original-Envelope-Id: ${line(decodeXtext(facts.envid), false)}`]),
    `Reporting-MTA: dns; ${facts.hostname}`,
    `Arrival-Date: ${formatDate(facts.arrivedAt)}`,
  ];
  const groups = facts.recipients.map((recipient) => recipientFields(facts, recipient, isWide));
  return [message, ...groups].map((fields) => `${fields.join("\r\n")}\r\n`).join("\r\n");
}

function recipientFields(facts: ReportFacts, recipient: ReportedRecipient, isWide: boolean): string[] {
  const { address, orcpt, action, status, host, reply } = recipient;
  return [
    ...(orcpt === null ? [] : [`Original-Recipient: ${originalRecipient(orcpt, isWide)}`]),
    `Final-Recipient: ${isAscii(address) ? "rfc822" : "utf-8"}; ${address}`,
    `Action: ${action}`,
    `Status: ${status}`,
    ...(host === undefined ? [] : [`Remote-MTA: dns; ${line(host, false)}`]),
    ...(reply === undefined ? [] : [`Diagnostic-Code: smtp; ${line(reply, isWide)}`]),
    `Last-Attempt-Date: ${formatDate(facts.at)}`,
    ...(action === "delayed" ? [`Will-Retry-Until: ${formatDate(facts.expiresAt)}`] : []),
  ];
}

/** RFC 3464 section 2.3.1: the address type, and the address without its xtext encoding. */
function originalRecipient(orcpt: string, isWide: boolean): string {
  const split = orcpt.indexOf(";");
  return `${orcpt.slice(0, split)}; ${line(decodeXtext(orcpt.slice(split + 1)), isWide)}`;
}

/** RFC 3461 section 4. */
export function decodeXtext(text: string): string {
  return text.replace(/\+([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** One line of at most 900 characters. */
function line(text: string, isWide: boolean): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
  const printable = text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, " ").slice(0, 900);
  return isWide ? printable.toWellFormed() : printable.replace(/[^ -~]/g, "?");
}

function isAscii(text: string): boolean {
  return !/[^ -~]/.test(text);
}
