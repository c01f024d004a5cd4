/** Addresses that a message is written to: as their writer spelled them, with the domain as A-labels (RFC 5890) and, where
 *  the local part is beyond ASCII, in the UTF-8 of RFC 6531. */
import { formatAddress, parseAddress } from "#/src/accounts/address.ts";
import { listMailAddresses } from "#/src/formats/mime/addresses.ts";
import { octetString } from "#/src/formats/mime/octets.ts";

export interface NamedAddress {
  /** "" for none. */
  readonly name: string;
  /** The local part as it was written: its case is the affair of whoever owns it. */
  readonly address: string;
}

/** `name@domain` or `Name <name@domain>`; undefined for text that is not exactly one address. */
export function parseNamedAddress(text: string): NamedAddress | undefined {
  const plain = normalAddress(text.trim());
  if (plain !== undefined) return { name: "", address: plain };
  const found = listMailAddresses(octetString(Buffer.from(text)));
  const address = normalAddress(bracketed.exec(text)?.[1]?.trim() ?? "");
  const isOne = found.length === 1 && address !== undefined && normalAddress(found[0]!.address) === address;
  return isOne ? { name: found[0]!.name, address } : undefined;
}

/** What stands in the brackets at the end. */
const bracketed = /<([^<>]+)>\s*$/;

/** The address with its domain as it goes over the wire, and its local part without quotes that it does not need (RFC 5321
 *  section 4.1.2); undefined for text that is no address. */
export function normalAddress(text: string): string | undefined {
  const parsed = parseAddress(text);
  if (parsed === undefined) return undefined;
  const written = text.slice(0, text.lastIndexOf("@"));
  const isQuotedInVain = written.startsWith('"') && !formatAddress(parsed).startsWith('"');
  const localPart = isQuotedInVain ? written.slice(1, -1).replace(/\\(.)/g, "$1") : written;
  return `${localPart}@${parsed.domain}`;
}

/** Whether two spellings are one address, as far as anybody but its owner can say: the domain whatever its case, and the
 *  local part too, as no known host tells cases apart. */
export function addressKey(address: string): string {
  return (normalAddress(address) ?? address).toLowerCase();
}

/** RFC 6531 section 3.2: what the domain is asks for nothing, as it has A-labels. */
export function needsSmtputf8(address: string): boolean {
  return /[^\0-\x7f]/.test(address);
}
