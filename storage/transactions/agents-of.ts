/** Which agents a write names in its arguments: those that it locks, as far as that can be said without reading. */
import type { AgentNumber } from "#/src/model/numbers.ts";

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
