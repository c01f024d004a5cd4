/** Every write by its name. The store is changed only by these. Each stands in the list that says where it leaves its author. */
import type { Exact } from "#/src/model/exact.ts";
import type { Transaction } from "../sql.ts";
import * as accessWrites from "./access-writes.ts";
import * as mailboxWrites from "./mailbox-writes.ts";
import * as upkeepWrites from "./upkeep-writes.ts";

/** Awaits nothing but the transaction, takes its time from the arguments, and may be run again from the start. */
// biome-ignore lint/suspicious/noExplicitAny: the arguments differ from entry to entry
export type Mutation = (tx: Transaction, args: any) => Promise<unknown>;

export const transactions = { ...mailboxWrites, ...accessWrites, ...upkeepWrites } satisfies Record<
  string,
  Mutation
>;

export type TransactionName = keyof typeof transactions;
export type ArgumentsOf<N extends TransactionName> = Parameters<(typeof transactions)[N]>[1];
/** What a write is given where nothing is named that it does not know: a member of another room's shape, spread into the arguments, does not
 *  compile after it has left the storage's type. */
export type ExactArguments<N extends TransactionName, Given> = Given & Exact<Given, ArgumentsOf<N>>;
export type ResultOf<N extends TransactionName> = Awaited<ReturnType<(typeof transactions)[N]>>;
