/** The author of a message, if all readers find the same one (RFC 5322 section 3.6.2): one From field with one mailbox in one of the
 *  plain forms. A message has no author if programs could read the field in different ways: several fields or mailboxes, a group, a
 *  route, an "@" outside of the address, a local part that needs quotes, or a domain that imitates another one. */
import { parseAddress, parseDomain } from "#/src/accounts/address.ts";
import { type AddressToken, readAddressTokens } from "#/src/formats/mime/address-tokens.ts";
import { decodeWords } from "#/src/formats/mime/encoded-words.ts";
import { type HeaderField, headerValues } from "#/src/formats/mime/header.ts";
import { decodeUnlabelled } from "#/src/formats/mime/octets.ts";
import { trimEnd } from "#/src/model/trim-end.ts";
import { imitatesAnother } from "./homographs.ts";

export interface Author {
  /** Its domain in A-labels. */
  readonly address: string;
  /** Lower-case A-labels. */
  readonly domain: string;
}

/** Domains of authors that are asked for a policy; more than these are counted alone. */
const namedDomainsMax = 8;
const addressesReadMax = 100;

export function authorOf(fields: readonly HeaderField[]): Author | undefined {
  const values = headerValues(fields, "from");
  if (values.length !== 1) return undefined;
  const value = values[0]!;
  const tokens = readAddressTokens(value, 2);
  const token = tokens[0];
  if (tokens.length !== 1 || token?.kind !== "mailbox" || !isPlain(value, token)) return undefined;
  const localPart = decodeUnlabelled(token.localPart!);
  const parsed = parseAddress(`${localPart}@${decodeUnlabelled(token.domain!)}`);
  if (parsed === undefined || imitatesAnother(parsed.domain)) return undefined;
  return { address: `${localPart}@${parsed.domain}`, domain: parsed.domain };
}

/** Every domain that the From fields name in any way that a reader may take for the author's, in A-labels: the policy of
 *  mail without an unambiguous author. `areAll` is false for more of them than are asked. */
export function authorDomains(fields: readonly HeaderField[]): {
  readonly domains: readonly string[];
  readonly areAll: boolean;
} {
  const domains = new Set<string>();
  for (const value of headerValues(fields, "from")) {
    for (const named of namedIn(value)) {
      const domain = namedDomain(named);
      if (domain === undefined || domains.has(domain)) continue;
      if (domains.size === namedDomainsMax) return { domains: [...domains], areAll: false };
      domains.add(domain);
    }
  }
  return { domains: [...domains], areAll: true };
}

function* namedIn(value: string): Generator<string> {
  for (const token of readAddressTokens(value, addressesReadMax))
    if (token.kind === "mailbox" && token.domain !== undefined) yield decodeUnlabelled(token.domain);
  for (const text of [decodeUnlabelled(value), decodeWords(value)])
    for (const [, domain] of text.matchAll(/[@\uff20\ufe6b]([^\s@<>,;:()"[\]\\]{1,1000})/gu)) yield domain!;
}

/** The text without invisible characters and without characters that a DNS name cannot have. */
function namedDomain(text: string): string | undefined {
  const shown = text.normalize("NFKC").replace(/[\p{Cc}\p{Cf}\p{Cn}\s]/gu, "");
  const labels = trimEnd(shown, ".").split(".").slice(-namedLabelsMax);
  for (; labels.length > 1; labels.shift()) {
    const domain = parseDomain(labels.join("."));
    if (domain !== undefined) return domain;
  }
  return undefined;
}

const namedLabelsMax = 10;

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
