/** The header of a message, with the field names of the interface. */

import { namesAnother, shownAddress } from "#/src/evidence/shown-address.ts";
import type { MailAddress } from "#/src/formats/mime/addresses.ts";
import { isAutomated } from "#/src/formats/mime/automated.ts";
import { headerValues } from "#/src/formats/mime/header.ts";
import { headerAddresses, headerIds, headerText, textOfField } from "#/src/formats/mime/header-values.ts";
import { escapeOwnLines } from "#/src/formats/text/own-lines.ts";
import { readHeader } from "#/src/mail/header-reading.ts";
import { cleanLine } from "./clean-text.ts";
import type { RemovalTally } from "./removal.ts";

export interface Address {
  readonly name?: string;
  readonly address: string;
}

export interface HeaderFacts {
  readonly from?: Address;
  readonly reply_to: readonly Address[];
  readonly to: readonly Address[];
  readonly cc: readonly Address[];
  readonly bcc: readonly Address[];
  readonly subject: string;
  readonly message_id?: string;
  readonly in_reply_to: readonly string[];
  readonly references: readonly string[];
  readonly automated: boolean;
  readonly list_id?: string;
}

const addressesShownMax = 200;
const idsShownMax = 100;
const fieldsShownMax = 500;
const valueLengthMax = 8000;

export async function headerFacts(header: Uint8Array, tally: RemovalTally): Promise<HeaderFacts> {
  const fields = await readHeader(header, "reading");
  const first = (name: string): string | undefined => headerValues(fields, name)[0];
  const addresses = (name: string): Address[] => {
    const all = headerAddresses(fields, name);
    if (all.length > addressesShownMax) tally.add("over-limit", name, all.length - addressesShownMax);
    return all.slice(0, addressesShownMax).map((one) => addressShown(one, name, tally));
  };
  const ids = (name: string): string[] => {
    const all = headerIds(fields, name);
    if (all.length > idsShownMax) tally.add("over-limit", name, all.length - idsShownMax);
    return all.slice(0, idsShownMax).map((id) => cleanLine(id, name, tally));
  };
  const from = addresses("from")[0];
  const messageId = ids("message-id")[0];
  const listId = first("list-id");
  return {
    ...(from === undefined ? {} : { from }),
    reply_to: addresses("reply-to"),
    to: addresses("to"),
    cc: addresses("cc"),
    bcc: addresses("bcc"),
    subject: cleanLine(headerText(fields, "subject"), "subject", tally),
    ...(messageId === undefined ? {} : { message_id: messageId }),
    in_reply_to: ids("in-reply-to"),
    references: ids("references"),
    automated: isAutomated(fields),
    ...(listId === undefined ? {} : { list_id: cleanLine(listName(listId), "list-id", tally) }),
  };
}

function addressShown(one: MailAddress, where: string, tally: RemovalTally): Address {
  const address = cleanLine(shownAddress(one.address), where, tally, 320);
  const name = cleanLine(one.name, where, tally, 200);
  if (namesAnother(name, address)) tally.add("name-is-address", where);
  return name === "" ? { address } : { name, address };
}

/** RFC 2919 section 3: phrase "<" list-id ">". */
function listName(value: string): string {
  const open = value.lastIndexOf("<");
  const close = value.indexOf(">", open);
  return open === -1 || close === -1 ? value : value.slice(open + 1, close);
}

export interface ShownField {
  readonly name: string;
  readonly value: string;
}

/** Every field as it stands, in order, decoded. */
export async function shownFields(header: Uint8Array, tally: RemovalTally): Promise<ShownField[]> {
  const fields = await readHeader(header, "reading");
  if (fields.length > fieldsShownMax) tally.add("over-limit", "headers", fields.length - fieldsShownMax);
  return fields.slice(0, fieldsShownMax).map((field) => ({
    name: field.name,
    value: cleanLine(textOfField(field), field.name, tally, valueLengthMax),
  }));
}

export function fieldsText(fields: readonly ShownField[]): string {
  return escapeOwnLines(fields.map(({ name, value }) => `${name}: ${value}`).join("\n"));
}
