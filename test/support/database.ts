/** A database with the current schema that tests write on their own thread, so that they can see every statement. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import type { AccountNumber } from "#/src/model/numbers.ts";
import type { Transaction } from "#/storage/sql.ts";
import { openWriting, SqliteSql } from "#/storage/sqlite/connection.ts";
import { migrate } from "#/storage/sqlite/migrate.ts";
import type { transactions } from "#/storage/transactions/index.ts";
import { runWrite } from "#/storage/transactions/run-write.ts";
import { takeBlobNumbers } from "#/storage/writing/blob-rows.ts";
import type { Write } from "./every-write.ts";

export interface TestDatabase extends Disposable {
  readonly database: ReturnType<typeof openWriting>;
  readonly tx: Transaction;
  readonly write: Write;
}

export async function openTestDatabase(): Promise<TestDatabase> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-database-"));
  const database = openWriting(folder);
  await migrate(database, folder, 0);
  const sql = new SqliteSql(database);
  const tx = Object.assign(sql, {
    by: undefined,
    touch() {},
    sweepLater() {},
    takeBlobNumber: (account: AccountNumber) => takeBlobNumbers(sql, account, 1),
  }) satisfies Transaction;
  return {
    database,
    tx,
    write: ((name: keyof typeof transactions, args: unknown) => runWrite(tx, name, args, 0)) as Write,
    [Symbol.dispose]() {
      database.close();
      fs.rmSync(folder, { recursive: true });
    },
  };
}
