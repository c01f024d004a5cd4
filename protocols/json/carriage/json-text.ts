/** JSON text (RFC 8259) of a request. Dangerous input is found before the value is used: the depth is counted on the bytes, and a
 *  duplicate member is refused, since the checked value must be the one that is used, and so are `__proto__`, and numbers without a value. */

import { nextTurn } from "#/src/fairness/loop-turns.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { jsonShape } from "#/src/model/json-depth.ts";
import { jsonBodyBytesMax, jsonDepthMax, jsonMembersMax, jsonValuesMax } from "#/src/model/limits.ts";
import { jsonPointer } from "./json-pointer.ts";
import { type DecodedData, noDecodedData, takeLargeData } from "./large-data.ts";

/** How many copies of a body are in memory until it is answered: its octets, their text, its values, and what is made of them. */
const bodyCopies = 4;

/** The same for bodies that may be larger: their data is decoded in place, and in memory once more as it is stored. */
const largeBodyCopies = 3;

export function copiesOf(limitBytes: number): number {
  return limitBytes > jsonBodyBytesMax ? largeBodyCopies : bodyCopies;
}

/** Parsing a smaller body takes no longer than the other steps of a request. */
const quickBytes = 16 * 1024;

export interface JsonInput {
  readonly value: unknown;
  /** The decoded large base64 strings of the body. */
  readonly decoded: DecodedData;
}

/** The value of a body of any size, in the caller's turn of the event loop. In a large body the strings `data` are decoded in the body's
 *  memory, so that memory must not be given back before they were used. The rest of the body may have the usual size, unless another
 *  limit is given. */
export async function readJson(
  body: Buffer<ArrayBuffer>,
  restBytesMax = jsonBodyBytesMax,
): Promise<JsonInput> {
  const { json, decoded } =
    body.length > jsonBodyBytesMax
      ? await takeLargeData(body, restBytesMax)
      : { json: body, decoded: noDecodedData };
  if (json.length > quickBytes) await nextTurn();
  return { value: parseJson(json), decoded };
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The value of a body, or of what has another name where it was given; an empty one is an empty object. */
export function parseJson(bytes: Uint8Array, name = "body"): unknown {
  const { depth, values, members } = jsonShape(bytes, jsonValuesMax);
  if (depth > jsonDepthMax)
    throw invalid(`The ${name} is nested deeper than ${jsonDepthMax} levels.`, "Send a flatter object.");
  if (values > jsonValuesMax)
    throw invalid(`The ${name} has more than ${jsonValuesMax} values.`, "Send less in one request.");
  if (members > jsonMembersMax)
    throw invalid(
      `An object in the ${name} has more than ${jsonMembersMax} members.`,
      "Send less in one request.",
    );
  const text = decodeUtf8(bytes, name);
  if (text.trim() === "") return {};
  const value = parse(text, name);
  assertNamesAndNumbers(text, name);
  return value;
}

function decodeUtf8(bytes: Uint8Array, name: string): string {
  try {
    return utf8.decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) throw invalid(`The ${name} is not UTF-8.`, "Send JSON in UTF-8.");
    throw error;
  }
}

function parse(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw invalid(`The ${name} is not JSON.`, "Send one JSON object.");
    throw error;
  }
}

/** A number of so many characters is finite: 1e99. */
const shortNumber = 4;

interface Level {
  /** Names seen; undefined in an array. */
  readonly names: Set<string> | undefined;
  last: string;
  index: number;
}

/** Scans text that is known to be JSON. Strings are skipped by searching their end quote: one may be as long as the body. */
function assertNamesAndNumbers(text: string, name: string): void {
  const levels: Level[] = [];
  const tokens = /["[\]{},]|-?\d[\d.eE+-]*/g;
  const refuse = (message: string, hint: string): WaypostError => {
    const field = jsonPointer(levels.map((one) => (one.names === undefined ? one.index : one.last)));
    return new WaypostError("invalid", message, { field, hint });
  };
  for (let match = tokens.exec(text); match !== null; match = tokens.exec(text)) {
    const token = match[0];
    const level = levels.at(-1);
    if (token === "{" || token === "[")
      levels.push({ names: token === "{" ? new Set() : undefined, last: "", index: 0 });
    else if (token === "}" || token === "]") levels.pop();
    else if (token === ",") level!.index++;
    else if (token !== '"') {
      // It would be Infinity, which is null once it is written again.
      if (token.length > shortNumber && !Number.isFinite(Number(token)))
        throw refuse(`A number in the ${name} is larger than any that is kept.`, "Send a smaller number.");
    } else {
      const end = stringEnd(text, match.index);
      tokens.lastIndex = end;
      if (level?.names === undefined || !isName(text, end)) continue;
      level.last = JSON.parse(text.slice(match.index, end)) as string;
      if (level.names.has(level.last))
        throw refuse("An object has the same member twice.", "Send each member once.");
      // Schemas pass over it, so what it says would be used unchecked.
      if (level.last === "__proto__")
        throw refuse("No object has a member of the name __proto__.", "Leave it out.");
      level.names.add(level.last);
    }
  }
}

const quote = 34;
const backslash = 92;

/** The position after a string's closing quote, which is the first quote without an escape. */
function stringEnd(text: string, begin: number): number {
  const first = text.indexOf('"', begin + 1);
  if (text.charCodeAt(first - 1) !== backslash) return first + 1;
  // If one quote has a backslash before it, many may.
  for (let at = begin + 1; ; at++) {
    const code = text.charCodeAt(at);
    if (code === backslash) at++;
    else if (code === quote) return at + 1;
  }
}

/** A string in an object is a name when a colon follows it. */
function isName(text: string, from: number): boolean {
  let at = from;
  while (isWhiteSpace(text.charCodeAt(at))) at++;
  return text[at] === ":";
}

function isWhiteSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}

function invalid(message: string, hint: string): WaypostError {
  return new WaypostError("invalid", message, { field: "", hint });
}
