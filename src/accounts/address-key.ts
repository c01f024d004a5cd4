/** Spellings of one mail address. */
import { formatAddress, parseAddress } from "./address.ts";

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

/** Whether two spellings are one address. Case does not count in the domain. It does not count in the local part either, as no
 *  known host distinguishes case there. */
export function addressKey(address: string): string {
  return (normalAddress(address) ?? address).toLowerCase();
}
