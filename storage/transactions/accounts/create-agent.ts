import { nobody } from "#/src/model/author.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { type ApproverFreedom, defaultSendingRules } from "#/src/model/holds.ts";
import type { AccountNumber, AgentNumber, MailboxNumber } from "#/src/model/numbers.ts";
import { mailboxRoles, standardRoles } from "#/src/model/roles.ts";
import { listAgentsOfApprover } from "../../queries/outbound/holds.ts";
import type { AgentKind } from "../../rows.ts";
import { insertion } from "../../schema/insertion.ts";
import type { Transaction } from "../../sql.ts";
import { insertAddress } from "../../writing/accounts/addresses.ts";
import { replaceOwnerKeys } from "../../writing/accounts/owner-keys.ts";
import { beginAgentTransaction } from "../../writing/agent-transaction.ts";
import { takeCounter } from "../../writing/counters.ts";
import { mailOf } from "../../writing/mail/mail.ts";
import { insertMailbox, subscribe } from "../../writing/mail/mailbox-rows.ts";
import { setSubscription } from "../mail/set-subscription.ts";
import { type CreatePassword, createPassword } from "./create-password.ts";
import { type CreateToken, createToken } from "./create-token.ts";
import { type SetSendingPolicy, setSendingPolicy } from "./set-sending-policy.ts";

type OfNewAgent<Args> = Omit<Args, "agent" | "at"> | undefined;

export interface CreateAgent {
  readonly account: AccountNumber;
  readonly kind: AgentKind;
  readonly name: string;
  /** The primary address; the domain belongs to the account. */
  readonly address: { readonly domain: string; readonly localPart: string };
  readonly quotaBytes: number | null;
  readonly scramSalt: Uint8Array;
  readonly scramIterations: number;
  /** A person who makes it, how many agents that person may approve for, and what the person may say in `policy`. The person is its
   *  approver. */
  readonly maker?:
    | { readonly person: AgentNumber; readonly agentsMax: number; readonly freedom: ApproverFreedom }
    | undefined;
  readonly policy?: OfNewAgent<SetSendingPolicy>;
  /** Names that the approver of the policy subscribes, where there is room. */
  readonly approverSubscribes?: readonly string[] | undefined;
  readonly token?: OfNewAgent<CreateToken>;
  readonly password?: OfNewAgent<CreatePassword>;
  readonly at: number;
}

/** Its numbers are those of its first credentials. */
export interface CreatedAgent {
  readonly agent: AgentNumber;
  readonly token?: number;
  readonly password?: number;
}

/** A new agent or person with its address, the standard mailboxes, all subscribed, its policy and its first credentials. Refuses an address in
 *  use, with `policy_refused` (limit_reached) one agent more than its maker may have, and a policy that its maker may not give it. */
export async function createAgent(tx: Transaction, args: CreateAgent): Promise<CreatedAgent> {
  const { at, policy, token, password } = args;
  // Before the counters, since other writes lock an owner before them.
  if (policy?.approver != null)
    for (const name of args.approverSubscribes ?? [])
      await setSubscription(tx, { agent: policy.approver, name, isSubscribed: true, isOffer: true, at });
  const agent = (await takeCounter(tx, "agent")) as AgentNumber;
  if (args.maker !== undefined) await appointMaker(tx, agent, args.maker);
  await tx.run(
    ...insertion("agent", {
      agent_id: agent,
      account_id: args.account,
      kind: args.kind,
      name: args.name,
      state: "active",
      modseq: 0,
      log_floor: 0,
      last_uid_validity: 0,
      byte_count: 0,
      message_count: 0,
      quota_bytes: args.quotaBytes,
      scram_salt: args.scramSalt,
      scram_iterations: args.scramIterations,
      created_at: at,
      resumed_at: 0,
      paused_reason: null,
      paused_at: null,
      pause_told_at: null,
      item_count: 0,
      noticed_at: null,
    }),
  );
  const { domain, localPart } = args.address;
  const taken = await tx.get(
    "select 1 as found from address where domain = ? and local_part = ? limit 1",
    domain,
    localPart,
  );
  if (taken !== undefined)
    throw new WaypostError("invalid", "The address is in use", { reason: "already_exists" });
  await insertAddress(tx, { agent, account: args.account, domain, localPart, isPrimary: true, at });
  await replaceOwnerKeys(tx, agent);
  const write = await beginAgentTransaction(tx, agent, at, nobody, standardRoles.length);
  const mail = mailOf(write);
  for (const role of standardRoles) {
    const mailbox = write.takeNumber() as MailboxNumber;
    const { name } = mailboxRoles[role];
    await insertMailbox(mail, { mailbox, name, role });
    await subscribe(tx, agent, name);
  }
  await write.finish();
  if (policy !== undefined) await setSendingPolicy(tx, { ...policy, asApprover: args.maker, agent, at });
  return {
    agent,
    ...(password && (await createPassword(tx, { ...password, agent, at }))),
    ...(token && (await createToken(tx, { ...token, agent, at }))),
  };
}

/** The counter of agents is taken, so no other agent is made at the same time, on either engine. */
async function appointMaker(
  tx: Transaction,
  agent: AgentNumber,
  { person, agentsMax }: NonNullable<CreateAgent["maker"]>,
): Promise<void> {
  if ((await listAgentsOfApprover(tx, person)).length >= agentsMax)
    throw new WaypostError("policy_refused", "There are as many agents as the operator lets you have.", {
      reason: "limit_reached",
    });
  const { policy } = defaultSendingRules;
  await tx.run(
    ...insertion("sending_policy", {
      agent_id: agent,
      policy,
      approver_id: person,
      allowed: "[]",
      blocked: "[]",
    }),
  );
}
