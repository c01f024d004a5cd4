/** What programs make of the octets of a text part, where they differ. Browsers take the charset of a byte order mark, whatever the header says
 *  (Encoding Standard, "decode"), and mail programs the one of the header. Old mail programs know UTF-7, and browsers show its octets as they are. */
import { decodeCharset } from "./charset.ts";
import { findCharset } from "./charset-names.ts";

const marks: readonly (readonly [charset: string, ...octets: number[]])[] = [
  ["utf-8", 0xef, 0xbb, 0xbf],
  ["utf-16be", 0xfe, 0xff],
  ["utf-16le", 0xff, 0xfe],
];

function markOf(bytes: Uint8Array): { readonly charset?: string; readonly length: number } {
  const [charset, ...octets] =
    marks.find(([, ...mark]) => mark.every((octet, at) => bytes[at] === octet)) ?? [];
  return { ...(charset === undefined ? {} : { charset }), length: octets.length };
}

/** The charset that a byte order mark at the beginning says. */
export function charsetOfMark(bytes: Uint8Array): string | undefined {
  return markOf(bytes).charset;
}

/** The text by this charset, and what other programs read in its place. */
export function readingsOf(bytes: Uint8Array, charset: string): readonly [string, ...string[]] {
  const found = findCharset(charset);
  const label = typeof found === "object" ? found.label : undefined;
  const mark = markOf(bytes);
  const isOther = mark.charset !== undefined && mark.charset !== label;
  const text = decodeCharset(isOther && label !== "utf16" ? bytes.subarray(mark.length) : bytes, charset);
  const others = [
    ...(isOther ? [decodeCharset(bytes, mark.charset)] : []),
    ...(label === "utf7" ? [decodeCharset(bytes, undefined)] : []),
  ];
  return [text, ...others.filter((other) => other !== text)];
}

/** The lines that all programs read alike, and how many passages of others stand between them. */
export function sharedLines([text, ...others]: readonly [string, ...string[]]): {
  readonly text: string;
  readonly leftOut: number;
} {
  const all = others.map((other) => other.split("\n"));
  const shared: string[] = [];
  let leftOut = 0;
  let isLeftOut = false;
  for (const [at, line] of text.split("\n").entries()) {
    const isShared = all.every((lines) => lines[at] === line);
    if (isShared) shared.push(line);
    else if (!isLeftOut) leftOut++;
    isLeftOut = !isShared;
  }
  return { text: shared.join("\n"), leftOut };
}
