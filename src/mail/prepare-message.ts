import { hash } from "node:crypto";
import { shownAddress } from "#/src/evidence/shown-address.ts";
import { nextTurn } from "#/src/fairness/loop-turns.ts";
import { listMailAddresses } from "#/src/formats/mime/addresses.ts";
import { formatBodyStructure } from "#/src/formats/mime/body-structure.ts";
import { parseDate } from "#/src/formats/mime/dates.ts";
import { formatEnvelopeFields } from "#/src/formats/mime/envelope.ts";
import { type HeaderField, headerValues, readHeaderFields } from "#/src/formats/mime/header.ts";
import { headerIds, headerText } from "#/src/formats/mime/header-values.ts";
import {
  type MimePart,
  parseStructure,
  serializeStructure,
  walkParts,
} from "#/src/formats/mime/structure.ts";
import { baseSubject, conversationSubject } from "#/src/formats/mime/subject.ts";
import { threadReferencesMax } from "#/src/model/limits.ts";
import { encodeBlob } from "#/storage/blob.ts";
import type { MessageFacts } from "#/storage/rows.ts";
import { pickListFields } from "./list-fields.ts";
import { formatReferenceIds, referenceIdsOf } from "./reference-ids.ts";

/** The header field that identifies a draft of this server; sent mail never has it. */
export const draftField = "X-Waypost-Draft";

/** Addresses of one Reply-To that are looked at. */
const replyAddressesMax = 3;

/** Larger messages are parsed with other work between the steps: 50 MiB take 50 to 80 ms. */
const quickBytes = 1024 * 1024;

/** All facts of a message that follow from its bytes, ready to be stored; nothing is parsed again later. `isOwnThread`: no other work
 *  waits for this thread. */
export async function prepareMessage(bytes: Uint8Array, isOwnThread = false): Promise<MessageFacts> {
  if (bytes.length > quickBytes && !isOwnThread) await nextTurn();
  const structure = parseStructure(bytes);
  const header = bytes.subarray(0, structure.bodyStart);
  const fields = readHeaderFields(header);
  const subject = cleanText(headerText(fields, "subject"));
  const from = listMailAddresses(headerValues(fields, "from")[0] ?? "")[0];
  const replyTo = listMailAddresses(headerValues(fields, "reply-to")[0] ?? "")
    .slice(0, replyAddressesMax)
    .map(({ name, address }) => ({
      name: cleanText(name),
      address: shownAddress(cleanText(address)).toLowerCase(),
    }));
  const date = parseDate(headerValues(fields, "date")[0] ?? "");
  return {
    blob: await encodeBlob(bytes, structure.bodyStart, serializeStructure(structure), isOwnThread),
    date: date ?? null,
    subject,
    fromAddress: shownAddress(cleanText(from?.address ?? "")).toLowerCase(),
    fromName: cleanText(from?.name ?? ""),
    ...(replyTo.length === 0 ? {} : { replyTo }),
    envelope: formatEnvelopeFields(fields),
    bodyStructure: formatBodyStructure(structure),
    threadKeys: threadKeys(fields, subject),
    referenceIds: formatReferenceIds(referenceIdsOf(fields)),
    ...pickListFields(header),
    hasAgentPart: hasAgentPart(structure),
    draftKeys: draftKeys(fields),
  };
}

/** The thread keys of a message that is stored already, from its header. */
export function readThreadKeys(fields: readonly HeaderField[]): Uint8Array[] {
  return threadKeys(fields, cleanText(headerText(fields, "subject")));
}

/** Two messages are in one thread if Message-ID, In-Reply-To or References of both have one message id in common, and their subjects are
 *  equal without prefixes (RFC 8621 section 3), also those of other languages. One key is made of one such id and that subject; where
 *  it had a prefix of another language also with that, as mail has been stored that came before these were known. */
function threadKeys(fields: readonly HeaderField[], subject: string): Uint8Array[] {
  const named = ["message-id", "in-reply-to", "references"].flatMap((name) => headerIds(fields, name));
  const ids = [...new Set(named)];
  // Of a long list the first ids identify the conversation, the last ones the neighbours.
  const half = threadReferencesMax / 2;
  const kept = ids.length <= threadReferencesMax ? ids : [...ids.slice(0, half), ...ids.slice(-half)];
  const subjects = [...new Set([conversationSubject(subject), baseSubject(subject)])];
  return kept.flatMap((id) => subjects.map((one) => keyOf(`${id}\0${one}`)));
}

/** Without an object of `createHash`: V8 keeps that until it collects all garbage. */
function keyOf(text: string): Uint8Array {
  return new Uint8Array(hash("sha256", text, "buffer").subarray(0, 16));
}

/** Header fields that identify a draft that is stored again: its Message-ID; the server's own field, for clients that make a new
 *  Message-ID and keep unknown fields; and the one of Apple's clients. */
const draftFields = ["message-id", draftField.toLowerCase(), "x-universally-unique-identifier"];
const draftValueMax = 500;

function draftKeys(fields: readonly HeaderField[]): Uint8Array[] {
  const values = draftFields.map((name) => [name, headerValues(fields, name)[0]?.trim() ?? ""] as const);
  return values
    .filter(([, value]) => value !== "" && value.length <= draftValueMax)
    .map(([name, value]) => keyOf(`${name}\0${value}`));
}

/** A machine-readable part: its own media type, or JSON that is named for it ("Machine-readable part" of the interface). */
function hasAgentPart(structure: MimePart): boolean {
  for (const part of walkParts(structure)) if (isAgentPart(part)) return true;
  return false;
}

export function isAgentPart(part: MimePart): boolean {
  if (part.type !== "application") return false;
  if (part.subtype === "vnd.waypost.agent+json") return true;
  const name = part.dispositionParameters?.filename ?? part.parameters.name;
  return (part.subtype === "json" || part.subtype === "ld+json") && name?.toLowerCase() === "agent.json";
}

/** One line without control characters, as columns for sorting and display require. */
function cleanText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
  return text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, " ").trim();
}
