import type { Actor } from "#/src/model/actor.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { itemChangesMax } from "#/src/model/limits.ts";
import type { AgentNumber, ItemNumber, Modseq } from "#/src/model/numbers.ts";
import type { Transaction } from "../sql.ts";
import { type AgentTransaction, beginAgentTransaction } from "../writing/agent-transaction.ts";
import {
  type ItemExpectation,
  type ItemMove,
  type ItemPut,
  type ItemResult,
  itemsOf,
} from "../writing/items.ts";

export type ItemDeed =
  | ({ readonly kind: "put" } & ItemPut)
  | { readonly kind: "remove"; readonly item: ItemNumber; readonly expected?: ItemExpectation | undefined }
  | ({ readonly kind: "move" } & ItemMove);

export interface ItemsOfAgent {
  readonly agent: AgentNumber;
  readonly actor?: Actor | undefined;
  /** In this order: what one makes room for the next can take. */
  readonly deeds: readonly ItemDeed[];
}

export interface ChangeItems {
  /** Each agent once. */
  readonly agents: readonly ItemsOfAgent[];
  readonly at: number;
}

export interface ChangedItems {
  /** At the places of the agents; each with results at the places of its deeds. */
  readonly agents: readonly {
    readonly agent: AgentNumber;
    readonly modseq: Modseq;
    readonly items: readonly ItemResult[];
  }[];
}

/** The one write of items: what is put, deleted and moved with one or several agents, all or nothing. Refuses
 *  precondition_failed, not_found, no-uid-conflict, supported-calendar-component, over_quota, limit_reached. */
export async function changeItems(tx: Transaction, args: ChangeItems): Promise<ChangedItems> {
  assertSize(args);
  const writes = new Map<AgentNumber, AgentTransaction>();
  for (const { agent, actor, deeds } of args.agents.toSorted((a, b) => a.agent - b.agent)) {
    const write = await beginAgentTransaction(tx, agent, args.at, countNew(deeds), actor);
    writes.set(agent, write);
  }
  const results = new Map<AgentNumber, ItemResult[]>();
  for (const { agent, deeds } of args.agents) results.set(agent, await change(writes.get(agent)!, deeds));
  const agents = [];
  for (const { agent } of args.agents)
    agents.push({ agent, modseq: await writes.get(agent)!.finish(), items: results.get(agent)! });
  return { agents };
}

function assertSize({ agents }: ChangeItems): void {
  const count = agents.reduce((sum, { deeds }) => sum + deeds.length, 0);
  if (count > itemChangesMax)
    throw new WaypostError("policy_refused", `One request changes at most ${itemChangesMax} items`, {
      reason: "limit_reached",
    });
}

/** What stands at a segment is looked for later; the number that is then left over is never used. */
function countNew(deeds: readonly ItemDeed[]): number {
  return deeds.filter((deed) => deed.kind === "put" && deed.item === undefined).length;
}

async function change(write: AgentTransaction, deeds: readonly ItemDeed[]): Promise<ItemResult[]> {
  const items = itemsOf(write);
  const results: ItemResult[] = [];
  for (const deed of deeds)
    switch (deed.kind) {
      case "put":
        results.push(await items.put(deed));
        break;
      case "remove":
        results.push(await items.remove(deed.item, deed.expected));
        break;
      case "move":
        results.push(await items.move(deed));
        break;
    }
  return results;
}
