/** DKIM signatures (RFC 6376; Ed25519 by RFC 8463), relaxed/relaxed, SHA-256.
 *
 *  Each signature covers every instance of the fields below, from the last to the first (section 5.4.2). Fields that mail programs
 *  show are named once more than there are, so that adding one on the way breaks the signature (section 8.15).
 *  The bytes have CRLF line ends, as they are sent. */

import { createHash, createPrivateKey, type KeyObject, sign as signBytes } from "node:crypto";
import { pipeline } from "node:stream/promises";
import RelaxedBody from "nodemailer/lib/dkim/relaxed-body.js";
import { LoopTurns } from "#/src/fairness/loop-turns.ts";
import { readHeaderFields } from "#/src/formats/mime/header.ts";
import { bodyOffset } from "#/src/formats/mime/line-ends.ts";
import { octetString } from "#/src/formats/mime/octets.ts";
import { headerBlock, readApart } from "#/src/mail/header-reading.ts";

export interface SigningKey {
  readonly domain: string;
  readonly selector: string;
  readonly algorithm: SigningAlgorithm;
  readonly privateKey: KeyObject;
}

export const signingAlgorithms = ["rsa", "ed25519"] as const;
export type SigningAlgorithm = (typeof signingAlgorithms)[number];

export function readPrivateKey(pem: string): KeyObject {
  return createPrivateKey(pem);
}

/** Fields that are signed and named once more, so that nobody can add one. */
const sealedFields = [
  "from",
  "reply-to",
  "to",
  "cc",
  "subject",
  "date",
  "message-id",
  "in-reply-to",
  "references",
  "mime-version",
  "content-type",
  "content-transfer-encoding",
];
/** Fields that are signed if they exist; a mailing list may add its own. */
const signedFields = [
  "sender",
  "auto-submitted",
  "resent-date",
  "resent-from",
  "resent-sender",
  "resent-to",
  "resent-cc",
  "resent-message-id",
  "list-id",
  "list-help",
  "list-unsubscribe",
  "list-unsubscribe-post",
  "list-subscribe",
  "list-post",
  "list-owner",
  "list-archive",
];
/** Instances of one field that are signed; honest mail has fewer. */
const instancesMax = 100;
const sliceBytes = 64 * 1024;
const lineCharacters = 76;

/** The DKIM-Signature fields, one for each key, to put before the message. `at`: milliseconds since 1970. */
export async function signMessage(
  message: Uint8Array,
  keys: readonly SigningKey[],
  at: number,
): Promise<string> {
  const bodyHash = await hashBody(message.subarray(bodyOffset(message)));
  const { names, lines } = await readApart("signed", headerBlock(message), selectSigned);
  const signatures = await Promise.all(
    keys.map(async (key) => {
      const unsigned = formatUnsigned(key, names, bodyHash, at);
      const data = `${lines}${relaxField("dkim-signature", unsigned.slice(unsigned.indexOf(":") + 1))}`;
      return `${unsigned}${foldBase64(await signData(key, Buffer.from(data, "latin1")))}\r\n`;
    }),
  );
  return signatures.join("");
}

/** The body hash (section 3.4.4), computed in slices so that other work runs between them. */
async function hashBody(body: Uint8Array): Promise<string> {
  const relaxed = new RelaxedBody({ hashAlgo: "sha256" });
  const { promise, resolve } = Promise.withResolvers<string>();
  relaxed.once("hash", resolve).resume();
  // A caller that goes ends the slices with an error.
  await pipeline(slicesInTurns(body), relaxed);
  return promise;
}

async function* slicesInTurns(bytes: Uint8Array): AsyncIterable<Buffer> {
  const turns = new LoopTurns();
  for (const slice of slices(bytes)) {
    await turns.turn();
    yield slice;
  }
}

export function* slices(bytes: Uint8Array): Iterable<Buffer> {
  for (let at = 0; at < bytes.length; at += sliceBytes) {
    const end = Math.min(bytes.length, at + sliceBytes);
    yield Buffer.from(bytes.buffer, bytes.byteOffset + at, end - at);
  }
}

/** The fields of a header that are signed: their names, and what is signed of them. */
export function selectSigned(message: Uint8Array): { readonly names: string; readonly lines: string } {
  const fields = readHeaderFields(message);
  const names: string[] = [];
  let lines = "";
  for (const name of [...sealedFields, ...signedFields]) {
    const instances = fields.filter((field) => field.name === name).slice(-instancesMax);
    for (const { start, end } of instances.toReversed()) {
      const raw = octetString(message, start, end);
      lines += `${relaxField(name, raw.slice(raw.indexOf(":") + 1))}\r\n`;
      names.push(name);
    }
    if (sealedFields.includes(name)) names.push(name);
  }
  return { names: names.join(":"), lines };
}

/** A header field in relaxed form (section 3.4.2). */
function relaxField(name: string, value: string): string {
  const unfolded = value.replace(/\r\n/g, "").replace(/[ \t]+/g, " ");
  return `${name}:${unfolded.replace(/^ | $/g, "")}`;
}

function formatUnsigned(key: SigningKey, names: string, bodyHash: string, at: number): string {
  const tags = ["v=1", `a=${key.algorithm}-sha256`, "c=relaxed/relaxed", `t=${Math.floor(at / 1000)}`];
  const name = `d=${key.domain}; s=${key.selector}`;
  return `DKIM-Signature: ${tags.join("; ")};\r\n\t${name};\r\n\th=${foldNames(names)};\r\n\tbh=${bodyHash};\r\n\tb=`;
}

/** sig-h-tag: white space may stand around the colons (section 3.5). */
function foldNames(names: string): string {
  let text = "";
  let length = 3;
  for (const name of names.split(":")) {
    if (text !== "") {
      text += ":";
      length++;
    }
    if (length + name.length >= lineCharacters) {
      text += "\r\n\t ";
      length = 2;
    }
    text += name;
    length += name.length;
  }
  return text;
}

function foldBase64(base64: string): string {
  return (base64.match(/.{1,70}/g) ?? []).join("\r\n\t ");
}

/** RFC 8463 section 3: Ed25519 signs the hash of the data. */
function signData({ algorithm, privateKey }: SigningKey, data: Buffer): Promise<string> {
  const isEd25519 = algorithm === "ed25519";
  const input = isEd25519 ? createHash("sha256").update(data).digest() : data;
  return new Promise((resolve, reject) => {
    signBytes(isEd25519 ? null : "sha256", input, privateKey, (error, signature) => {
      if (error === null) resolve(signature.toString("base64"));
      else reject(error);
    });
  });
}
