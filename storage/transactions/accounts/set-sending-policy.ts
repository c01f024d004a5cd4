import { nobody } from "#/src/model/author.ts";
import { WaypostError } from "#/src/model/errors.ts";
import {
  type ApproverFreedom,
  defaultSendingRules,
  mayApproverSet,
  type SendingPolicy,
  type SendingRules,
} from "#/src/model/holds.ts";
import type { AccountNumber, AgentNumber } from "#/src/model/numbers.ts";
import { findSendingPolicy } from "../../queries/outbound/holds.ts";
import { replacement } from "../../schema/insertion.ts";
import type { Transaction } from "../../sql.ts";
import { assertApproves } from "../../writing/accounts/approvers.ts";
import { beginAgentTransaction } from "../../writing/agent-transaction.ts";
import { mailOf } from "../../writing/mail/mail.ts";
import { openHoldMailboxes } from "../../writing/outbound/holds.ts";

export interface SetSendingPolicy {
  readonly agent: AgentNumber;
  /** Absent members stay as they are. */
  readonly policy?: SendingPolicy | undefined;
  /** null: only agents with a grant for it. */
  readonly approver?: AgentNumber | null | undefined;
  readonly allowed?: readonly string[] | undefined;
  readonly blocked?: readonly string[] | undefined;
  /** The person who sets it as an approver of this agent's mail, and not as the operator. */
  readonly asApprover?: { readonly person: AgentNumber; readonly freedom: ApproverFreedom } | undefined;
  readonly at: number;
}

/** Sets the mail that an agent may send without approval, and its approver, a person of its account. Refuses an approver who is none
 *  (not_found), or who may not put this in the place of what is set when it is written (policy_refused). */
export async function setSendingPolicy(tx: Transaction, args: SetSendingPolicy): Promise<void> {
  const write = await beginAgentTransaction(tx, args.agent, args.at, nobody);
  if (args.approver != null) await assertApprover(tx, args.approver, write.account);
  const held = await findSendingPolicy(tx, args.agent);
  const before: SendingRules = held ?? defaultSendingRules;
  const after: SendingRules = {
    policy: args.policy ?? before.policy,
    allowed: args.allowed ?? before.allowed,
    blocked: args.blocked ?? before.blocked,
  };
  if (args.asApprover !== undefined) {
    const { person, freedom } = args.asApprover;
    await assertApproves(tx, person, args.agent, args.at);
    if (!mayApproverSet(freedom, after, before))
      throw new WaypostError("policy_refused", "Only the operator changes this.");
  }
  const approver = args.approver === undefined ? (held?.approver ?? null) : args.approver;
  await tx.run(
    ...replacement(
      "sending_policy",
      {
        agent_id: args.agent,
        policy: after.policy,
        approver_id: approver,
        allowed: JSON.stringify(after.allowed),
        blocked: JSON.stringify(after.blocked),
      },
      "agent_id",
    ),
  );
  if (approver !== null) await openHoldMailboxes(mailOf(write));
  await write.finish();
}

async function assertApprover(tx: Transaction, approver: AgentNumber, account: AccountNumber): Promise<void> {
  const row = await tx.get<{ kind: string; account: AccountNumber }>(
    "select kind, account_id as account from agent where agent_id = ? and state <> 'deleted'",
    approver,
  );
  if (row?.kind !== "person" || row.account !== account)
    throw new WaypostError("invalid", "An approver is a person of the agent's account.", {
      field: "/approver",
    });
}
