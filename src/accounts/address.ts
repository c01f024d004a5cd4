/** The address of a mailbox (RFC 5321 section 4.1.2 `Mailbox`, RFC 6531 section 3.3), in the form that rows are keyed by.
 *
 *  Mailbox = ( Dot-string / Quoted-string ) "@" Domain
 *
 *  Normal form: the local part without quotes, in NFC and lower case (RFC 5321 section 2.4 leaves its case to the host that
 *  owns it: this one), the domain as lower-case A-labels. Address literals are refused: mail here belongs to domains. */
import { domainToASCII } from "node:url";
import { WaypostError } from "#/src/model/errors.ts";

export interface MailAddress {
  readonly localPart: string;
  /** A-labels, without a final dot. */
  readonly domain: string;
}

/** RFC 5321 section 4.5.3.1.1, in octets. */
const localPartBytesMax = 64;
/** RFC 1035 section 2.3.4 in text form. */
const domainBytesMax = 253;
/** RFC 5321 section 4.5.3.1.3 without its angle brackets. */
const addressBytesMax = 254;

/** atext of RFC 5322 section 3.2.3, with everything beyond ASCII (RFC 6532 section 3.2). */
const dotString =
  /^[\w!#$%&'*+/=?^`{|}~\u0080-\u{10ffff}-]+(?:\.[\w!#$%&'*+/=?^`{|}~\u0080-\u{10ffff}-]+)*$/u;
/** qtextSMTP and quoted-pairSMTP. */
const quotedString = /^"((?:[ !#-[\]-~\u0080-\u{10ffff}]|\\[ -~])*)"$/u;
/** Characters that a name must not have: control, format and unassigned characters, and lone surrogates. */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/u;
const asciiLabel = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** Labels that no step of domainToASCII changes, the last one with a letter first, so that it is no part of an IPv4 address. */
const usualDomain = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** The address in normal form, or undefined for text that is none. Linear in the text. */
export function parseAddress(text: string): MailAddress | undefined {
  if (text.length > addressBytesMax) return undefined;
  const at = text.lastIndexOf("@");
  const localPart = parseLocalPart(text.slice(0, Math.max(0, at)));
  const domain = parseDomain(text.slice(at + 1));
  return localPart === undefined || domain === undefined ? undefined : { localPart, domain };
}

/** As `parseAddress`, but throws `invalid` for text that is not an address. */
export function readAddress(text: string): MailAddress {
  const address = parseAddress(text);
  if (address === undefined)
    throw new WaypostError("invalid", `${JSON.stringify(text.slice(0, 300))} is no mail address.`, {
      hint: "An address is name@domain.",
    });
  return address;
}

/** The address as text, its local part quoted where the grammar wants it. */
export function formatAddress({ localPart, domain }: MailAddress): string {
  const isPlain = dotString.test(localPart);
  return `${isPlain ? localPart : `"${localPart.replace(/["\\]/g, "\\$&")}"`}@${domain}`;
}

function parseLocalPart(text: string): string | undefined {
  const content = dotString.test(text) ? text : quotedString.exec(text)?.[1]?.replace(/\\(.)/g, "$1");
  if (content === undefined || content === "" || unseen.test(content)) return undefined;
  const normal = content.normalize("NFC").toLowerCase();
  return Buffer.byteLength(normal) > localPartBytesMax ? undefined : normal;
}

/** A domain as A-labels, or undefined. A number as the last label is an IPv4 address in one of its spellings. */
export function parseDomain(text: string): string | undefined {
  // domainToASCII reads a host of a URL: it would take percent-encoding, so only letters, digits and hyphens go in.
  if (text.length > domainBytesMax || !/^[a-z0-9.\-\u0080-\u{10ffff}]+$/iu.test(text)) return undefined;
  if (usualDomain.test(text) && !text.includes("xn--")) return text;
  const ascii = domainToASCII(text);
  const labels = ascii.split(".");
  if (ascii.length > domainBytesMax || !labels.every((label) => asciiLabel.test(label))) return undefined;
  return /^[0-9]+$/.test(labels.at(-1)!) ? undefined : ascii;
}

/** Sub-addressing (RFC 5233): `name+tag` splits at the first plus sign that has a name before it. */
export function splitTag(localPart: string): { readonly name: string; readonly tag: string } | undefined {
  const plus = localPart.indexOf("+", 1);
  return plus < 0 ? undefined : { name: localPart.slice(0, plus), tag: localPart.slice(plus + 1) };
}
