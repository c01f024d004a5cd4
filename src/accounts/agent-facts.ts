import type { AccountNumber, AgentNumber } from "#/src/model/numbers.ts";
import type { Pause } from "#/src/model/pause.ts";
import { findAgent, listAddresses } from "#/storage/queries/accounts/agents.ts";
import type { AgentRow } from "#/storage/rows.ts";
import type { Store } from "#/storage/store.ts";

/** The properties of a mailbox owner that operators and members of the account see. */
export interface AgentFacts {
  readonly agent: AgentNumber;
  readonly account: AccountNumber;
  readonly kind: "agent" | "person";
  readonly name: string;
  readonly state: "active" | "paused";
  /** Present if the agent is paused. */
  readonly pause: Pause | undefined;
  /** Whether the account may incur usage. */
  readonly isBillable: boolean;
  /** The primary address. */
  readonly address: string;
  /** All addresses, the primary one first; `*@domain` is a catch-all. */
  readonly addresses: readonly string[];
}

export async function findAgentFacts(store: Store, agent: AgentNumber): Promise<AgentFacts | undefined> {
  const row = await findAgent(store, agent);
  if (row === undefined) return undefined;
  const { account, kind, name, state, address } = row;
  const isBillable = row.accountState === "active";
  const addresses = (await listAddresses(store, agent)).map((one) => `${one.localPart}@${one.domain}`);
  const pause = pauseOf(row);
  return { agent, account, kind, name, state, pause, isBillable, address, addresses };
}

export function pauseOf({ state, pausedReason, pausedAt }: AgentRow): Pause | undefined {
  return state === "paused"
    ? { reason: pausedReason ?? "operator", since: pausedAt ?? undefined }
    : undefined;
}
