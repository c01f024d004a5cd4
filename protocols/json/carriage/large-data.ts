/** Bodies larger than those of most operations: they are large because of the base64 in their members `data`, which is decoded in
 *  place, piece by piece. So no string of that length is made, and other work runs between the pieces. */
import { createHash } from "node:crypto";
import { LoopTurns } from "#/src/fairness/loop-turns.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { closingQuote } from "#/src/model/json-depth.ts";
import { base64Form } from "./base64.ts";

/** The decoded octets, by the text that replaces them in the value. The text has the SHA-256 of the octets, so that the same request
 *  gives the same value. */
export type DecodedData = ReadonlyMap<string, Buffer>;

export const noDecodedData: DecodedData = new Map();

export interface LargeBody {
  /** The body with a short string in place of each decoded one. */
  readonly json: Buffer<ArrayBuffer>;
  readonly decoded: DecodedData;
}

const quote = 34;
const colon = 58;
const name = Buffer.from('"data"');
/** Shorter strings are not decoded here. */
const shortBytes = 64 * 1024;
/** Octets of base64 that are decoded at once; they take a quarter of a millisecond. */
const pieceBytes = 64 * 1024;
/** The longest escape of JSON is \u002b. */
const escapeBytes = 6;

/** Throws `invalid` for data that is not base64, and `too_large` if the rest of the body is over its limit. The decoded octets are in
 *  the memory of the body. */
export async function takeLargeData(body: Buffer<ArrayBuffer>, restBytesMax: number): Promise<LargeBody> {
  const turns = new LoopTurns();
  const decoded = new Map<string, Buffer>();
  const rest: Uint8Array[] = [];
  let restBytes = 0;
  const keep = (start: number, end: number): void => {
    restBytes += end - start;
    if (restBytes > restBytesMax) throw tooLarge(restBytesMax);
    rest.push(body.subarray(start, end));
  };
  let from = 0;
  for (let at = 0; ; ) {
    await turns.turn();
    const begin = body.indexOf(quote, at);
    if (begin === -1) break;
    const data = findData(body, begin);
    if (data === undefined) {
      at = stringEnd(body, begin, restBytesMax) + 1;
      if (at - from > restBytesMax) throw tooLarge(restBytesMax);
      continue;
    }
    const end = body.indexOf(quote, data);
    at = (end === -1 ? body.length : end) + 1;
    if (end - data < shortBytes) continue;
    const { sha256, octets } = await decode(body, data, end, turns);
    const standIn = `sha256:${sha256}`;
    decoded.set(standIn, octets);
    keep(from, data);
    rest.push(Buffer.from(standIn));
    from = end;
  }
  keep(from, body.length);
  return { json: Buffer.concat(rest), decoded };
}

/** If the member name `data` begins at `begin`: where its string begins, after the quote. */
function findData(body: Buffer, begin: number): number | undefined {
  if (!body.subarray(begin, begin + name.length).equals(name)) return undefined;
  const at = skipSpace(body, begin + name.length);
  if (body[at] !== colon) return undefined;
  const value = skipSpace(body, at + 1);
  return body[value] === quote ? value + 1 : undefined;
}

function skipSpace(body: Buffer, from: number): number {
  let at = from;
  while (at < body.length && isWhiteSpace(body[at]!)) at++;
  return at;
}

function isWhiteSpace(octet: number): boolean {
  return octet === 32 || (octet >= 9 && octet <= 13);
}

/** The end of a string that is not decoded. */
function stringEnd(body: Buffer, begin: number, lengthMax: number): number {
  const window = body.subarray(0, begin + lengthMax);
  const end = closingQuote(window, begin);
  if (end === window.length && window.length < body.length) throw tooLarge(lengthMax);
  return end;
}

async function decode(
  body: Buffer,
  begin: number,
  end: number,
  turns: LoopTurns,
): Promise<{ readonly sha256: string; readonly octets: Buffer }> {
  const hash = createHash("sha256");
  let written = begin;
  let carried = "";
  for (let at = begin; at < end; ) {
    const pieceEnd = pieceEndOf(body, at, end);
    const text = carried + unescaped(body.toString("latin1", at, pieceEnd));
    at = pieceEnd;
    const whole = at === end ? text.length : text.length - (text.length % 4);
    const base64 = text.slice(0, whole);
    carried = text.slice(whole);
    const octets = Buffer.from(base64, "base64");
    // Node skips characters that are not base64, and stops at padding, which is allowed only at the end.
    if (octets.toString("base64") !== base64 || (at < end && octets.length * 4 !== whole * 3))
      throw notBase64();
    hash.update(octets);
    written += octets.copy(body, written);
    await turns.turn();
  }
  return { sha256: hash.digest("hex"), octets: body.subarray(begin, written) };
}

/** The end of a piece, moved before an incomplete escape. */
function pieceEndOf(body: Buffer, at: number, end: number): number {
  const pieceEnd = Math.min(end, at + pieceBytes);
  if (pieceEnd === end) return end;
  const tail = pieceEnd - escapeBytes + 1;
  const inTail = body.subarray(tail, pieceEnd).lastIndexOf(backslash);
  return inTail === -1 ? pieceEnd : tail + inTail;
}

const backslash = "\\";

/** Undoes escapes: some programs escape "/" and "+". */
function unescaped(text: string): string {
  if (!text.includes(backslash)) return text;
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch (error) {
    if (error instanceof SyntaxError) throw notBase64();
    throw error;
  }
}

function notBase64(): WaypostError {
  return new WaypostError("invalid", "The data is not base64.", { field: "/data", hint: base64Form });
}

function tooLarge(limitBytes: number): WaypostError {
  return new WaypostError("invalid", `The request body without its data is over ${limitBytes} bytes.`, {
    reason: "too_large",
    field: "",
    hint: "Send less in one request; the limits are in catalog.describe.",
  });
}
