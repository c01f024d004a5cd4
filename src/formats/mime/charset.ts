/** Text from bytes in any charset that mail carries. Names are looked up in maps only, and what is unknown is read as
 *  well as can be: it never throws. */
import { type Buffer, isAscii } from "node:buffer";
import iconv from "iconv-lite";
import { asBuffer, decodeUnlabelledBytes } from "./octets.ts";

type Decode = (bytes: Buffer) => string;

/** What the WHATWG names lack or mean differently in mail. */
const aliases = new Map([
  ["cp932", "shift_jis"],
  ["ms932", "shift_jis"],
  ["cp936", "gbk"],
  ["ms936", "gbk"],
  ["cp949", "euc-kr"],
  ["ms949", "euc-kr"],
  ["uhc", "euc-kr"],
  ["cp950", "big5"],
  ["ms950", "big5"],
  ["cp874", "windows-874"],
  ["euc-cn", "gbk"],
  ["euccn", "gbk"],
  ["eucjp", "euc-jp"],
  ["euckr", "euc-kr"],
  ["sjis", "shift_jis"],
  ["utf8mb4", "utf-8"],
  ["cp65001", "utf-8"],
  ["iso-2022-jp-1", "iso-2022-jp"],
  ["iso-2022-jp-2", "iso-2022-jp"],
  ["cp50220", "iso-2022-jp"],
  ["cp50221", "iso-2022-jp"],
  ["iso-8859-8-i", "iso-8859-8"],
  ["latin-1", "windows-1252"],
  ["latin9", "iso-8859-15"],
  ["mac-roman", "macintosh"],
  ["macroman", "macintosh"],
]);

/** Charsets outside the WHATWG list, and what iconv-lite calls them. */
const iconvNames = new Map([
  ["utf-7", "utf7"],
  ["utf7", "utf7"],
  ["unicode-1-1-utf-7", "utf7"],
  ["utf-16", "utf16"],
  ["utf16", "utf16"],
  ["utf-32", "utf32"],
  ["utf32", "utf32"],
  ["utf-32le", "utf32le"],
  ["utf-32be", "utf32be"],
  ["viscii", "viscii"],
  ["tcvn", "tcvn"],
  ["hp-roman8", "hproman8"],
  ["koi8-t", "koi8t"],
  ["armscii-8", "armscii8"],
  ["georgian-ps", "georgianps"],
  ...[
    "437",
    "720",
    "737",
    "775",
    "850",
    "852",
    "855",
    "856",
    "857",
    "858",
    "860",
    "861",
    "862",
    "863",
    "864",
    "865",
    "869",
  ].flatMap((page): [string, string][] => [
    [`cp${page}`, `cp${page}`],
    [`ibm${page}`, `cp${page}`],
    [`cp-${page}`, `cp${page}`],
  ]),
]);

/** Names that say nothing about the bytes: what mail without a charset is, and what the WHATWG maps to itself alone. */
const unlabelled = new Set([
  "",
  "us-ascii",
  "ascii",
  "ansi_x3.4-1968",
  "7bit",
  "8bit",
  "unknown-8bit",
  "x-unknown",
  "x-user-defined",
]);

/** Filled with names that decode, of which there are a few hundred. */
const decoders = new Map<string, Decode>();

export function decodeCharset(bytes: Uint8Array, charset: string | undefined): string {
  const buffer = asBuffer(bytes);
  const name = normalName(charset);
  if (name === "utf-8" || name === "utf8") return decodeUtf8(buffer);
  return findDecoder(name)(buffer);
}

/** Whether text in this charset can be decoded as it says of itself. */
export function isKnownCharset(charset: string): boolean {
  const name = normalName(charset);
  return unlabelled.has(name) || findDecoder(name) !== decodeUnlabelledBytes;
}

function normalName(charset: string | undefined): string {
  if (charset === undefined) return "";
  // Longer than any name there is; a charset is a parameter that a stranger wrote.
  return charset.length > 60
    ? "?"
    : charset
        .trim()
        .toLowerCase()
        .replace(/^["']+|["']+$/g, "");
}

function findDecoder(name: string): Decode {
  const known = decoders.get(name);
  if (known !== undefined) return known;
  const decoder = createDecoder(name);
  if (decoder !== decodeUnlabelledBytes) decoders.set(name, decoder);
  return decoder;
}

function createDecoder(name: string): Decode {
  if (unlabelled.has(name)) return decodeUnlabelledBytes;
  if (name === "utf-8" || name === "utf8") return decodeUtf8;
  const iconvName = iconvNames.get(name);
  if (iconvName !== undefined) return (bytes) => iconv.decode(bytes, iconvName);
  const decoder =
    textDecoder(aliases.get(name) ?? name) ?? textDecoder(name.replace(/^x-/, "").replaceAll("_", "-"));
  return decoder === undefined ? decodeUnlabelledBytes : (bytes) => decoder.decode(bytes);
}

function textDecoder(label: string): TextDecoder | undefined {
  try {
    return new TextDecoder(label);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const utf8 = new TextDecoder("utf-8");

function decodeUtf8(bytes: Buffer): string {
  return isAscii(bytes) ? bytes.toString("latin1") : utf8.decode(bytes);
}
