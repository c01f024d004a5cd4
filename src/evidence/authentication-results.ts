/** Authentication-Results (RFC 8601): our own, which stands on top of what came in, and those of others that bear our name,
 *  which are taken out before anybody reads them (section 5).
 *
 *  field = "Authentication-Results:" [CFWS] authserv-id [ CFWS authres-version ] *( ";" resinfo ) */
import { readHeaderFields } from "#/src/formats/mime/header.ts";
import { headerBlockBytesMax } from "#/src/model/limits.ts";
import type { Checks } from "./checks.ts";

const fieldName = "authentication-results";

/** The bytes without the fields that claim one of `names`, and without those whose claim cannot be read; the same bytes, and
 *  no copy, where there is none. */
export function withoutForgedResults(bytes: Uint8Array, names: readonly string[]): Uint8Array {
  const forged = readHeaderFields(bytes, fieldName, headerBlockBytesMax).filter(
    ({ name, value }) => name === fieldName && isForged(value, names),
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

function isForged(value: string, names: readonly string[]): boolean {
  const id = authservId(value);
  return id === undefined || names.some((name) => isSameName(id, name));
}

function isSameName(left: string, right: string): boolean {
  return left.toLowerCase().replace(/\.$/, "") === right.toLowerCase().replace(/\.$/, "");
}

/** A token or a quoted string behind any comments; undefined for neither. */
function authservId(value: string): string | undefined {
  let at = 0;
  let depth = 0;
  for (; at < value.length; at++) {
    const character = value[at]!;
    if (depth > 0 && character === "\\") at++;
    else if (character === "(") depth++;
    else if (character === ")" && depth > 0) depth--;
    else if (depth === 0 && character !== " " && character !== "\t") break;
  }
  const rest = value.slice(at);
  const quoted = /^"((?:[^"\\]|\\.)*)"/.exec(rest)?.[1];
  if (quoted !== undefined) return quoted.replace(/\\(.)/g, "$1").trim();
  return /^[^\s;()<>@,:\\"/[\]?=]+/.exec(rest)?.[0];
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
