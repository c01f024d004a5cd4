/** The agents whose data a login may use: itself, and others by grants. Every protocol checks it here, so that all give the same answer:
 *  `not_found` for an agent that does not exist or is of another account, `forbidden_scope` for one of the account without a grant. */
import { type Accounts, actorOf, type Principal, type Reach } from "#/src/accounts/accounts.ts";
import { allObjects, hasScope, type ReachedObjects } from "#/src/accounts/principal.ts";
import type { Actor } from "#/src/model/author.ts";
import { type GrantedKind, type GrantRight, ofGrantedKinds } from "#/src/model/grants.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { forbidden, missingScope, noSuchObject } from "./refusals.ts";

/** The login, and the rooms that are needed to check its reach. */
export interface Asked {
  readonly rooms: { readonly accounts: Pick<Accounts, "listReach" | "findAgentFacts"> };
  readonly principal: Principal;
}

/** An agent of whose data the login may use at least a part. */
export interface ReachedAgent {
  readonly agent: AgentNumber;
  readonly kind: "agent" | "person";
  readonly address: string;
  readonly name: string;
  readonly isOwn: boolean;
  /** The actor of a write to its data. */
  readonly actor: Actor;
  /** The grants that give access; for the login's own data one with everything that the credential allows. Never empty. */
  readonly reaches: readonly Reach[];
}

/** The data of an agent that is reached under one scope. */
export interface ReachedData extends ReachedAgent {
  readonly objects: ReachedObjects;
}

/** All reached agents, the login's own first. */
export async function listReached({ rooms, principal }: Asked): Promise<readonly ReachedAgent[]> {
  const byAgent = Map.groupBy(await rooms.accounts.listReach(principal), ({ agent }) => agent);
  return [...byAgent.values()].map((reaches) => reachedAgent(principal, reaches));
}

/** undefined for an agent of which nothing is reached. */
export async function findReached(asked: Asked, agent: AgentNumber): Promise<ReachedAgent | undefined> {
  if (agent === asked.principal.agent) return ownReach(asked.principal);
  return (await listReached(asked)).find((one) => one.agent === agent);
}

/** The login's own data, without a read. */
export function ownReach(principal: Principal): ReachedAgent {
  return reachedAgent(principal, [{ ...principal, objects: allObjects }]);
}

function reachedAgent(principal: Principal, reaches: readonly Reach[]): ReachedAgent {
  const { agent, kind, address, name } = reaches[0]!;
  const isOwn = agent === principal.agent;
  return { agent, kind, address, name, isOwn, actor: actorOf(principal, agent, reaches), reaches };
}

/** An agent whose data of a kind the login reaches. Throws `forbidden_scope` or `not_found`. */
export async function reachAgent(asked: Asked, agent: AgentNumber, scope: GrantRight): Promise<ReachedData> {
  const reached = await findReached(asked, agent);
  const data = reached && dataUnder(reached, scope);
  if (data !== undefined) return data;
  if (reached !== undefined) throw missingScope(scope);
  const facts = await asked.rooms.accounts.findAgentFacts(agent);
  if (facts === undefined || facts.account !== asked.principal.account) throw noSuchObject();
  throw forbidden(
    "The credential does not reach this mailbox.",
    "The credential itself is fine; the operator can grant reach inside the account.",
  );
}

/** Every agent whose data of a kind the login reaches, the own one first. */
export async function reachableAgents(asked: Asked, scope: GrantRight): Promise<readonly ReachedData[]> {
  return (await listReached(asked)).flatMap((one) => dataUnder(one, scope) ?? []);
}

/** Whether the login reaches an agent's data under another scope too. */
export async function reachesScope(asked: Asked, agent: AgentNumber, scope: GrantRight): Promise<boolean> {
  const reached = await findReached(asked, agent);
  return reached !== undefined && dataUnder(reached, scope) !== undefined;
}

function dataUnder(reached: ReachedAgent, scope: GrantRight): ReachedData | undefined {
  const fitting = reached.reaches.filter(({ scopes }) => hasScope(scopes, scope));
  if (fitting.length === 0) return undefined;
  const objects = fitting.map((one) => one.objects);
  return { ...reached, objects: ofGrantedKinds((kind) => unite(objects, kind)) };
}

/** The union of objects, since several grants add up. */
function unite(objects: readonly ReachedObjects[], kind: GrantedKind): "all" | ReadonlySet<number> {
  const union = new Set<number>();
  for (const { [kind]: reached } of objects) {
    if (reached === "all") return "all";
    for (const number of reached) union.add(number);
  }
  return union;
}
