import { WaypostError } from "#/src/model/errors.ts";
import { mailboxesMax } from "#/src/model/limits.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { assertMailboxName, canonicalMailboxName } from "../mailbox-name.ts";
import type { Transaction } from "../sql.ts";
import { assertAgent } from "../writing/addresses.ts";
import { subscribe } from "../writing/mailbox-rows.ts";

/** SUBSCRIBE and UNSUBSCRIBE (RFC 9051 sections 6.3.7 and 6.3.8). A name may be subscribed that has no mailbox. */
export async function setSubscription(
  tx: Transaction,
  args: { agent: AgentNumber; name: string; isSubscribed: boolean },
): Promise<void> {
  await assertAgent(tx, args.agent);
  if (!args.isSubscribed) {
    const name = canonicalMailboxName(args.name);
    await tx.run("delete from subscription where agent_id = ? and name = ?", args.agent, name);
    return;
  }
  await subscribe(tx, args.agent, assertMailboxName(args.name));
  const { count } = (await tx.get<{ count: number }>(
    "select count(*) as count from subscription where agent_id = ?",
    args.agent,
  ))!;
  if (count > mailboxesMax)
    throw new WaypostError("policy_refused", `There are at most ${mailboxesMax} subscriptions`, {
      reason: "limit_reached",
    });
}
