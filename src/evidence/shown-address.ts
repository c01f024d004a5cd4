/** The form of a mail address that is compared, shown and stored (UTS 46): without invisible characters, and with one spelling for
 *  each domain. */
import { domainToUnicode } from "node:url";
import { parseAddress, parseDomain } from "#/src/accounts/address.ts";
import { trimEnd } from "#/src/model/trim-end.ts";
import { imitatesAnother } from "./homographs.ts";

/** The domain as people read it, or in A-labels where that looks like another (mixed scripts). What is no domain stays as it
 *  is: no policy depends on it. */
export function shownAddress(address: string): string {
  const at = address.lastIndexOf("@");
  if (at < 0) return address;
  const domain = parseDomain(address.slice(at + 1));
  return domain === undefined ? address : `${address.slice(0, at)}@${shownDomain(domain)}`;
}

/** Of A-labels. */
function shownDomain(domain: string): string {
  if (!domain.includes("xn--") || imitatesAnother(domain)) return domain;
  const unicode = domainToUnicode(domain);
  return parseDomain(unicode) === domain ? unicode : domain;
}

/** In A-labels, as checks and policies have it; undefined for what is no address with a domain. */
export function domainOfAddress(address: string): string | undefined {
  return parseDomain(address.slice(address.lastIndexOf("@") + 1));
}

/** Of an author, as the provenance of a message has it (`from_domain`): one name for a domain, whichever way its mail came. */
export function fromDomainOf(address: string): { readonly fromDomain?: string } {
  const fromDomain = address.includes("@") ? domainOfAddress(address) : undefined;
  return fromDomain === undefined ? {} : { fromDomain };
}

/** Whether a display name has another address than the real one: readers who only see names would take it for the real one. */
export function namesAnother(name: string, address: string): boolean {
  const own = shownAddress(address).toLowerCase();
  const words = name.normalize("NFKC").split(/[\s<>()[\]",;:]/u);
  return words
    .filter((word) => word.includes("@"))
    .map((word) => trimEnd(word, "@"))
    .some((named) => parseAddress(named) !== undefined && shownAddress(named).toLowerCase() !== own);
}
