/** Addresses that a message is written to: as their writer spelled them, with the domain as A-labels (RFC 5890) and, where
 *  the local part is beyond ASCII, in the UTF-8 of RFC 6531. */
import { normalAddress } from "#/src/accounts/address-key.ts";
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

export { addressKey, normalAddress } from "#/src/accounts/address-key.ts";

/** RFC 6531 section 3.2: what the domain is asks for nothing, as it has A-labels. */
export function needsSmtputf8(address: string): boolean {
  return /[^\0-\x7f]/.test(address);
}
