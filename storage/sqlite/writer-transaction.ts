/** The transaction of the writer's connection, one after the other: a batch of jobs, each with its author. */
import type { AccountNumber, AgentNumber, BlobNumber, Modseq } from "#/src/model/numbers.ts";
import type { WritingAuthor } from "../author-row.ts";
import type { Transaction } from "../sql.ts";
import { BlobNumbers } from "../writing/blob-numbers.ts";
import { SqliteSql } from "./connection.ts";
import { NearKeys } from "./near-keys.ts";

export class WriterTransaction extends SqliteSql implements Transaction {
  by: WritingAuthor | undefined;
  touched = new Map<AgentNumber, Modseq>();
  hasSweep = false;
  readonly #blobNumbers = new BlobNumbers();
  readonly #nearKeys = new NearKeys(this.database, this);

  nearKeys(agent: AgentNumber, keys: readonly string[]): Promise<readonly string[]> {
    return this.#nearKeys.among(agent, keys);
  }

  touch(agent: AgentNumber, modseq: Modseq): void {
    this.touched.set(agent, modseq);
  }

  takeBlobNumber(account: AccountNumber): Promise<BlobNumber> {
    return this.#blobNumbers.take(this, account);
  }

  sweepLater(): void {
    this.hasSweep = true;
  }

  committed(): void {
    this.hasSweep = false;
    this.#nearKeys.committed();
  }

  /** A savepoint, to which `jobUndone` goes back. */
  saved(): void {
    this.#nearKeys.saved();
  }

  jobUndone(): void {
    this.#blobNumbers.forget();
    this.#nearKeys.jobUndone();
  }

  undone(): void {
    this.#blobNumbers.forget();
    this.#nearKeys.undone();
  }
}
