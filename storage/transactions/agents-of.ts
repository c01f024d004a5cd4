/** The agents that a write names in its arguments: those that it locks, as far as that is known without reading. */
import type { AccountNumber, AgentNumber } from "#/src/model/numbers.ts";
import type { TransactionName } from "./index.ts";

interface Naming {
  readonly agent?: AgentNumber;
  /** The recipients of a delivery. */
  readonly recipients?: readonly Naming[];
  /** The agents of changes of items. */
  readonly agents?: readonly Naming[];
  readonly items?: readonly Naming[];
}

/** Of what is named once, and its lists. */
export function agentsOf(args: unknown): AgentNumber[] {
  if (args === null || typeof args !== "object") return [];
  const { agent, recipients, agents, items } = args as Naming;
  const named = agent === undefined ? [] : [agent];
  for (const list of [recipients, agents, items])
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

/** Writes that lock accounts in any case. Others lock the row of one only to take numbers of blobs from it, which on PostgreSQL is one
 *  write in a hundred. */
const lockingAccounts: ReadonlySet<string> = new Set<TransactionName>(["changeItems", "reportDelivery"]);

export function locksAccounts(name: string): boolean {
  return lockingAccounts.has(name);
}
