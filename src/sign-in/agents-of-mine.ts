/** The agents whose mail a person approves: what they may do, what they did, and their pause. */
import type { Settings } from "#/config/schema.ts";
import type { Accounts } from "#/src/accounts/accounts.ts";
import { createMailboxOwner } from "#/src/accounts/administration/agents-and-people.ts";
import { describeSendingPolicy, readSendingPolicy } from "#/src/accounts/administration/sending-policy.ts";
import { pauseOf } from "#/src/accounts/agent-facts.ts";
import type { SendingRules } from "#/src/model/holds.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { Pause } from "#/src/model/pause.ts";
import { defaultScopes } from "#/src/model/roles.ts";
import { type Approved, listApprovedAgents } from "#/src/reach/approvers.ts";
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
  readonly rules: SendingRules;
  /** Since the time that was asked for. */
  readonly sent: number;
  readonly declined: number;
  readonly waiting: number;
}

export interface AgentsOfMine {
  /** Those that the operator has named the person for, and those by a grant. */
  listAgents(session: PageSession, since: number): Promise<readonly AgentOfMine[]>;
  /** Throws `not_found` for an agent that the person does not approve for, `policy_refused` for a pause that is not an approver's. */
  setPaused(session: PageSession, agent: AgentNumber, isPaused: boolean): Promise<void>;
  /** How many more agents the person may make. */
  countFree(session: PageSession): Promise<number>;
  /** An agent of the person's domain whose mail the person approves, with a token. Throws `policy_refused` when there are as many as the
   *  operator lets one person have (limit_reached), and for rules that the person may not give it; `invalid` for a name that is no local
   *  part or is taken. */
  createAgent(session: PageSession, wanted: WantedAgent): Promise<MadeAgent>;
  /** Throws `not_found` as above, `invalid` for an entry that is no domain and no address, `policy_refused` for what the operator leaves
   *  to nobody but the operator. */
  setPolicy(session: PageSession, agent: AgentNumber, wanted: SendingRules): Promise<void>;
}

export interface WantedAgent {
  readonly name: string;
  readonly localPart: string;
  readonly policy: SendingRules["policy"];
}

export interface MadeAgent {
  readonly id: string;
  readonly name: string;
  readonly address: string;
  /** Shown once. */
  readonly token: string;
  readonly expiresAt: number;
}

const decidedMax = 1000;
const tokenMs = 90 * 86_400_000;

export interface AgentsOfMineRooms {
  readonly store: Store;
  readonly accounts: Pick<Accounts, "findAgentFacts" | "listReach">;
  readonly settings: Settings;
  /** Mail that waited for a pause is due at its end. */
  readonly outbound: { ring(): void };
}

export function createAgentsOfMine({ store, accounts, settings, outbound }: AgentsOfMineRooms): AgentsOfMine {
  const freedom = settings.pages.policies;

  async function describe({ agent, decides }: Approved, since: number): Promise<AgentOfMine | undefined> {
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
      rules: { policy: holdPolicy, allowed: allow, blocked: block },
      sent: await countSent(store, agent, since),
      declined: decided.filter(({ state }) => state === "declined").length,
      waiting: live.filter((hold) => hold.state === "waiting" && decides(hold)).length,
    };
  }

  return {
    async listAgents({ principal }, since) {
      const agents = await listApprovedAgents({ rooms: { accounts }, principal });
      const described = await Promise.all(agents.map((one) => describe(one, since)));
      return described.filter((one) => one !== undefined);
    },

    async setPaused({ principal: { agent: approver, author } }, agent, isPaused) {
      await store.write(author, "setAgentState", {
        agent,
        state: isPaused ? "paused" : "active",
        by: { approver },
        at: store.clock.now(),
      });
      if (!isPaused) outbound.ring();
    },

    async countFree({ principal }) {
      const { length } = await listAgentsOfApprover(store, principal.agent);
      return Math.max(0, settings.pages.agentsPerPerson - length);
    },

    async createAgent(session, { name, localPart, policy }) {
      const { agent: person, author, address } = session.principal;
      const wanted = {
        address: `${localPart}${address.slice(address.lastIndexOf("@"))}`,
        name,
        approver: address,
        holdPolicy: policy,
      };
      const maker = { person, agentsMax: settings.pages.agentsPerPerson, freedom };
      const expiresAt = store.clock.now() + tokenMs;
      const token = { name: "first", scopes: defaultScopes, expiresAt };
      const made = await createMailboxOwner(author, { store, settings }, "agent", wanted, { token }, maker);
      return { ...made, token: made.token!, expiresAt };
    },

    async setPolicy({ principal: { agent: person, account, author } }, agent, wanted) {
      const { policy: holdPolicy, allowed: allow, blocked: block } = wanted;
      const input = await readSendingPolicy(store, account, {
        holdPolicy,
        allow: [...allow],
        block: [...block],
      });
      await store.write(author, "setSendingPolicy", {
        agent,
        policy: holdPolicy,
        allowed: input!.allowed,
        blocked: input!.blocked,
        asApprover: { person, freedom },
        at: store.clock.now(),
      });
    },
  };
}
