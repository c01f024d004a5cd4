/** What SEARCH and SORT have in common before their keys: RETURN options (RFC 4731 section 3.1, RFC 5182, RFC 5267 section
 *  4, RFC 6203 section 4, RFC 9394) and the charset.
 *  search-return-opt = "MIN" / "MAX" / "ALL" / "COUNT" / "SAVE" / "RELEVANCY" / "PARTIAL" SP partial-range / "UPDATE" /
 *                      "CONTEXT"; UPDATE may be followed by FETCH items (RFC 5465 section 7) */
import { decodeCharset, isKnownCharset } from "#/src/formats/mime/charset.ts";
import { bad, no } from "../errors.ts";
import { type FetchItem, readFetchItems } from "../fetch/items.ts";
import { decodeUtf8, type WireReader } from "../wire/wire-reader.ts";

/** CONTEXT is only a hint that the client will ask again. */
const searchReturnOptions = [
  "MIN",
  "MAX",
  "ALL",
  "COUNT",
  "SAVE",
  "RELEVANCY",
  "PARTIAL",
  "UPDATE",
  "CONTEXT",
] as const;
export type ReturnOption = (typeof searchReturnOptions)[number];

/** Positions in the result, from 1; negative ones count from its end. `first` is the position nearer to the end counted from. */
export interface PartialRange {
  readonly first: number;
  readonly last: number;
}

export interface SearchReturn {
  readonly options: readonly ReturnOption[];
  /** Present with PARTIAL. */
  readonly partial?: PartialRange | undefined;
  /** Present with UPDATE: FETCH items to send for a new message that comes into the result (RFC 5465 section 7). */
  readonly updateItems?: readonly FetchItem[];
}

/** Decodes the texts of search keys. */
export type Decode = (octets: string) => string;

/** A charset as the client named it. An unknown one makes the search fail when the command runs (RFC 9051 section 6.4.4.1); it is
 *  not refused when the command is read. */
export interface SearchCharset {
  readonly decode: Decode;
  readonly isKnown: boolean;
}

export const plainCharset: SearchCharset = { decode: decodeUtf8, isKnown: true };

/** "RETURN" SP "(" … ")" SP, if it is there. RETURN () is RETURN (ALL). */
export function tryReturnOptions(
  reader: WireReader,
  allowed: readonly ReturnOption[] = searchReturnOptions,
): SearchReturn | undefined {
  if (!reader.tryWord("RETURN")) return undefined;
  reader.space();
  let partial: PartialRange | undefined;
  let updateItems: readonly FetchItem[] | undefined;
  const options = reader.list(
    () => {
      const word = reader.word();
      const option = allowed.find((one) => one === word);
      if (option === undefined) throw bad("Unknown RETURN option");
      if (option === "PARTIAL") {
        if (partial !== undefined) throw bad("PARTIAL may be given only once");
        reader.space();
        partial = readPartialRange(reader);
      }
      // The grammar of RFC 5465 has no space here, its example has one.
      if (option === "UPDATE" && (reader.nextIs(" (") || reader.nextIs("("))) {
        reader.trySpace();
        updateItems = readFetchItems(reader);
      }
      return option;
    },
    { max: 20, allowEmpty: true },
  );
  reader.space();
  // Both would give the list of numbers (RFC 5267 section 4.4).
  if (partial !== undefined && options.includes("ALL")) throw bad("PARTIAL and ALL exclude each other");
  return options.length === 0
    ? { options: ["ALL"] }
    : { options, partial, ...(updateItems === undefined ? {} : { updateItems }) };
}

/** The largest number of messages in a range. */
export function partialCount({ first, last }: PartialRange): number {
  return Math.abs(last - first) + 1;
}

/** partial-range = nz-number ":" nz-number / "-" nz-number ":" "-" nz-number (RFC 9394 section 3.1) */
export function readPartialRange(reader: WireReader): PartialRange {
  const isFromEnd = reader.tryCharacter("-");
  const a = reader.nonZeroNumber();
  if (!reader.tryCharacter(":")) throw bad("PARTIAL needs a range");
  if (isFromEnd && !reader.tryCharacter("-")) throw bad("PARTIAL needs both positions from one end");
  const b = reader.nonZeroNumber();
  const [near, far] = a <= b ? [a, b] : [b, a];
  return isFromEnd ? { first: -near, last: -far } : { first: near, last: far };
}

/** The range as ESEARCH repeats it. */
export function formatPartialRange({ first, last }: PartialRange): string {
  return `${first}:${last}`;
}

/** The part of a list that lies in the range. */
export function cutPartial(numbers: readonly number[], { first, last }: PartialRange): readonly number[] {
  if (first > 0) return numbers.slice(first - 1, last);
  return numbers.slice(Math.max(0, numbers.length + last), Math.max(0, numbers.length + first + 1));
}

export function searchCharset(charset: string): SearchCharset {
  const name = charset.toLowerCase();
  if (name === "utf-8" || name === "us-ascii") return plainCharset;
  return {
    decode: (octets) => decodeCharset(Buffer.from(octets, "latin1"), name),
    isKnown: isKnownCharset(name),
  };
}

/** ["CHARSET" SP charset SP] of SEARCH */
export function tryCharset(reader: WireReader): SearchCharset | undefined {
  if (!reader.tryWord("CHARSET")) return undefined;
  reader.space();
  const charset = searchCharset(reader.astring());
  reader.space();
  return charset;
}

export function assertKnownCharset({ isKnown }: SearchCharset): void {
  if (!isKnown) throw no("BADCHARSET (UTF-8 US-ASCII)", "Unknown charset");
}
