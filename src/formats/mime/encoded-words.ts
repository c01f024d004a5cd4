/** Encoded words (RFC 2047; language RFC 2231 section 5).
 *  encoded-word = "=?" charset ["*" language] "?" encoding "?" encoded-text "?="
 *  White space between two encoded words is not shown (section 6.2). Adjacent words in one charset are decoded
 *  together, because clients split characters although section 5 forbids it. Spaces inside a Q word are accepted. */
import { Buffer } from "node:buffer";
import { noteReading } from "#/src/model/foreign-text.ts";
import { mainBytesMax } from "#/src/model/limits.ts";
import { decodeCharset } from "./charset.ts";
import { decodeUnlabelled, octetBytes, trimOctets, withoutControls } from "./octets.ts";

/** The same of the beginning that the main thread may read: of a name to show. */
export function decodeName(octets: string): string {
  return decodeWords(octets.slice(0, mainBytesMax));
}

/** Text of an unstructured field body or phrase given as an octet string. Control characters become spaces. */
export function decodeWords(octets: string): string {
  noteReading("words", octets.length);
  if (!octets.includes("=?")) return withoutControls(decodeUnlabelled(octets));
  const text: string[] = [];
  let wordOctets: string[] = [];
  let wordCharset = "";
  let plainStart = 0;
  let at = 0;
  let close = -1;
  const flushWords = (): void => {
    if (wordOctets.length > 0) text.push(decodeCharset(octetBytes(wordOctets.join("")), wordCharset));
    wordOctets = [];
  };
  for (;;) {
    const open = octets.indexOf("=?", at);
    if (open === -1) break;
    const word = readWordHead(octets, open);
    if (word === undefined) {
      at = open + 2;
      continue;
    }
    if (close < word.textStart) close = octets.indexOf("?=", word.textStart);
    if (close === -1) break;
    const encoded = octets.slice(word.textStart, close);
    if (encoded.includes("=?") || (word.isBase64 && encoded.includes(" "))) {
      at = open + 2;
      continue;
    }
    const between = octets.slice(plainStart, open);
    const isNeighbour = wordOctets.length > 0 && trimOctets(between) === "";
    if (!isNeighbour || word.charset !== wordCharset) flushWords();
    if (!isNeighbour) text.push(decodeUnlabelled(between));
    wordCharset = word.charset;
    wordOctets.push(word.isBase64 ? Buffer.from(encoded, "base64").toString("latin1") : decodeQ(encoded));
    at = plainStart = close + 2;
  }
  flushWords();
  text.push(decodeUnlabelled(octets.slice(plainStart)));
  return withoutControls(text.join(""));
}

const charsetLengthMax = 80;

function readWordHead(
  octets: string,
  open: number,
): { charset: string; isBase64: boolean; textStart: number } | undefined {
  let at = open + 2;
  const charsetEnd = Math.min(octets.length, at + charsetLengthMax);
  while (at < charsetEnd && isCharsetCharacter(octets.charCodeAt(at))) at++;
  if (at === open + 2 || octets[at] !== "?" || octets[at + 2] !== "?") return undefined;
  const encoding = octets[at + 1]!;
  const isBase64 = encoding === "B" || encoding === "b";
  if (!isBase64 && encoding !== "Q" && encoding !== "q") return undefined;
  const name = octets.slice(open + 2, at).toLowerCase();
  const star = name.indexOf("*");
  return { charset: star === -1 ? name : name.slice(0, star), isBase64, textStart: at + 3 };
}

function isCharsetCharacter(code: number): boolean {
  return code > 32 && code < 127 && code !== 63;
}

/** RFC 2047 section 4.2. */
function decodeQ(encoded: string): string {
  return encoded
    .replaceAll("_", " ")
    .replace(/=([0-9A-Fa-f]{2})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}
