/** Reports of other servers on mail sent to them: multipart/report with delivery-status (RFC 3464; RFC 6533 for addresses beyond
 *  ASCII). Anybody can write one, so a report counts only if it has the secret token of a submission. */
import { headerValues, readHeaderFields } from "#/src/formats/mime/header.ts";
import { octetString } from "#/src/formats/mime/octets.ts";
import { type MimePart, parseStructure } from "#/src/formats/mime/structure.ts";
import { decodeTransfer } from "#/src/formats/mime/transfer-encoding.ts";
import { decodeXtext } from "./reports.ts";

export interface DeliveryStatus {
  /** Lower case: failed, delayed, delivered, relayed, expanded. */
  readonly action: string;
  /** RFC 3463. */
  readonly status: string;
  /** The reported addresses, in lower case: the original and the final recipient. */
  readonly addresses: readonly string[];
  /** Remote-MTA, or Reporting-MTA. */
  readonly host: string | undefined;
  readonly diagnostic: string | undefined;
}

export interface DeliveryReportMail {
  /** Original-Envelope-Id: the ENVID without its xtext encoding (section 2.2.1). */
  readonly envid: string | undefined;
  readonly recipients: readonly DeliveryStatus[];
}

/** Octets that are read of a report. Reports on this server's mail are not larger. */
export const reportBytesMax = 512 * 1024;
const statusBytesMax = 256 * 1024;
const recipientsMax = 1000;
/** Characters of the host name that are stored with the recipient. */
const hostCharactersMax = 255;
const diagnosticCharactersMax = 1000;
const statusText = /^([245])\.(\d{1,3})\.(\d{1,3})/;

/** undefined for mail that is not a report. */
export function readDeliveryReport(mail: Uint8Array): DeliveryReportMail | undefined {
  // The fields come before the returned message, however large that is.
  const message = mail.subarray(0, reportBytesMax);
  const top = parseStructure(message);
  if (top.type !== "multipart" || top.subtype !== "report") return undefined;
  const part = top.parts.find(isStatusPart);
  if (part === undefined) return undefined;
  const end = Math.min(part.bodyEnd, part.bodyStart + statusBytesMax);
  const bytes = decodeTransfer(message.subarray(part.bodyStart, end), part.encoding);
  const [first, ...groups] = readGroups(bytes);
  if (first === undefined) return undefined;
  const reporter = typedValue(first, "reporting-mta");
  return {
    envid: fieldValue(first, "original-envelope-id"),
    recipients: groups.slice(0, recipientsMax).flatMap((group) => readStatus(group, reporter)),
  };
}

function isStatusPart({ type, subtype }: MimePart): boolean {
  return type === "message" && (subtype === "delivery-status" || subtype === "global-delivery-status");
}

type Group = ReturnType<typeof readHeaderFields>;

/** Groups of fields, divided by empty lines; the first one is about the message. */
function readGroups(bytes: Buffer): Group[] {
  return octetString(bytes)
    .split(/\r?\n(?:[ \t]*\r?\n)+/)
    .map((text) => readHeaderFields(Buffer.from(`${text}\r\n`, "latin1")))
    .filter((fields) => fields.length > 0);
}

function readStatus(group: Group, reporter: string | undefined): DeliveryStatus[] {
  const action = fieldValue(group, "action")?.toLowerCase().trim();
  const status = statusText.exec(fieldValue(group, "status") ?? "")?.[0];
  if (action === undefined || status === undefined) return [];
  const addresses = ["original-recipient", "final-recipient"].flatMap((name) => {
    const address = typedValue(group, name);
    // The address should be decoded, but some servers leave it in xtext.
    return address === undefined ? [] : [...new Set([address, decodeXtext(address)])];
  });
  const host = (typedValue(group, "remote-mta") ?? reporter)?.slice(0, hostCharactersMax);
  const known = addresses.map((address) => address.toLowerCase());
  const diagnostic = typedValue(group, "diagnostic-code")?.slice(0, diagnosticCharactersMax);
  return [{ action, status, addresses: known, host, diagnostic }];
}

function fieldValue(group: Group, name: string): string | undefined {
  const value = headerValues(group, name)[0];
  return value === undefined ? undefined : Buffer.from(value, "latin1").toString();
}

/** `type; value` without the type and without angle brackets. */
function typedValue(group: Group, name: string): string | undefined {
  const value = fieldValue(group, name);
  return value
    ?.slice(value.indexOf(";") + 1)
    .trim()
    .replace(/^<(.*)>$/, "$1");
}
