/** What a named write is given on PostgreSQL: statements that go out at once, in their order, on the connection of its lane. */
import type { AccountNumber, AgentNumber, BlobNumber, Modseq } from "#/src/model/numbers.ts";
import type { WritingAuthor } from "../author-row.ts";
import type { SqlValue, Transaction } from "../sql.ts";
import type { BlobNumbers } from "../writing/blob-numbers.ts";
import type { PostgresSql } from "./connection.ts";

/** What became of the statements of a transaction so far. */
export interface Sent {
  /** Of the first that failed; all after it fail for its sake. */
  failure: unknown;
  /** The end of the one that was sent last. */
  last: Promise<unknown>;
  /** Of the lane. */
  readonly blobNumbers: BlobNumbers;
}

/** Statements that are on their way before more wait. */
const sentMax = 500;

export class LaneTransaction implements Transaction {
  readonly by: WritingAuthor | undefined;
  readonly #sql: PostgresSql;
  readonly #sent: Sent;
  readonly #blobNumbers: BlobNumbers;
  readonly touched = new Map<AgentNumber, Modseq>();
  hasSweep = false;

  constructor(sql: PostgresSql, sent: Sent, by: WritingAuthor | undefined) {
    this.by = by;
    this.#sql = sql;
    this.#sent = sent;
    this.#blobNumbers = sent.blobNumbers;
  }

  get<R>(query: string, ...parameters: SqlValue[]): Promise<R | undefined> {
    return this.#answer(this.#sql.get<R>(query, ...parameters));
  }

  all<R>(query: string, ...parameters: SqlValue[]): Promise<R[]> {
    return this.#answer(this.#sql.all<R>(query, ...parameters));
  }

  column<V extends SqlValue>(query: string, ...parameters: SqlValue[]): Promise<V[]> {
    return this.#answer(this.#sql.column<V>(query, ...parameters));
  }

  run(query: string, ...parameters: SqlValue[]): Promise<number> {
    return this.#answer(this.#sql.run(query, ...parameters));
  }

  async send(query: string, ...parameters: SqlValue[]): Promise<void> {
    sendAhead(this.#sql, this.#sent, query, parameters);
    if (this.#sql.pending > sentMax) await this.#sent.last;
  }

  async #answer<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      this.#sent.failure ??= error;
      throw this.#sent.failure;
    }
  }

  touch(agent: AgentNumber, modseq: Modseq): void {
    this.touched.set(agent, modseq);
  }

  sweepLater(): void {
    this.hasSweep = true;
  }

  takeBlobNumber(account: AccountNumber): Promise<BlobNumber> {
    return this.#blobNumbers.take(this, account);
  }
}

/** Sent without awaiting it. A failure of it is kept, and fails what comes after it. */
export function sendAhead(
  sql: PostgresSql,
  sent: Sent,
  text: string,
  parameters: readonly SqlValue[] = [],
): void {
  sent.last = sql.query(text, parameters).catch((error: unknown) => {
    sent.failure ??= error;
  });
}
