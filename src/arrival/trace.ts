/** The trace fields that stand before a delivered message (RFC 5321 section 4.4).
 *
 *  Return-Path: <reverse path>                                     first, as final delivery puts it
 *  Delivered-To: address                                           one for each address of this copy, as it was written
 *  Authentication-Results: us; …                                   what was found out (RFC 8601), for mail from other servers
 *  Received: from HELO ([address]) by us with ESMTPS id …; date    "with" words of RFC 3848 and RFC 6531 section 4.3
 *
 *  Text of the peer enters these fields only as a domain, an address literal or a path. */
import { isIP, isIPv6 } from "node:net";
import { formatDate } from "#/src/formats/mime/dates.ts";
import type { Transport } from "./transport.ts";

export interface TraceFacts {
  /** Empty for the null reverse path. */
  readonly reversePath: string;
  readonly deliveredTo: readonly string[];
  readonly hostname: string;
  readonly transport: Transport;
  /** The field with its line end, or nothing. */
  readonly authenticationResults: string;
  /** Milliseconds. */
  readonly at: number;
}

/** Everything but Delivered-To is the same for all recipients of a message. */
export function formatTrace(facts: TraceFacts): Uint8Array {
  const { reversePath, deliveredTo, hostname, transport, authenticationResults, at } = facts;
  const delivery = deliveryFields(reversePath, deliveredTo);
  return utf8.encode(`${delivery}${authenticationResults}${formatReceived(hostname, transport, at)}`);
}

/** The trace fields of mail between mailboxes of this server. */
export function formatDeliveryTrace(reversePath: string, deliveredTo: readonly string[]): Uint8Array {
  return utf8.encode(deliveryFields(reversePath, deliveredTo));
}

function deliveryFields(reversePath: string, deliveredTo: readonly string[]): string {
  const to = deliveredTo.map((address) => `Delivered-To: ${printable(address)}\r\n`);
  return `Return-Path: <${printable(reversePath)}>\r\n${to.join("")}`;
}

/** The field with its line end. */
export function formatReceived(hostname: string, transport: Transport, at: number): string {
  const literal = formatAddressLiteral(transport.remoteAddress);
  const from = isHostName(transport.heloName) ? transport.heloName : literal;
  const word = protocolWord(transport);
  return `Received: from ${from} (${literal})\r\n\tby ${hostname} (Waypost) with ${word} id ${transport.id};\r\n\t${formatDate(at)}\r\n`;
}

const utf8 = new TextEncoder();

/** SMTP, ESMTP, ESMTPS, ESMTPA, ESMTPSA (RFC 3848), UTF8SMTP… (RFC 6531). */
function protocolWord({ isEsmtp, isTls, isUtf8, principal }: Transport): string {
  const base = isUtf8 ? "UTF8SMTP" : isEsmtp || isTls || principal !== undefined ? "ESMTP" : "SMTP";
  return `${base}${isTls ? "S" : ""}${principal === undefined ? "" : "A"}`;
}

function formatAddressLiteral(address: string): string {
  const plain = address.split("%")[0]!;
  if (isIP(plain) === 0) return "unknown";
  return isIPv6(plain) ? `[IPv6:${plain}]` : `[${plain}]`;
}

function isHostName(name: string): boolean {
  if (name.length > 255) return false;
  return /^[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9])?$/i.test(name) || /^\[(?:IPv6:)?[0-9a-f.:]+\]$/i.test(name);
}

/** Replaces control characters, which could end the field or start another. */
function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, "?");
}
