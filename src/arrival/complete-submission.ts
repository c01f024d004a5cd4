/** Completes and checks a submitted message (RFC 6409 section 8).
 *
 *  A missing Date or Message-ID is put in front (sections 8.2 and 8.3). Bcc and Resent-Bcc are removed (RFC 5322 section 3.6.3: other
 *  recipients must not see them; Postfix removes them too). There must be one From field. It, Sender, Resent-From and Resent-Sender must
 *  name only addresses of the login. */

import { randomUUID } from "node:crypto";
import type { Accounts } from "#/src/accounts/accounts.ts";
import type { Principal } from "#/src/accounts/principal.ts";
import { formatDate } from "#/src/formats/mime/dates.ts";
import type { HeaderField } from "#/src/formats/mime/header.ts";
import { addressesOfField } from "#/src/formats/mime/header-values.ts";
import { readHeader } from "#/src/mail/header-reading.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { headerBytesMax } from "#/src/model/limits.ts";
import { scanHeader } from "./scan-header.ts";

export interface Submission {
  readonly bytes: Uint8Array;
  /** Of the header as it was submitted. */
  readonly fields: readonly HeaderField[];
  /** Whether From names exactly one address, so that its owner is known to be the author. */
  readonly isAuthenticated: boolean;
}

const senderFields: readonly string[] = ["from", "sender", "resent-from", "resent-sender"];
const hiddenFields: readonly string[] = ["bcc", "resent-bcc"];

export async function completeSubmission(
  accounts: Accounts,
  principal: Principal,
  bytes: Uint8Array,
  at: number,
): Promise<Submission> {
  // Fields beyond this are not read anywhere.
  if ((await scanHeader(bytes)).headerBytes > headerBytesMax)
    throw new WaypostError("policy_refused", "The header of the message is too large.", {
      reason: "too_large",
    });
  const fields = await readHeader(bytes);
  const from = fields.filter((field) => field.name === "from");
  const addresses = from.length === 1 ? addressesOf(from[0]!) : [];
  if (addresses.length === 0)
    throw refusedSender("The message needs exactly one From field with an address.");
  for (const field of fields.filter(({ name }) => senderFields.includes(name)))
    for (const address of addressesOf(field))
      if (!(await accounts.isOwnAddress(principal, address)))
        throw refusedSender("From or Sender names an address that is not one of yours.");
  return {
    bytes: rewrite(bytes, missingFields(fields, addresses[0]!, at), fields),
    fields,
    isAuthenticated: addresses.length === 1,
  };
}

function addressesOf(field: HeaderField): string[] {
  return addressesOfField(field).map(({ address }) => address);
}

function refusedSender(message: string): WaypostError {
  return new WaypostError("policy_refused", message, { reason: "sender_refused" });
}

function missingFields(fields: readonly HeaderField[], fromAddress: string, at: number): string {
  const has = (name: string): boolean => fields.some((field) => field.name === name);
  const domain = fromAddress.slice(fromAddress.lastIndexOf("@") + 1);
  const date = has("date") ? "" : `Date: ${formatDate(at)}\r\n`;
  const messageId = has("message-id") ? "" : `Message-ID: <${randomUUID()}@${domain}>\r\n`;
  return date + messageId;
}

/** Answers the same bytes, without a copy, when there is nothing to add or remove. */
function rewrite(bytes: Uint8Array, added: string, fields: readonly HeaderField[]): Uint8Array {
  const hidden = fields.filter((field) => hiddenFields.includes(field.name));
  if (added === "" && hidden.length === 0) return bytes;
  const pieces: Uint8Array[] = [Buffer.from(added)];
  let at = 0;
  for (const field of hidden) {
    pieces.push(bytes.subarray(at, field.start));
    at = field.end;
  }
  pieces.push(bytes.subarray(at));
  return Buffer.concat(pieces);
}
