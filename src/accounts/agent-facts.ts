import type { AccountNumber, AgentNumber } from "#/src/model/numbers.ts";
import type { Pause } from "#/src/model/pause.ts";
import type { Access, OwnerRow } from "./access.ts";

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

export async function findAgentFacts(access: Access, agent: AgentNumber): Promise<AgentFacts | undefined> {
  const row = await access.findOwner(agent);
  if (row === undefined) return undefined;
  const { account, kind, name, state, address } = row;
  const isBillable = row.accountState === "active";
  const addresses = (await access.listAddresses(agent)).map((one) => `${one.localPart}@${one.domain}`);
  const pause = pauseOf(row);
  return { agent, account, kind, name, state, pause, isBillable, address, addresses };
}

export function pauseOf({ state, pausedReason, pausedAt }: OwnerRow): Pause | undefined {
  return state === "paused"
    ? { reason: pausedReason ?? "operator", since: pausedAt ?? undefined }
    : undefined;
}
