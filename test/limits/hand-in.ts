/** Runs a test with another value of a limit. */

import * as imap from "#/protocols/imap/limits.ts";
import * as smtp from "#/protocols/smtp/limits.ts";
import * as arrival from "#/src/arrival/limits.ts";
import * as model from "#/src/model/limits.ts";
import * as outbound from "#/src/outbound/limits.ts";

export const tables = { model, imap, smtp, arrival, outbound };
export type Tables = typeof tables;
export type TableName = keyof Tables;

/** `support/threads/handed-limits.ts` adds it to each table. */
interface Handed {
  readonly handIn: Readonly<Record<string, (value: number) => void>>;
}

export async function withLimit<R>(
  table: TableName,
  name: string,
  value: number,
  run: () => R | Promise<R>,
): Promise<R> {
  const { handIn } = tables[table] as unknown as Handed;
  const before = (tables[table] as Readonly<Record<string, number>>)[name]!;
  handIn[name]!(value);
  try {
    return await run();
  } finally {
    handIn[name]!(before);
  }
}
