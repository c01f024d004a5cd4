/** Which agents a write names in its arguments: those that it locks, as far as that can be said without reading. */
import type { AccountNumber, AgentNumber } from "#/src/model/numbers.ts";
import type { TransactionName } from "./index.ts";

interface Naming {
  readonly agent?: AgentNumber;
  /** Of a delivery. */
  readonly recipients?: readonly Naming[];
  /** Of changes of items. */
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

/** The accounts of agents, as far as a write says them. */
export function accountsOf(args: unknown): (readonly [agent: AgentNumber, account: AccountNumber])[] {
  const { recipients } = (args ?? {}) as { readonly recipients?: unknown };
  if (!Array.isArray(recipients)) return [];
  return (recipients as readonly { agent?: AgentNumber; account?: AccountNumber }[]).flatMap(
    ({ agent, account }) =>
      typeof agent === "number" && typeof account === "number" ? [[agent, account] as const] : [],
  );
}

/** Writes that change nothing of an agent that they do not name (`test/storage/lock-order.test.ts` holds this): two of them with other
 *  agents may be carried out at the same time in one transaction. */
const ofNamedAgents: ReadonlySet<string> = new Set<TransactionName>(["deliverMessage"]);

export function isOfNamedAgents(name: string): boolean {
  return ofNamedAgents.has(name);
}
