/** The fields of an answer that follow from the answered message (RFC 5322 section 3.6.3 and 3.6.4). */

import type { HeaderField } from "#/src/formats/mime/header.ts";
import { headerAddresses, headerText, idsOfField } from "#/src/formats/mime/header-values.ts";
import { addressKey, type NamedAddress, normalAddress } from "./mail-address.ts";

export interface AnswerFacts {
  /** undefined for a message that has no identifier. */
  readonly inReplyTo: string | undefined;
  readonly references: readonly string[];
  /** The subject with one "Re: ". */
  readonly subject: string;
}

/** Ids kept of References: the first and the last ones. Each is at most as long as a line of a header. */
const referencesMax = 40;
const idOctetsMax = 900;

export function answerFacts(fields: readonly HeaderField[]): AnswerFacts {
  const [own] = idsOf(fields, "message-id");
  const before = idsOf(fields, "references");
  const parents = before.length > 0 ? before : idsOf(fields, "in-reply-to").slice(0, 1);
  const all = [...new Set([...parents, ...(own === undefined ? [] : [own])])];
  const half = referencesMax / 2;
  return {
    inReplyTo: own,
    references: all.length <= referencesMax ? all : [...all.slice(0, half), ...all.slice(-half)],
    subject: prefixed("Re: ", fields),
  };
}

/** The subject with one "Fwd: ". */
export function forwardSubject(fields: readonly HeaderField[]): string {
  return prefixed("Fwd: ", fields);
}

function idsOf(fields: readonly HeaderField[], name: string): string[] {
  return fields
    .filter((field) => field.name === name)
    .slice(0, 1)
    .flatMap(idsOfField)
    .filter((id) => /^[!-;=?-~]+$/.test(id) && id.length <= idOctetsMax);
}

function prefixed(prefix: string, fields: readonly HeaderField[]): string {
  const subject = headerText(fields, "subject").trim();
  const isMarked = subject.toLowerCase().startsWith(prefix.trim().toLowerCase());
  return isMarked ? subject : `${prefix}${subject}`;
}

export interface Answered {
  readonly to: readonly NamedAddress[];
  readonly cc: readonly NamedAddress[];
}

/** The recipients of an answer: Reply-To, else From; for an answer to one's own message its recipients. An answer to all goes also to
 *  the others of To and Cc, and never to oneself (section 3.6.3). */
export function answeredAddresses(
  fields: readonly HeaderField[],
  isOwn: (address: string) => boolean,
  isToAll: boolean,
): Answered {
  const replyTo = addressesOf(fields, "reply-to");
  const from = addressesOf(fields, "from");
  const to = addressesOf(fields, "to");
  const cc = addressesOf(fields, "cc");
  const isOwnMessage = from.length > 0 && from.every(({ address }) => isOwn(address));
  const authors = replyTo.length > 0 ? replyTo : from;
  const seen = new Set<string>();
  const others = (list: readonly NamedAddress[]): NamedAddress[] =>
    list.filter(({ address }) => {
      const key = addressKey(address);
      if (isOwn(address) || seen.has(key)) return false;
      seen.add(key);
      return true;
    });
  if (isOwnMessage) return { to: others(to), cc: isToAll ? others(cc) : [] };
  const direct = others(authors);
  return { to: direct, cc: isToAll ? others([...to, ...cc]) : [] };
}

/** Which of one's own addresses a message was sent to: the answer is sent from the same one. */
export function addressedAs(
  fields: readonly HeaderField[],
  isOwn: (address: string) => boolean,
): string | undefined {
  const named = ["to", "cc"].flatMap((name) => addressesOf(fields, name));
  return named.find(({ address }) => isOwn(address))?.address;
}

/** Every address of From, Reply-To, To and Cc. */
export function involvedAddresses(fields: readonly HeaderField[]): NamedAddress[] {
  return ["from", "reply-to", "to", "cc"].flatMap((name) => addressesOf(fields, name));
}

export function addressesOf(fields: readonly HeaderField[], name: string): NamedAddress[] {
  return headerAddresses(fields, name).flatMap(({ name: shown, address }) => {
    const normal = normalAddress(address);
    return normal === undefined ? [] : [{ name: shown, address: normal }];
  });
}
