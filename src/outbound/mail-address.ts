/** Addresses of a message: the local part as it was written, in UTF-8 (RFC 6531) if it is beyond ASCII; the domain as A-labels (RFC
 *  5890). */
import { normalAddress } from "#/src/accounts/address-key.ts";
import { listMailAddresses } from "#/src/formats/mime/addresses.ts";
import { octetString } from "#/src/formats/mime/octets.ts";

export interface NamedAddress {
  /** The display name; "" if there is none. */
  readonly name: string;
  /** The address, with the local part as it was written: only its own server knows whether case matters. */
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

/** The text in angle brackets at the end. */
const bracketed = /<([^<>]+)>\s*$/;

export { addressKey, normalAddress } from "#/src/accounts/address-key.ts";

/** Whether the address needs SMTPUTF8 (RFC 6531 section 3.2). The domain never does, as it has A-labels. */
export function needsSmtputf8(address: string): boolean {
  return /[^\0-\x7f]/.test(address);
}
