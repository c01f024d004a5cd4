/** Names of charsets, as mail spells them. They are compared without case, punctuation and a leading "x": "X-SJIS",
 *  "x_sjis" and "sjis" are one name, and so are "ISO_8859-1:1987" and "iso-8859-1". They are only looked up in a map. */

/** How a charset is decoded: a label of `TextDecoder` (the WHATWG encodings), or a name of iconv-lite for the others. */
export interface Charset {
  readonly library: "whatwg" | "iconv";
  readonly label: string;
}

/** The label for the decoder, and the other names of the charset. */
const whatwgNames: readonly (readonly [label: string, ...names: string[]])[] = [
  ["utf-8", "utf8", "unicode11utf8", "utf8mb4", "cp65001"],
  ["ibm866", "866", "cp866", "csibm866"],
  ["iso-8859-2", "latin2", "l2", "isoir101", "csisolatin2", "iso885921987", "cp28592"],
  ["iso-8859-3", "latin3", "l3", "isoir109", "csisolatin3", "iso885931988"],
  ["iso-8859-4", "latin4", "l4", "isoir110", "csisolatin4", "iso885941988"],
  ["iso-8859-5", "cyrillic", "isoir144", "csisolatincyrillic", "iso885951988"],
  [
    "iso-8859-6",
    "arabic",
    "isoir127",
    "csisolatinarabic",
    "asmo708",
    "ecma114",
    "iso88596e",
    "iso88596i",
    "iso885961987",
  ],
  ["iso-8859-7", "greek", "greek8", "isoir126", "csisolatingreek", "ecma118", "elot928", "iso885971987"],
  ["iso-8859-8", "hebrew", "visual", "isoir138", "csisolatinhebrew", "iso88598e", "iso885981988"],
  ["iso-8859-8-i", "logical", "csiso88598i"],
  ["iso-8859-10", "latin6", "l6", "isoir157", "csisolatin6"],
  ["iso-8859-13", "latin7"],
  ["iso-8859-14", "latin8"],
  ["iso-8859-15", "latin9", "l9", "latin0", "csisolatin9"],
  ["iso-8859-16", "latin10"],
  ["koi8-r", "koi", "koi8", "cskoi8r", "cp20866"],
  ["koi8-u", "koi8ru", "cp21866"],
  ["macintosh", "mac", "macroman", "csmacintosh"],
  ["x-mac-cyrillic", "maccyrillic", "macukrainian"],
  ["windows-874", "dos874", "cp874", "tis620", "iso885911"],
  ["windows-1250", "cp1250", "win1250", "ms1250"],
  ["windows-1251", "cp1251", "win1251", "ms1251", "cswindows1251"],
  [
    "windows-1252",
    ...[
      "cp1252",
      "win1252",
      "ms1252",
      "ansi",
      "iso88591",
      "iso885911987",
      "latin1",
      "l1",
      "isoir100",
      "csisolatin1",
      "cp819",
      "ibm819",
    ],
  ],
  ["windows-1253", "cp1253", "win1253"],
  ["windows-1254", "cp1254", "win1254", "iso88599", "iso885991989", "latin5", "l5", "csisolatin5"],
  ["windows-1255", "cp1255", "win1255"],
  ["windows-1256", "cp1256", "win1256"],
  ["windows-1257", "cp1257", "win1257"],
  ["windows-1258", "cp1258", "win1258"],
  ["gbk", "gb2312", "gb231280", "cp936", "ms936", "euccn", "chinese", "csgb2312", "isoir58", "cngb"],
  ["gb18030", "gb180302000", "cp54936"],
  ["big5", "big5hkscs", "cnbig5", "csbig5", "cp950", "ms950", "big5eten"],
  ["euc-jp", "ujis", "cseucpkdfmtjapanese", "cp51932"],
  [
    "iso-2022-jp",
    "csiso2022jp",
    "iso2022jp1",
    "iso2022jp2",
    "iso2022jpms",
    "cp50220",
    "cp50221",
    "cp50222",
    "jis",
  ],
  ["shift_jis", "sjis", "mskanji", "csshiftjis", "windows31j", "cswindows31j", "cp932", "ms932", "sjiswin"],
  [
    "euc-kr",
    "ksc56011987",
    "ksc5601",
    "ksc56011989",
    "kscode",
    "korean",
    "cp949",
    "ms949",
    "uhc",
    "windows949",
    "cseuckr",
    "isoir149",
  ],
  ["utf-16le", "ucs2", "iso10646ucs2", "csunicode", "unicode"],
  ["utf-16be", "unicodefffe"],
];

const iconvNames: readonly (readonly [label: string, ...names: string[]])[] = [
  // Without a byte order mark the decoder guesses the byte order from the text.
  ["utf16", "utf-16"],
  ["utf7", "unicode11utf7", "cp65000"],
  ["utf32", "ucs4", "iso10646ucs4"],
  ["utf32le"],
  ["utf32be"],
  ["viscii", "csviscii"],
  ["tcvn", "tcvn5712"],
  ["hproman8", "roman8"],
  ["koi8t"],
  ["armscii8"],
  ["georgianps"],
  ...[437, 720, 737, 775, 850, 852, 855, 856, 857, 858, 860, 861, 862, 863, 864, 865, 869].map(
    (page) => [`cp${page}`, `ibm${page}`, `dos${page}`, `cspc${page}`, `${page}`] as const,
  ),
];

/** Names that say nothing about octets beyond ASCII. */
const unlabelledNames = [
  "",
  "usascii",
  "ascii",
  "ansix341968",
  "isoir6",
  "iso646us",
  "7bit",
  "8bit",
  "unknown",
  "unknown8bit",
  "userdefined",
  "default",
];

const charsets = new Map<string, Charset>();
for (const [label, ...names] of whatwgNames)
  for (const name of [label, ...names]) charsets.set(charsetKey(name), { library: "whatwg", label });
for (const [label, ...names] of iconvNames)
  for (const name of [label, ...names]) charsets.set(charsetKey(name), { library: "iconv", label });
const unlabelled = new Set(unlabelledNames);

const charsetNameLengthMax = 60;

/** undefined for an unknown name; "unlabelled" for a name that means plain ASCII or an unknown charset. */
export function findCharset(name: string | undefined): Charset | "unlabelled" | undefined {
  if (name === undefined) return "unlabelled";
  if (name.length > charsetNameLengthMax) return undefined;
  const key = charsetKey(name);
  return charsets.get(key) ?? (unlabelled.has(key) ? "unlabelled" : undefined);
}

function charsetKey(name: string): string {
  return name.toLowerCase().replace(/^\s*x-|[^a-z0-9]+/g, "");
}
