/** Runs a named write in a transaction, and records its author where the log of access is the place for it. */
import { authorColumns } from "../author-row.ts";
import { insertion } from "../schema/insertion.ts";
import type { Transaction } from "../sql.ts";
import type { Job } from "../threads/messages.ts";
import { takeCounter } from "../writing/counters.ts";
import { type Mutation, type TransactionName, transactions } from "./index.ts";
import { type AccessChange, recorded } from "./recorded.ts";

type Asked = Pick<Job, "name" | "args" | "at" | "dryRun">;

/** The write of a job; in a dry run after the earlier ones. */
export async function runJob(tx: Transaction, { name, args, at, dryRun }: Asked): Promise<unknown> {
  for (const earlier of dryRun?.earlier ?? []) await runWrite(tx, earlier.name, earlier.args, at);
  return runWrite(tx, name, args, at);
}

type Describe = (args: unknown, result: unknown) => AccessChange | readonly AccessChange[];
const described = recorded as Readonly<Record<string, unknown>> as Readonly<Record<string, Describe>>;

/** `at`: when the write was asked for. */
export async function runWrite(tx: Transaction, name: string, args: unknown, at: number): Promise<unknown> {
  const result = await (transactions[name as TransactionName] as Mutation)(tx, args);
  // Last, so that the counter is locked for as short a time as can be.
  if (Object.hasOwn(described, name))
    for (const change of [described[name]!(args, result)].flat()) await record(tx, name, change, at);
  return result;
}

async function record(tx: Transaction, name: string, change: AccessChange, at: number): Promise<void> {
  const { write = name, owner = null, holder = null, object } = change;
  await tx.send(
    ...insertion("access_change", {
      access_change_id: await takeCounter(tx, "access_change"),
      at,
      write,
      owner_id: owner,
      holder_id: holder,
      object: object === undefined ? null : String(object),
      ...authorColumns(tx.by),
    }),
  );
}
