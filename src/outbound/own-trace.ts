/** The header fields that only the sender's own copy of a mail has: recipients that the others do not see. */
import { formatEnvelope } from "#/src/formats/mime/envelope.ts";
import type { HeaderField } from "#/src/formats/mime/header.ts";
import { headerAddresses } from "#/src/formats/mime/header-values.ts";
import { headerBlock, readApart } from "#/src/mail/header-reading.ts";
import { withFieldsOfTrace } from "#/src/mail/list-fields.ts";
import type { MessageFacts } from "#/storage/rows.ts";
import type { Envelope } from "#/storage/submission.ts";
import { addressKey } from "./mail-address.ts";

/** The facts of the sender's copy. `header`: the beginning of the sent message, with its header block. */
export async function withOwnTrace(
  facts: MessageFacts,
  trace: Buffer,
  header: Uint8Array,
): Promise<MessageFacts> {
  if (trace.length === 0) return facts;
  const own = headerBlock(Buffer.concat([trace, header]));
  return {
    ...facts,
    envelope: await readApart("envelope", own, formatEnvelope),
    listFields: withFieldsOfTrace(trace, facts.listFields),
  };
}

/** A Bcc field with all recipients that are not in To and Cc, so that an approver sees all recipients; "" if there are none. */
export function unnamedField({ recipients }: Envelope, fields: readonly HeaderField[]): string {
  const shown = new Set(addressesIn(fields, ["to", "cc"]).map(addressKey));
  const hidden = recipients.filter(({ address }) => !shown.has(addressKey(address)));
  return hidden.length === 0 ? "" : `Bcc: ${hidden.map(({ address }) => address).join(",\r\n ")}\r\n`;
}

export function addressesIn(fields: readonly HeaderField[], names: readonly string[]): string[] {
  return names.flatMap((name) => headerAddresses(fields, name).map(({ address }) => address));
}
