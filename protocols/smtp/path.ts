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
  /** Without quotes and backslashes. */
  readonly localPart: string;
  /** As written; empty for <Postmaster>. */
  readonly domain: string;
  /** `local@domain`, the local part quoted only where it has to be; empty for the null reverse path. */
  readonly address: string;
  readonly isAscii: boolean;
}

const nullPath: Path = { localPart: "", domain: "", address: "", isAscii: true };

/** RFC 5322 `atext`, with the UTF-8 of RFC 6531. */
const dotString = /^[\w!#$%&'*+/=?^`{|}~\u0080-\u{10ffff}-]+(?:\.[\w!#$%&'*+/=?^`{|}~\u0080-\u{10ffff}-]+)*/u;
const label = /^[a-z0-9\u0080-\u{10ffff}](?:[a-z0-9_\u0080-\u{10ffff}-]*[a-z0-9\u0080-\u{10ffff}])?$/iu;
/** RFC 1035 section 2.3.4; of a name in UTF-8 the form on the wire is longer, which a look-up finds out. */
const labelMax = 63;
const sourceRoute = /^@[a-z0-9.:[\]-]+(?:,@[a-z0-9.:[\]-]+)*:/i;
// Controls beyond ASCII, and what is seen as nothing: an address with them is not the one that it looks like.
const unseen = /[\u0080-\u009f\u200b\u2028\u2029\u2060\ufeff\ufffe\uffff]/;
const beyondAscii = /[\u0080-\uffff]/;

/** Reads a path from the start of `text`; what it leaves is the rest of the command. Undefined for anything else. */
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

/** RFC 5321 section 4.1.3, without tags other than IPv6: no other is registered. */
function isAddressLiteral(text: string): boolean {
  if (text[0] !== "[" || !text.endsWith("]")) return false;
  const inner = text.slice(1, -1);
  return /^IPv6:/i.test(inner) ? isIPv6(inner.slice(5)) : isIPv4(inner);
}
