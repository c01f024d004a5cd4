/** Who wrote a message, where it says so without any doubt (RFC 5322 section 3.6.2): one From field with one mailbox in one
 *  of the plain forms. Whatever readers could understand in different ways (several fields or mailboxes, a group, a route,
 *  an "@" outside the address, a local part that needs quotes, a domain that imitates another) has no author. */
import { parseAddress } from "#/src/accounts/address.ts";
import { type AddressToken, readAddressTokens } from "#/src/formats/mime/address-tokens.ts";
import { type HeaderField, headerValues } from "#/src/formats/mime/header.ts";
import { decodeUnlabelled } from "#/src/formats/mime/octets.ts";
import { imitatesAnother } from "./homographs.ts";

export interface Author {
  readonly address: string;
  /** Lower-case A-labels. */
  readonly domain: string;
}

export function authorOf(fields: readonly HeaderField[]): Author | undefined {
  const values = headerValues(fields, "from");
  if (values.length !== 1) return undefined;
  const value = values[0]!;
  const tokens = readAddressTokens(value, 2);
  const token = tokens[0];
  if (tokens.length !== 1 || token?.kind !== "mailbox" || !isPlain(value, token)) return undefined;
  const address = decodeUnlabelled(`${token.localPart}@${token.domain}`);
  const parsed = parseAddress(address);
  if (parsed === undefined || imitatesAnother(parsed.domain)) return undefined;
  return { address, domain: parsed.domain };
}

type Mailbox = AddressToken & { readonly kind: "mailbox" };

/** phrase "<" addr-spec ">" or addr-spec alone, with quoted names and comments taken out before it is looked at: what is
 *  left has one "@", and nothing after the address. */
function isPlain(value: string, { route, localPart, domain }: Mailbox): boolean {
  if (route !== undefined || localPart === undefined || domain === undefined) return false;
  const bare = withoutQuotes(value);
  if (bare === undefined || bare.split("@").length !== 2) return false;
  return /^[^<>,;:"]*<[^<>,;:"\s]+>\s*$/.test(bare) || /^\s*[^<>,;:"\s]+\s*$/.test(bare);
}

/** Text without its comments and quoted strings; undefined where one of them does not end. */
function withoutQuotes(value: string): string | undefined {
  let bare = "";
  let depth = 0;
  let isQuoted = false;
  for (let at = 0; at < value.length; at++) {
    const character = value[at]!;
    if (character === "\\" && (isQuoted || depth > 0)) at++;
    else if (isQuoted) isQuoted = character !== '"';
    else if (character === "(") depth++;
    else if (character === ")") {
      if (depth === 0) return undefined;
      depth--;
    } else if (depth > 0) continue;
    else if (character === '"') isQuoted = true;
    else bare += character;
  }
  return isQuoted || depth > 0 ? undefined : bare;
}
