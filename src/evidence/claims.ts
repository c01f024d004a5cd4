/** The names that a message claims in a signature or an envelope. Whatever is not a name is not shown. */
import { parseDomain } from "#/src/accounts/address.ts";

const name = /^[a-z0-9_](?:[a-z0-9_.-]{0,251}[a-z0-9_])?$/i;

export function claimedName<Key extends string>(key: Key, text: unknown): { readonly [K in Key]?: string } {
  const isName = typeof text === "string" && name.test(text);
  return (isName ? { [key]: text.toLowerCase() } : {}) as { readonly [K in Key]?: string };
}

/** A domain in A-labels, the form in which domains are compared. Names that are not host names, such as `_spf.example.com`, stay as
 *  they are. */
export function claimedDomain(text: unknown): { readonly domain?: string } {
  return claimedName("domain", typeof text === "string" ? (parseDomain(text) ?? text) : undefined);
}
