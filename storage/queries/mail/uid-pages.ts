/** Reads rows of messages of a mailbox in pages, by their UIDs. */

import { nextTurn } from "#/src/fairness/loop-turns.ts";
import { pageRows } from "#/src/model/limits.ts";
import type { NumberSet } from "#/src/model/number-set.ts";
import type { Modseq, Uid } from "#/src/model/numbers.ts";
import { type Slice, slicesOf } from "../../slices.ts";
import type { Reader, SqlValue } from "../../sql.ts";

export interface EntryPageOptions {
  readonly changedSince?: Modseq | undefined;
}

/** Rows of `select` for a set of UIDs, ascending, in pages. A page of entries is small enough for one turn of the event loop. */
export function pagesOf<R extends { readonly uid: Uid }, Shown = R>(
  reader: Reader,
  select: string,
  place: readonly SqlValue[],
  uids: NumberSet,
  options: PageOptions<R, Shown>,
): AsyncIterable<Shown[]> {
  return new UidPages(reader, select, place, uids, options);
}

interface PageOptions<R, Shown> extends EntryPageOptions {
  readonly rows?: number;
  /** What becomes of the rows of a page. */
  readonly show?: (rows: R[]) => Shown[] | Promise<Shown[]>;
}

/** Not a generator: that takes several promises more for each page, and most sets are one message. */
class UidPages<R extends { readonly uid: Uid }, Shown> implements AsyncIterableIterator<Shown[]> {
  readonly #reader: Reader;
  readonly #select: string;
  readonly #place: readonly SqlValue[];
  readonly #modseq: readonly SqlValue[];
  readonly #show: PageOptions<R, Shown>["show"];
  readonly #rowsMax: number;
  readonly #slices: Iterator<Slice>;
  #slice: Slice | undefined;
  #first = 0;
  #isFirst = true;

  constructor(
    reader: Reader,
    select: string,
    place: readonly SqlValue[],
    uids: NumberSet,
    { changedSince, rows = pageRows, show }: PageOptions<R, Shown>,
  ) {
    this.#reader = reader;
    this.#select = select;
    this.#place = place;
    this.#modseq = changedSince === undefined ? [] : [changedSince];
    this.#show = show;
    this.#rowsMax = rows;
    this.#slices = slicesOf(uids, "entry.uid", rows);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Shown[], undefined>> {
    for (;;) {
      const slice = this.#slice ?? this.#nextSlice();
      if (slice === undefined) return { done: true, value: undefined };
      const { condition, parameters, isRange } = slice;
      if (!this.#isFirst) await nextTurn();
      this.#isFirst = false;
      const rows = await this.#reader.all<R>(
        pageText(this.#select, condition, this.#modseq.length > 0),
        ...this.#place,
        this.#first,
        ...parameters.slice(1),
        ...this.#modseq,
        isRange ? this.#rowsMax : parameters.length,
      );
      // The next page changes the lower bound of the range itself: a second condition beside it would be a filter, not a key.
      if (isRange && rows.length >= this.#rowsMax) this.#first = rows.at(-1)!.uid + 1;
      else this.#slice = undefined;
      if (rows.length === 0) continue;
      const shown = this.#show === undefined ? (rows as unknown as Shown[]) : this.#show(rows);
      return { done: false, value: shown instanceof Promise ? await shown : shown };
    }
  }

  #nextSlice(): Slice | undefined {
    const { done, value } = this.#slices.next();
    if (done === true) return undefined;
    this.#slice = value;
    this.#first = value.parameters[0]!;
    return value;
  }
}

/** Texts by their parts. There are few, and a text that is put together again has to be hashed again. */
const texts = new Map<string, Map<string, string>>();

function pageText(select: string, condition: string, isChanged: boolean): string {
  let ofSelect = texts.get(select);
  if (ofSelect === undefined) {
    ofSelect = new Map();
    texts.set(select, ofSelect);
  }
  const name = isChanged ? `${condition} and entry.modseq > ?` : condition;
  let text = ofSelect.get(name);
  if (text === undefined) {
    text = `${select} and ${name}
        order by entry.uid
        limit ?`;
    ofSelect.set(name, text);
  }
  return text;
}
