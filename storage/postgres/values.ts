/** Values on their way to PostgreSQL and back, so that both engines answer the same: numbers as numbers, octets as octets, truth as
 *  1 and 0. Results are asked for as text: `pg` reads everything else as UTF-8 too, and would damage octets. */
import type { SqlValue } from "../sql.ts";

/** Types by their number in pg_type. */
const boolean = 16;
const bytea = 17;
const integers = [20, 21, 23, 26];
const decimals = [1700, 700, 701];

const readers = new Map<number, (text: string) => SqlValue>([
  [boolean, (text) => (text === "t" ? 1 : 0)],
  [bytea, readOctets],
  ...integers.map((type) => [type, readInteger] as const),
  // `sum` of integers has this type.
  ...decimals.map((type) => [type, readNumber] as const),
]);

function readText(text: string): SqlValue {
  return text;
}

export const valueTypes = {
  getTypeParser: (type: number) => readers.get(type) ?? readText,
};

function readOctets(text: string): Uint8Array {
  // "\x" and then two digits for each octet.
  return Buffer.from(text.slice(2), "hex");
}

function readInteger(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number)) throw new RangeError(`${text} in the store is beyond 2^53`);
  return number;
}

function readNumber(text: string): number {
  return text.includes(".") ? Number(text) : readInteger(text);
}

/** PostgreSQL keeps no NUL in text. What is written and what is looked for is changed in the same way. */
export function parameterOf(value: SqlValue): SqlValue {
  return typeof value === "string" && value.includes("\0") ? value.replaceAll("\0", "\uFFFD") : value;
}
