import { nobody } from "#/src/model/author.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { mailboxesMax } from "#/src/model/limits.ts";
import type { AgentNumber, MailboxNumber } from "#/src/model/numbers.ts";
import { assertMailboxName, canonicalMailboxName, isMailboxName } from "../../mailbox-name.ts";
import type { Transaction } from "../../sql.ts";
import { beginAgentTransaction } from "../../writing/agent-transaction.ts";
import { mailOf } from "../../writing/mail/mail.ts";
import { subscribe } from "../../writing/mail/mailbox-rows.ts";

export interface SetSubscription {
  readonly agent: AgentNumber;
  readonly name: string;
  readonly isSubscribed: boolean;
  /** A name that cannot be subscribed is left out, and nothing is refused. */
  readonly isOffer?: true | undefined;
  readonly at: number;
}

/** SUBSCRIBE and UNSUBSCRIBE (RFC 9051 sections 6.3.7 and 6.3.8). A name may be subscribed that has no mailbox; one that has
 *  is logged as a change of the mailbox, so that others are told (RFC 5465 section 5.5). */
export async function setSubscription(tx: Transaction, args: SetSubscription): Promise<void> {
  if (args.isOffer && !isMailboxName(args.name)) return;
  const write = await beginAgentTransaction(tx, args.agent, args.at, nobody);
  const name = args.isSubscribed ? assertMailboxName(args.name) : canonicalMailboxName(args.name);
  const isLeftOut = args.isOffer && (await countSubscriptions(tx, args.agent)) >= mailboxesMax;
  const changedCount = isLeftOut ? 0 : await change(tx, args.agent, name, args.isSubscribed);
  const mailbox = await tx.get<{ mailbox: MailboxNumber }>(
    "select mailbox_id as mailbox from mailbox where agent_id = ? and name = ?",
    args.agent,
    name,
  );
  if (changedCount > 0 && mailbox !== undefined) mailOf(write).mailboxChanged("update", mailbox.mailbox);
  await write.finish();
}

/** The number of changed rows. */
async function change(
  tx: Transaction,
  agent: AgentNumber,
  name: string,
  isSubscribed: boolean,
): Promise<number> {
  if (!isSubscribed) return tx.run("delete from subscription where agent_id = ? and name = ?", agent, name);
  const changedCount = await subscribe(tx, agent, name);
  if ((await countSubscriptions(tx, agent)) > mailboxesMax)
    throw new WaypostError("policy_refused", `There are at most ${mailboxesMax} subscriptions`, {
      reason: "limit_reached",
    });
  return changedCount;
}

async function countSubscriptions(tx: Transaction, agent: AgentNumber): Promise<number> {
  const { count } = (await tx.get<{ count: number }>(
    "select count(*) as count from subscription where agent_id = ?",
    agent,
  ))!;
  return count;
}
