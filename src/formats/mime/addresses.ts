/** Address lists (RFC 5322 sections 3.4 and 4.4, RFC 6532).
 *  address = mailbox / group; mailbox = [display-name] "<" [route] addr-spec ">" / addr-spec
 *  group = display-name ":" [mailbox-list] ";"
 *  Also read: a comment used as display name, dots and stray characters in names, missing domains, unclosed brackets. */
import { noteReading } from "#/src/model/foreign-text.ts";
import { addressesMax } from "#/src/model/limits.ts";
import { type AddressToken, readAddressTokens } from "./address-tokens.ts";
import { decodeWords } from "./encoded-words.ts";
import { decodeUnlabelled, withoutControls } from "./octets.ts";

export interface MailAddress {
  /** Decoded display name, "" for none. */
  readonly name: string;
  /** "local-part@domain", the local part quoted where the syntax requires it; only the local part when the domain is missing. */
  readonly address: string;
}

export interface AddressGroup {
  readonly group: string;
  readonly members: readonly MailAddress[];
}

export type AddressEntry = MailAddress | AddressGroup;

export function isGroup(entry: AddressEntry): entry is AddressGroup {
  return "group" in entry;
}

/** Entries of a field body given as an octet string, at most `addressesMax`. */
export function parseAddressList(octets: string): AddressEntry[] {
  noteReading("addresses", octets.length);
  const entries: AddressEntry[] = [];
  let members: MailAddress[] | undefined;
  for (const token of readAddressTokens(octets, addressesMax)) {
    if (token.kind === "groupStart") {
      members = [];
      entries.push({ group: decodeWords(token.name), members });
    } else if (token.kind === "groupEnd") {
      members = undefined;
    } else {
      (members ?? entries).push(mailAddress(token));
    }
  }
  return entries;
}

/** The mailboxes of a list, including those inside groups. */
export function listMailAddresses(octets: string): MailAddress[] {
  return parseAddressList(octets).flatMap((entry) => (isGroup(entry) ? entry.members : [entry]));
}

function mailAddress(token: AddressToken & { kind: "mailbox" }): MailAddress {
  const name = token.name === undefined ? "" : decodeWords(token.name).trim();
  return { name, address: formatAddrSpec(token.localPart, token.domain) };
}

const dotAtom = /^[^\s"(),:;<>@[\]\\.]+(?:\.[^\s"(),:;<>@[\]\\.]+)*$/;

function formatAddrSpec(localPart: string | undefined, domain: string | undefined): string {
  if (localPart === undefined) return "";
  const local = withoutControls(decodeUnlabelled(localPart));
  if (domain === undefined) return local;
  const written = dotAtom.test(local) ? local : `"${local.replace(/["\\]/g, "\\$&")}"`;
  return `${written}@${withoutControls(decodeUnlabelled(domain))}`;
}
