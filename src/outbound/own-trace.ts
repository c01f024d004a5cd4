/** The header fields that only the sender's own copy of a mail has: recipients that the others do not see. */
import { listMailAddresses } from "#/src/formats/mime/addresses.ts";
import { formatEnvelopeFields } from "#/src/formats/mime/envelope.ts";
import { type HeaderField, headerValues, readHeaderFields } from "#/src/formats/mime/header.ts";
import type { MessageFacts } from "#/storage/rows.ts";
import type { Envelope } from "#/storage/submission.ts";
import { addressKey } from "./mail-address.ts";

/** The facts of the sender's copy. `header`: the beginning of the sent message, with its header block. */
export function withOwnTrace(facts: MessageFacts, trace: Buffer, header: Uint8Array): MessageFacts {
  if (trace.length === 0) return facts;
  const fields = readHeaderFields(Buffer.concat([trace, header]));
  return { ...facts, envelope: formatEnvelopeFields(fields) };
}

/** A Bcc field with all recipients that are not in To and Cc, so that an approver sees all recipients; "" if there are none. */
export function unnamedField({ recipients }: Envelope, fields: readonly HeaderField[]): string {
  const shown = new Set(addressesIn(fields, ["to", "cc"]).map(addressKey));
  const hidden = recipients.filter(({ address }) => !shown.has(addressKey(address)));
  return hidden.length === 0 ? "" : `Bcc: ${hidden.map(({ address }) => address).join(",\r\n ")}\r\n`;
}

export function addressesIn(fields: readonly HeaderField[], names: readonly string[]): string[] {
  return names.flatMap((name) =>
    headerValues(fields, name).flatMap((value) => listMailAddresses(value).map(({ address }) => address)),
  );
}
