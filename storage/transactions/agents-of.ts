/** The agents and accounts that a write locks, as far as its arguments name them. A write may read the store and lock more. */
import type { AccountNumber, AgentNumber } from "#/src/model/numbers.ts";
import type { TransactionName } from "./index.ts";

interface Naming {
  readonly agent?: AgentNumber;
  /** The recipients of a delivery. */
  readonly recipients?: readonly Naming[];
  /** The agents of changes of items. */
  readonly agents?: readonly Naming[];
  /** The login that sends what is delivered. */
  readonly senders?: readonly Naming[];
}

/** The agents in the arguments themselves, and in their lists. */
export function agentsOf(args: unknown): AgentNumber[] {
  if (args === null || typeof args !== "object") return [];
  const { agent, recipients, agents, senders } = args as Naming;
  const named = agent === undefined ? [] : [agent];
  for (const list of [recipients, agents, senders])
    if (Array.isArray(list))
      for (const one of list as readonly unknown[])
        if (one !== null && typeof one === "object" && typeof (one as Naming).agent === "number")
          named.push((one as Required<Naming>).agent);
  return named;
}

/** The accounts that a write names in its arguments. */
export function accountsOf(args: unknown): (readonly [agent: AgentNumber, account: AccountNumber])[] {
  const { recipients } = (args ?? {}) as { readonly recipients?: unknown };
  if (!Array.isArray(recipients)) return [];
  return (recipients as readonly { agent?: AgentNumber; account?: AccountNumber }[]).flatMap(
    ({ agent, account }) =>
      typeof agent === "number" && typeof account === "number" ? [[agent, account] as const] : [],
  );
}

/** Writes that change only agents that they name (tested by `test/storage/lock-order.test.ts`): two of them with different agents may run
 *  concurrently in one transaction. */
const ofNamedAgents: ReadonlySet<string> = new Set<TransactionName>(["deliverMessage"]);

export function isOfNamedAgents(name: string): boolean {
  return ofNamedAgents.has(name);
}

/** Writes that always lock accounts. Any other write locks an account only when it takes new numbers of blobs from its row; on PostgreSQL one
 *  write in a hundred does. */
const lockingAccounts: ReadonlySet<string> = new Set<TransactionName>(["changeItems", "reportDelivery"]);

export function locksAccounts(name: string): boolean {
  return lockingAccounts.has(name);
}
