/** Turns a number set into conditions of SQL: long ranges one by one, short ones joined into lists. So every set needs few statements,
 *  and few different texts of SQL. */
import type { NumberSet } from "#/src/model/number-set.ts";
import { paddedList, placesFor } from "./sql.ts";

export interface Slice {
  /** `uid between ? and ?` or `uid in (?,?…)`. */
  readonly condition: string;
  readonly parameters: readonly number[];
  /** A range may have many rows; a list has at most 256. */
  readonly isRange: boolean;
}

/** A range of this length gets a statement of its own. */
const longRange = 16;
const longestList = 256;

/** `rowsMax`: the most numbers of a list. A range is not divided. */
export function* slicesOf(set: NumberSet, column: string, rowsMax = longestList): Generator<Slice> {
  const listMax = Math.min(rowsMax, longestList);
  let list: number[] = [];
  for (const [first, last] of set) {
    if (last - first + 1 >= longRange) {
      if (list.length > 0) yield listSlice(list, column);
      list = [];
      yield { condition: `${column} between ? and ?`, parameters: [first, last], isRange: true };
      continue;
    }
    for (let number = first; number <= last; number++) list.push(number);
    if (list.length > listMax - longRange) {
      yield listSlice(list, column);
      list = [];
    }
  }
  if (list.length > 0) yield listSlice(list, column);
}

function listSlice(list: readonly number[], column: string): Slice {
  const parameters = paddedList(list);
  return { condition: `${column} in (${placesFor(parameters)})`, parameters, isRange: false };
}
