/** A record of DKIM counts by what it does: a message that is signed with the key is verified against it, as receivers do. */
import type { DnsRecord } from "#/src/accounts/dns-records.ts";
import { checkSignatures } from "#/src/evidence/signatures.ts";
import { readHeaderFields } from "#/src/formats/mime/header.ts";
import { headerBlockBytesMax } from "#/src/model/limits.ts";
import { readPrivateKey, type SigningAlgorithm, signMessage } from "#/src/outbound/dkim/sign.ts";
import { ok, remark, type Verdict, wrong } from "./finding.ts";
import { type RecordPlace, tagOf } from "./place.ts";

const stringCharactersMax = 255;

export async function judgeDkim(
  found: readonly string[],
  { name, value }: DnsRecord,
  place: RecordPlace,
): Promise<Verdict> {
  if (found.length > 1) return wrong("There are several keys at this name.");
  const [text] = found as [string];
  const shown = tagOf(text, "p") ?? "";
  const own = tagOf(value, "p")!;
  if (shown !== own && own.startsWith(shown) && shown !== "")
    return wrong(
      `The key is cut: ${shown.length} of ${own.length} characters are there. A string of a TXT record has at most ${stringCharactersMax} characters, and the strings of one record are joined: publish them all in one record.`,
    );
  if (shown !== own) return wrong("It is another key. Signatures made here are not verified with it.");
  const kind = tagOf(text, "k") ?? "rsa";
  if (kind !== tagOf(value, "k"))
    return wrong(
      `It says k=${kind} of a key that is ${tagOf(value, "k")}: signatures by this key fail at every receiver.`,
    );
  const result = await verifyProbe(name, place);
  if (result !== undefined && result !== "pass")
    return wrong(`A message that was signed with this key gets "${result}" at receivers.`);
  const flags = (tagOf(text, "t") ?? "").split(":");
  if (flags.includes("y"))
    return remark("t=y: receivers treat a failed signature as none. Take it out when the tests are over.");
  return ok;
}

/** What receivers say of a signature by this key; undefined if the key is not known here. */
async function verifyProbe(name: string, place: RecordPlace): Promise<string | undefined> {
  const { domain, keys, now } = place;
  const key = keys.find(({ selector }) => name === `${selector}._domainkey.${domain}`);
  if (key === undefined) return undefined;
  const message = Buffer.from(
    `From: postmaster@${domain}\r\nTo: postmaster@${domain}\r\nSubject: A probe\r\nMessage-ID: <probe@${domain}>\r\n\r\nA probe.\r\n`,
  );
  const signing = {
    domain,
    selector: key.selector,
    algorithm: key.algorithm as SigningAlgorithm,
    privateKey: readPrivateKey(key.privateKey),
  };
  const signature = await signMessage(message, [signing], now);
  const bytes = Buffer.concat([Buffer.from(signature), message]);
  const fields = readHeaderFields(bytes, "", headerBlockBytesMax);
  const { dkim } = await checkSignatures(bytes, fields, () => true, place.resolve);
  return dkim[0]?.result ?? "none";
}
