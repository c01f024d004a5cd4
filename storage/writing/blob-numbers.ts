/** Numbers of blobs, taken from the account's row a hundred at a time. So a delivery seldom writes the row. On PostgreSQL all lanes of all
 *  daemons would wait for it until the commit.
 *
 *  A range is taken in a transaction of a connection and used by that connection alone: if the transaction fails, `forget` drops all
 *  ranges. Numbers that were taken and not used stay unused. */

import type { AccountNumber, BlobNumber } from "#/src/model/numbers.ts";
import { RecentValues } from "#/src/model/recent-values.ts";
import type { Sql } from "../sql.ts";
import { takeBlobNumbers } from "./blob-rows.ts";

const numbersAtOnce = 100;
const accountsMax = 1000;

interface Range {
  next: number;
  readonly end: number;
}

export class BlobNumbers {
  #ranges = new RecentValues<Promise<Range>>(accountsMax);

  /** Takes a range ahead where there is none: so those of several accounts are taken in the order of the calls. */
  prepare(sql: Sql, account: AccountNumber): void {
    if (this.#ranges.find(String(account)) === undefined) this.#begin(sql, account).catch(() => {});
  }

  async take(sql: Sql, account: AccountNumber): Promise<BlobNumber> {
    for (;;) {
      const taking = this.#ranges.find(String(account)) ?? this.#begin(sql, account);
      const range = await taking;
      if (range.next < range.end) return range.next++ as BlobNumber;
      // Others that waited for the same range may have begun the next one.
      if (this.#ranges.find(String(account)) === taking) this.#begin(sql, account).catch(() => {});
    }
  }

  #begin(sql: Sql, account: AccountNumber): Promise<Range> {
    const taking = takeBlobNumbers(sql, account, numbersAtOnce).then((first) => ({
      next: first,
      end: first + numbersAtOnce,
    }));
    this.#ranges.keep(String(account), taking);
    return taking;
  }

  forget(): void {
    this.#ranges = new RecentValues<Promise<Range>>(accountsMax);
  }
}
