/** The field Authentication-Results (RFC 8601). The server puts its own on top of a message. Fields of others with the name of this
 *  server are removed before anybody reads them (section 5), and so are ARC-Authentication-Results (RFC 8617 section 4.1.1).
 *
 *  field = "Authentication-Results:" [CFWS] authserv-id [ CFWS authres-version ] *( ";" resinfo )
 *  arc field = "ARC-Authentication-Results:" [CFWS] "i" "=" instance ";" and the same */
import { parseDomain } from "#/src/accounts/address.ts";
import { readHeaderFields } from "#/src/formats/mime/header.ts";
import { decodeUnlabelled } from "#/src/formats/mime/octets.ts";
import { headerBlockBytesMax } from "#/src/model/limits.ts";
import type { Checks } from "./checks.ts";
import { imitatesAnother } from "./homographs.ts";

const fieldNames = ["authentication-results", "arc-authentication-results"];

/** The bytes without the fields that claim one of `names`, and without those whose claim cannot be read; the same bytes, and
 *  no copy, where there is none. */
export function withoutForgedResults(bytes: Uint8Array, names: readonly string[]): Uint8Array {
  const forged = readHeaderFields(bytes, "a", headerBlockBytesMax).filter(
    ({ name, value }) => fieldNames.includes(name) && isForged(value, names),
  );
  if (forged.length === 0) return bytes;
  const pieces: Uint8Array[] = [];
  let at = 0;
  for (const field of forged) {
    pieces.push(bytes.subarray(at, field.start));
    at = field.end;
  }
  pieces.push(bytes.subarray(at));
  return Buffer.concat(pieces);
}

/** Readers differ in what they pass over in front of, inside of and behind the name. So everything that one of them may
 *  pass over is taken away before it is compared. */
function isForged(value: string, names: readonly string[]): boolean {
  const [first = "", second = ""] = readHeads(value);
  const claim = /^i=\d*$/.test(first) ? second : first;
  if (claim === "") return true;
  // A name beyond ASCII may be an internationalized domain (RFC 8601 section 2.2).
  const id = /^[\x21-\x7e]+$/.test(claim) ? claim : parseDomain(claim);
  if (id === undefined || imitatesAnother(id)) return true;
  return names.some((name) => isSameName(id, name));
}

/** Behind the name may stand a final dot, a version, or what is no letter of a name. */
function isSameName(claim: string, name: string): boolean {
  const own = name.toLowerCase().replace(/\.$/, "");
  return claim.startsWith(own) && /^(?:\.?$|\.?\d+$|\.?[^a-z0-9._-])/.test(claim.slice(own.length));
}

/** What stands before the first and the second semicolon, in lower case, without comments, quotes, and whatever is not seen. */
function readHeads(value: string): readonly string[] {
  const heads: string[] = [];
  let head = "";
  let depth = 0;
  let isQuoted = false;
  for (let at = 0; at < value.length && heads.length < 2; at++) {
    const character = value[at]!;
    if (character === "\\") {
      at++;
      if (depth === 0) head += value[at] ?? "";
    } else if (depth === 0 && character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && character === "(") depth++;
    else if (!isQuoted && character === ")" && depth > 0) depth--;
    else if (depth > 0) continue;
    else if (!isQuoted && character === ";") {
      heads.push(seen(head));
      head = "";
    } else head += character;
  }
  // Readers differ in how they read a quoted string or a comment that does not end.
  return isQuoted || depth > 0 ? [...heads, ""] : [...heads, seen(head)];
}

function seen(octets: string): string {
  return decodeUnlabelled(octets)
    .normalize("NFKC")
    .replace(/[\p{C}\p{Z}\p{M}\s]/gu, "")
    .toLowerCase();
}

/** The field with its line end. Every value is a result word or a domain, so none can break out of it. */
export function formatAuthenticationResults(authservId: string, checks: Checks): string {
  const { spf, dkim, dmarc, arc, iprev } = checks;
  const results = [
    spf && `spf=${spf.result}${property("smtp.mailfrom", spf.domain)}`,
    ...(dkim ?? []).map(
      (one) => `dkim=${one.result}${property("header.d", one.domain)}${property("header.s", one.selector)}`,
    ),
    dmarc && `dmarc=${dmarc.result}${property("header.from", dmarc.domain)}`,
    arc && `arc=${arc.result}`,
    iprev && `iprev=${iprev.result}${property("policy.iprev", iprev.address)}`,
  ].filter((result) => result !== undefined);
  return `Authentication-Results: ${[authservId, ...(results.length === 0 ? ["none"] : results)].join(";\r\n\t")}\r\n`;
}

/** RFC 8601 section 2.2: pvalue, here a domain, a selector or an address. */
function property(name: string, value: string | undefined): string {
  if (value === undefined || !/^[\w.:-]{1,253}$/.test(value)) return "";
  return ` ${name}=${value.includes(":") ? `"${value}"` : value}`;
}
