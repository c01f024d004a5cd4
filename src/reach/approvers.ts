/** Who decides about mail that waits (`isDecider` of `src/model/holds.ts`): of an agent's mailbox every person with `approve` there, as the
 *  approver that the operator named or by a grant, but not about mail that this person has sent from it; of a person's own mailbox that
 *  person. The notice asks from the mailbox, pushes and pages ask from the person. */
import type { Accounts, AgentFacts } from "#/src/accounts/accounts.ts";
import { principalOf } from "#/src/accounts/principal.ts";
import { isDecider, type Waiting } from "#/src/model/holds.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { type Asked, type ReachedData, reachableAgents } from "./agents.ts";

interface Rooms {
  readonly accounts: Pick<Accounts, "access" | "findAgentFacts" | "findOwner" | "listHolders" | "listReach">;
}

/** Who decides about a mail. */
export async function listDeciders(rooms: Rooms, waiting: Waiting): Promise<readonly AgentFacts[]> {
  const owner = await rooms.accounts.findAgentFacts(waiting.agent);
  const people = [
    ...(owner?.kind === "person" ? [owner] : []),
    ...(await listApprovers(rooms, waiting.agent)),
  ];
  return people.filter(({ agent }) => isDecider(agent, waiting));
}

/** Who may approve for a mailbox of an agent. The approver that the operator named comes first. */
export async function listApprovers(
  { accounts }: Rooms,
  mailbox: AgentNumber,
): Promise<readonly AgentFacts[]> {
  const approvers = new Map<AgentNumber, AgentFacts>();
  for (const { address, scopes } of (await accounts.listHolders(mailbox)).toReversed()) {
    const holder = scopes.has("approve") ? await accounts.findOwner(address) : undefined;
    // A grant gives an agent no right to approve.
    const facts = holder?.kind === "person" ? await accounts.findAgentFacts(holder.agent) : undefined;
    if (facts !== undefined) approvers.set(facts.agent, facts);
  }
  return [...approvers.values()];
}

/** The mailboxes about whose mail a login decides, with the mail for which `decides` holds. */
export async function listApproved(asked: Asked): Promise<readonly Approved[]> {
  const reached = await reachableAgents(asked, "approve");
  return reached.map((one) => ({
    ...one,
    decides: (waiting) => waiting.agent === one.agent && isDecider(asked.principal.agent, waiting),
  }));
}

/** The agents among them. */
export async function listApprovedAgents(asked: Asked): Promise<readonly Approved[]> {
  return (await listApproved(asked)).filter(({ kind }) => kind === "agent");
}

export interface Approved extends ReachedData {
  decides(waiting: Waiting): boolean;
}

/** The same of a person, whatever the credential. */
export async function listApprovedBy({ accounts }: Rooms, person: AgentNumber): Promise<readonly Approved[]> {
  const owner = await accounts.access.findOwner(person);
  if (owner?.kind !== "person") return [];
  return listApproved({ rooms: { accounts }, principal: principalOf(owner, { kind: "session", number: 0 }) });
}
