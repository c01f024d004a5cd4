/** The agents whose mail a person approves: what they may do, what they did, and their pause. */
import { describeSendingPolicy } from "#/src/accounts/administration/sending-policy.ts";
import { pauseOf } from "#/src/accounts/agent-facts.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { SendingPolicy } from "#/src/model/holds.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { Pause } from "#/src/model/pause.ts";
import { findAgent } from "#/storage/queries/accounts/agents.ts";
import { listAgentsOfApprover, listDecidedHolds, listLiveHolds } from "#/storage/queries/outbound/holds.ts";
import { countSent } from "#/storage/queries/outbound/submissions.ts";
import type { Store } from "#/storage/store.ts";
import type { PageSession } from "./page-session.ts";

export interface AgentOfMine {
  readonly agent: AgentNumber;
  readonly id: string;
  readonly name: string;
  readonly address: string;
  readonly pause: Pause | undefined;
  readonly policy: SendingPolicy;
  readonly allowed: readonly string[];
  readonly blocked: readonly string[];
  /** Since the time that was asked for. */
  readonly sent: number;
  readonly declined: number;
  readonly waiting: number;
}

export interface AgentsOfMine {
  listAgents(session: PageSession, since: number): Promise<readonly AgentOfMine[]>;
  /** Throws `not_found` for an agent that the person does not approve for, `policy_refused` for a pause that is not an approver's. */
  setPaused(session: PageSession, agent: AgentNumber, isPaused: boolean): Promise<void>;
}

const decidedMax = 1000;

export function createAgentsOfMine(store: Store, outbound: { ring(): void }): AgentsOfMine {
  async function describe(agent: AgentNumber, since: number): Promise<AgentOfMine | undefined> {
    const row = await findAgent(store, agent);
    if (row === undefined) return undefined;
    const { holdPolicy, allow, block } = await describeSendingPolicy(store, agent);
    const live = await listLiveHolds(store, agent);
    const decided = await listDecidedHolds(store, agent, since, decidedMax);
    return {
      agent,
      id: store.ids.encode("agent", agent),
      name: row.name,
      address: row.address,
      pause: pauseOf(row),
      policy: holdPolicy,
      allowed: allow,
      blocked: block,
      sent: await countSent(store, agent, since),
      declined: decided.filter(({ state }) => state === "declined").length,
      waiting: live.filter(({ state }) => state === "waiting").length,
    };
  }

  return {
    async listAgents({ principal }, since) {
      const agents = await listAgentsOfApprover(store, principal.agent);
      const described = await Promise.all(agents.map(({ agent }) => describe(agent, since)));
      return described.filter((one) => one !== undefined);
    },

    async setPaused({ principal }, agent, isPaused) {
      const agents = await listAgentsOfApprover(store, principal.agent);
      if (!agents.some((one) => one.agent === agent))
        throw new WaypostError("not_found", "You do not approve for this agent.");
      await store.write(principal.author, "setAgentState", {
        agent,
        state: isPaused ? "paused" : "active",
        by: "approver",
        at: store.clock.now(),
      });
      if (!isPaused) outbound.ring();
    },
  };
}
