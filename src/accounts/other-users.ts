/** The names of mailboxes of other users (RFC 2342): `Other Users/<address>/<name>`. */
import { hierarchyDelimiter } from "#/src/model/roles.ts";

/** The first level of the names of others' mailboxes. */
export const otherUsers = "Other Users";
export const otherUsersPrefix = `${otherUsers}${hierarchyDelimiter}`;

export function sharedMailboxName(owner: string, name: string): string {
  return `${otherUsersPrefix}${ownerLevel(owner)}${hierarchyDelimiter}${name}`;
}

/** An address as one level of a name. What no level may hold is written as "=" and its hexadecimal octets. */
export function ownerLevel(address: string): string {
  return address.replace(/[/%*\\=\p{Cc}]/gu, (character) =>
    [...Buffer.from(character)]
      .map((octet) => `=${octet.toString(16).toUpperCase().padStart(2, "0")}`)
      .join(""),
  );
}
