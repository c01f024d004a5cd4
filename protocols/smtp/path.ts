/** Reverse and forward paths (RFC 5321 section 4.1.2; RFC 6531 section 3.3 adds UTF-8).
 *
 *  Path        = "<" [ A-d-l ":" ] Mailbox ">"        a source route is read and ignored (appendix C)
 *  Mailbox     = Local-part "@" ( Domain / address-literal )
 *  Local-part  = Dot-string / Quoted-string
 *
 *  A forward path may also be <Postmaster> without a domain (section 4.1.1.3), a reverse path may be empty. */
import { isIPv4, isIPv6 } from "node:net";
import { domainBytesMax, pathBytesMax } from "./limits.ts";

export interface Path {
  /** The local part without quotes and backslashes. */
  readonly localPart: string;
  /** The domain as written; empty for <Postmaster>. */
  readonly domain: string;
  /** `local@domain`, with the local part quoted only if it must be; empty for the null reverse path. */
  readonly address: string;
  readonly isAscii: boolean;
}

const nullPath: Path = { localPart: "", domain: "", address: "", isAscii: true };

/** RFC 5322 `atext`, with the UTF-8 of RFC 6531. */
const dotString = /^[\w!#$%&'*+/=?^`{|}~\u0080-\u{10ffff}-]+(?:\.[\w!#$%&'*+/=?^`{|}~\u0080-\u{10ffff}-]+)*/u;
const label = /^[a-z0-9\u0080-\u{10ffff}](?:[a-z0-9_\u0080-\u{10ffff}-]*[a-z0-9\u0080-\u{10ffff}])?$/iu;
/** RFC 1035 section 2.3.4. The DNS form of a UTF-8 name is longer; a DNS look-up refuses it then. */
const labelMax = 63;
const sourceRoute = /^@[a-z0-9.:[\]-]+(?:,@[a-z0-9.:[\]-]+)*:/i;
// Control characters beyond ASCII, and invisible characters: an address with them looks like another one.
const unseen = /[\u0080-\u009f\u200b\u2028\u2029\u2060\ufeff\ufffe\uffff]/;
const beyondAscii = /[\u0080-\uffff]/;

/** Reads a path from the start of `text`; `rest` is the text behind it. undefined if there is no path. */
export function readPath(text: string): { path: Path; rest: string } | undefined {
  if (text[0] !== "<") return undefined;
  if (text[1] === ">") return { path: nullPath, rest: text.slice(2) };
  const route = sourceRoute.exec(text.slice(1))?.[0] ?? "";
  const local = readLocalPart(text.slice(1 + route.length));
  if (local === undefined) return undefined;
  let at = 1 + route.length + local.length;
  let domain = "";
  if (text[at] === "@") {
    const end = text.indexOf(">", at);
    if (end < 0) return undefined;
    domain = text.slice(at + 1, end);
    if (!isDomain(domain) && !isAddressLiteral(domain)) return undefined;
    at = end;
  } else if (local.localPart.toLowerCase() !== "postmaster") return undefined;
  if (text[at] !== ">") return undefined;
  const written = text.slice(0, at + 1);
  if (Buffer.byteLength(written) > pathBytesMax || unseen.test(written)) return undefined;
  const address = domain === "" ? local.localPart : `${formatLocalPart(local.localPart)}@${domain}`;
  const path = { localPart: local.localPart, domain, address, isAscii: !beyondAscii.test(written) };
  return { path, rest: text.slice(at + 1) };
}

function readLocalPart(text: string): { localPart: string; length: number } | undefined {
  if (text[0] !== '"') {
    const localPart = dotString.exec(text)?.[0];
    return localPart === undefined ? undefined : { localPart, length: localPart.length };
  }
  let localPart = "";
  for (let at = 1; at < text.length; at++) {
    let character = text[at]!;
    if (character === '"') return localPart === "" ? undefined : { localPart, length: at + 1 };
    if (character === "\\") character = text[++at] ?? "";
    if (character < " " || character === "\x7f") return undefined;
    localPart += character;
  }
  return undefined;
}

function formatLocalPart(localPart: string): string {
  if (dotString.exec(localPart)?.[0] === localPart) return localPart;
  return `"${localPart.replace(/["\\]/g, "\\$&")}"`;
}

function isDomain(text: string): boolean {
  if (text === "" || Buffer.byteLength(text) > domainBytesMax) return false;
  return text.split(".").every((part) => label.test(part) && part.length <= labelMax);
}

/** An address literal (RFC 5321 section 4.1.3). IPv6 is the only registered tag. */
function isAddressLiteral(text: string): boolean {
  if (text[0] !== "[" || !text.endsWith("]")) return false;
  const inner = text.slice(1, -1);
  return /^IPv6:/i.test(inner) ? isIPv6(inner.slice(5)) : isIPv4(inner);
}
