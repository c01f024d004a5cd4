/** The properties of principals that are searched, and their texts. */
import type { DavRequest } from "./request.ts";
import type { DavPrincipal } from "./resource.ts";
import { caldav, calendarserver, dav, isNamed, type XmlName } from "./xml/names.ts";

export const searchedProperties: readonly { readonly name: XmlName; readonly description: string }[] = [
  { name: dav("displayname"), description: "Name" },
  { name: calendarserver("email-address-set"), description: "Email address" },
  { name: caldav("calendar-user-address-set"), description: "Calendar address" },
];

/** None for a property that is not searched. */
export async function readSearchedText(
  request: DavRequest,
  principal: DavPrincipal,
  property: XmlName,
): Promise<readonly string[]> {
  const at = searchedProperties.findIndex(({ name }) => isNamed(property, name));
  if (at < 0) return [];
  if (at === 0) return [principal.name === "" ? principal.address : principal.name];
  const addresses = await listUserAddresses(request, principal);
  return at === 1 ? addresses : addresses.map((address) => `mailto:${address}`);
}

/** All addresses of a principal, the primary one first. */
export async function listUserAddresses(
  { rooms }: DavRequest,
  { agent }: DavPrincipal,
): Promise<readonly string[]> {
  const facts = await rooms.accounts.findAgentFacts(agent);
  // A catch-all is no address.
  return (facts?.addresses ?? []).filter((address) => !address.startsWith("*@"));
}
