/** Makes a draft ready to be sent (RFC 5322, RFC 6409 section 8): sets Date, removes Bcc and the header fields of drafts. Any mail
 *  client may have written the draft, so sender and recipients are read from its header. */

import { formatDate } from "#/src/formats/mime/dates.ts";
import { type HeaderField, readHeaderFields } from "#/src/formats/mime/header.ts";
import { headerAddresses } from "#/src/formats/mime/header-values.ts";
import { withCrlf } from "#/src/formats/mime/line-ends.ts";
import { draftField } from "#/src/mail/prepare-message.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { bccField, hasMailLines, hiddenRecipientsField } from "./composition.ts";
import { addressKey, type NamedAddress, normalAddress } from "./mail-address.ts";

export interface FinishFacts {
  /** Milliseconds since 1970. */
  readonly date: number;
  /** Used if the draft has no Message-ID. */
  readonly messageId: string;
  readonly autoSubmitted: "auto-generated" | "auto-replied" | undefined;
}

export interface FinishedDraft {
  readonly bytes: Buffer;
  /** Addresses of From, Sender and their Resent- forms. */
  readonly senders: readonly string[];
  /** Addresses of From only. */
  readonly authors: readonly string[];
  readonly recipients: readonly string[];
  /** The Bcc field of the sender's own copy. */
  readonly bcc: string | undefined;
}

const senderFields = ["from", "sender", "resent-from", "resent-sender"];
const removedFields: readonly string[] = ["bcc", "resent-bcc", "date", draftField.toLowerCase()];

/** Throws `invalid` for a draft that no server would accept. */
export function finishDraft(
  bytes: Buffer,
  facts: FinishFacts,
  fields: readonly HeaderField[] = readHeaderFields(bytes),
): FinishedDraft {
  const bcc = addressesOf(fields, "bcc");
  const recipients = new Map<string, string>();
  for (const { address } of [...addressesOf(fields, "to"), ...addressesOf(fields, "cc"), ...bcc])
    recipients.set(addressKey(address), address);
  return {
    bytes: rewrite(bytes, fields, facts),
    senders: senderFields.flatMap((name) => writtenAddresses(fields, name)),
    authors: writtenAddresses(fields, "from"),
    recipients: [...recipients.values()],
    bcc: bcc.length === 0 ? undefined : bccField(bcc),
  };
}

/** APPEND takes bare line feeds, SMTP does not. */
export function withMailLines(draft: Uint8Array): Buffer {
  const bytes = withCrlf(draft);
  if (hasMailLines(bytes)) return bytes;
  throw new WaypostError("invalid", "The draft has lines that mail cannot carry.", {
    field: "/draft",
    hint: "A line has at most 998 octets and no NUL; write the draft again with draft.update.",
  });
}

function rewrite(bytes: Buffer, fields: readonly HeaderField[], facts: FinishFacts): Buffer {
  const has = (name: string): boolean => fields.some((field) => field.name === name);
  const added = [
    `Date: ${formatDate(facts.date)}`,
    ...(has("to") || has("cc") ? [] : [hiddenRecipientsField]),
    ...(has("message-id") ? [] : [`Message-ID: <${facts.messageId}>`]),
    ...(facts.autoSubmitted === undefined || has("auto-submitted")
      ? []
      : [`Auto-Submitted: ${facts.autoSubmitted}`]),
  ];
  const pieces: Uint8Array[] = [Buffer.from(`${added.join("\r\n")}\r\n`)];
  let at = 0;
  for (const { name, start, end } of fields) {
    if (!removedFields.includes(name)) continue;
    pieces.push(bytes.subarray(at, start));
    at = end;
  }
  pieces.push(bytes.subarray(at));
  return Buffer.concat(pieces);
}

function writtenAddresses(fields: readonly HeaderField[], name: string): string[] {
  return headerAddresses(fields, name).map(({ address }) => address);
}

function addressesOf(fields: readonly HeaderField[], name: string): NamedAddress[] {
  return headerAddresses(fields, name).map(({ name: shown, address }) => {
    const normal = normalAddress(address);
    if (normal === undefined)
      throw new WaypostError("invalid", "A recipient of the draft is not a mail address.", {
        field: "/draft",
        hint: "Correct its recipients with draft.update.",
      });
    return { name: shown, address: normal };
  });
}
