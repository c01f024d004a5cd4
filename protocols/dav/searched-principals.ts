/** The properties of principals that are searched, and their texts. */
import type { DavRequest } from "./request.ts";
import type { DavPrincipal } from "./resource.ts";
import { caldav, calendarserver, dav, type XmlName, xmlKey } from "./xml/names.ts";

export const searchedProperties: readonly { readonly name: XmlName; readonly description: string }[] = [
  { name: dav("displayname"), description: "Name" },
  { name: calendarserver("email-address-set"), description: "Email address" },
  { name: caldav("calendar-user-address-set"), description: "Calendar address" },
];

/** By the keys of the properties (`xmlKey`). */
export type SearchedTexts = ReadonlyMap<string, readonly string[]>;

/** Reads all texts with one query, for any number of conditions. */
export async function readSearchedTexts(
  request: DavRequest,
  principal: DavPrincipal,
): Promise<SearchedTexts> {
  const addresses = await listUserAddresses(request, principal);
  return new Map(
    searchedProperties.map(({ name }, at) => [
      xmlKey(name),
      at === 0
        ? [principal.name === "" ? principal.address : principal.name]
        : at === 1
          ? addresses
          : addresses.map((address) => `mailto:${address}`),
    ]),
  );
}

/** All addresses of a principal, the primary one first. */
export async function listUserAddresses(
  { rooms }: DavRequest,
  { agent }: DavPrincipal,
): Promise<readonly string[]> {
  const facts = await rooms.accounts.findAgentFacts(agent);
  // A catch-all is not an address.
  return (facts?.addresses ?? []).filter((address) => !address.startsWith("*@"));
}
