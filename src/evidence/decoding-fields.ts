/** What a single field that says how a message is decoded can hide, if no signature covers it and anybody on the way may have put it on top.
 *
 *  A third of the signed mail of the corpora leaves one of these fields unsigned, so that alone says nothing. But a field that makes a
 *  signed text vanish (as preamble of a multipart, as an image, as octets that are no Base64, as a file) was not the signer's. */
import type { HeaderField } from "#/src/formats/mime/header.ts";
import { createPart } from "#/src/formats/mime/part-header.ts";

export const decodingFields = ["content-type", "content-transfer-encoding", "content-disposition"] as const;
type DecodingField = (typeof decodingFields)[number];

/** Octets of a preamble or of a body that are looked at. */
const lookedAtBytes = 64 * 1024;
/** Preambles of honest mail say that the message is in MIME format. */
const preambleCharactersMax = 200;
const textTypes = ["text/plain", "text/html", "text/calendar", "message/rfc822", "message/global"];
const asciiCharset = /^(?!utf-?(?:7|16|32)|ucs|unicode|csunicode)/i;

/** `uncovered`: names of decoding fields that are there and that no signature covers. */
export function hidesText(
  bytes: Uint8Array,
  fields: readonly HeaderField[],
  uncovered: readonly string[],
): boolean {
  const bodyStart = fields.at(-1)?.end ?? 0;
  const part = createPart(fields, 0, bodyStart, false);
  const body = Buffer.from(bytes.buffer, bytes.byteOffset + bodyStart, bytes.length - bodyStart);
  if (part.type === "multipart")
    return uncovered.includes("content-type") && hidesOutsideOfParts(body, part.parameters.boundary ?? "");
  const hiders = {
    "content-type": () =>
      (!textTypes.includes(`${part.type}/${part.subtype}`) && isText(part.encoding, body)) ||
      !asciiCharset.test(part.parameters.charset ?? "us-ascii"),
    "content-transfer-encoding": () => isUndecodable(part.encoding, body),
    "content-disposition": () => part.disposition !== undefined && part.disposition !== "inline",
  } satisfies Record<DecodingField, () => boolean>;
  return decodingFields.some((name) => uncovered.includes(name) && hiders[name]());
}

/** Text before the first delimiter, or after the last one. */
function hidesOutsideOfParts(body: Buffer, boundary: string): boolean {
  const first = body.indexOf(`--${boundary}`, 0, "latin1");
  if (boundary === "" || first === -1) return true;
  const last = body.lastIndexOf(`--${boundary}--`, -1, "latin1");
  const after = last === -1 ? body.subarray(body.length) : body.subarray(last + boundary.length + 4);
  return [body.subarray(0, first), after].some((outside) => letters(outside) > preambleCharactersMax);
}

function letters(octets: Buffer): number {
  return octets.subarray(0, lookedAtBytes).toString("latin1").replaceAll(/\s+/g, "").length;
}

function isUndecodable(encoding: string, body: Buffer): boolean {
  if (["7bit", "8bit", "binary", "quoted-printable"].includes(encoding)) return false;
  return (
    encoding !== "base64" || /[^A-Za-z0-9+/=\r\n]/.test(body.subarray(0, lookedAtBytes).toString("latin1"))
  );
}

/** Whether the body reads as text: nearly no octet of its beginning is a control. */
function isText(encoding: string, body: Buffer): boolean {
  const sent = body.subarray(0, 4096);
  const octets =
    encoding === "base64" && !isUndecodable(encoding, sent)
      ? Buffer.from(sent.toString("latin1"), "base64")
      : sent;
  const controls = octets.filter((octet) => octet < 32 && octet !== 9 && octet !== 10 && octet !== 13).length;
  return controls * 100 < octets.length;
}
