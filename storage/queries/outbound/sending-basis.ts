/** The basis of a decision about sending, which others may change at any time: the senders, the policy, the lists, suppressed addresses,
 *  earlier recipients. It is read for the decision, and read again by the write that applies the decision. */
import type { AccountNumber, AgentNumber } from "#/src/model/numbers.ts";
import type { PauseReason } from "#/src/model/pause.ts";
import type { SendingPolicyRow } from "../../holds.ts";
import type { AgentKind } from "../../rows.ts";
import { selectList } from "../../schema/select-list.ts";
import { paddedList, placesFor, type Reader } from "../../sql.ts";
import { findSendingPolicy, listCorrespondents, listKnownContacts, listSuppressed } from "./holds.ts";

export interface SendingBasis {
  /** Addresses of the recipients, in the form of the suppression list. */
  readonly addresses: readonly string[];
  /** Domains of the recipients. */
  readonly domains: readonly string[];
  /** The mailbox that the mail is sent from, and the agent of the credential if it is another one. */
  readonly senders: readonly SenderBasis[];
}

export interface SenderBasis {
  readonly agent: AgentNumber;
  readonly account: AccountNumber;
  readonly kind: AgentKind;
  readonly state: string;
  readonly pausedReason: PauseReason | null;
  readonly accountState: string;
  readonly policy: SendingPolicyRow | null;
  /** Addresses that are suppressed for the account. */
  readonly suppressed: readonly string[];
  /** Domains that belong to the account. */
  readonly ownDomains: readonly string[];
  /** Domains and addresses to which mail of this mailbox was delivered before. */
  readonly correspondents: readonly string[];
  /** Domains and addresses of its contacts that a person has added. */
  readonly contacts: readonly string[];
}

type SenderRow = Pick<SenderBasis, "account" | "kind" | "state" | "pausedReason" | "accountState">;
type Question = Pick<SendingBasis, "addresses" | "domains">;

export async function readSendingBasis(
  reader: Reader,
  agents: readonly AgentNumber[],
  { addresses, domains }: Question,
): Promise<SendingBasis> {
  const senders: SenderBasis[] = [];
  for (const agent of agents) {
    const sender = await readSender(reader, agent, { addresses, domains });
    if (sender !== undefined) senders.push(sender);
  }
  return { addresses, domains, senders };
}

const senderColumns = selectList<SenderRow, "agent" | "account">({
  account: "agent.account_id",
  kind: "agent.kind",
  state: "agent.state",
  pausedReason: "agent.paused_reason",
  accountState: "account.state",
});

async function readSender(
  reader: Reader,
  agent: AgentNumber,
  { addresses, domains }: Question,
): Promise<SenderBasis | undefined> {
  const row = await reader.get<SenderRow>(
    `select ${senderColumns}
    from agent
    join account on account.account_id = agent.account_id
    where agent_id = ? and agent.state <> 'deleted'`,
    agent,
  );
  if (row === undefined) return undefined;
  const names = [...new Set([...domains, ...addresses])];
  return {
    agent,
    ...row,
    policy: (await findSendingPolicy(reader, agent)) ?? null,
    suppressed: await listSuppressed(reader, row.account, addresses),
    ownDomains: await listOwnDomains(reader, row.account, domains),
    correspondents: await listCorrespondents(reader, agent, names),
    contacts: await listKnownContacts(reader, agent, names),
  };
}

async function listOwnDomains(
  reader: Reader,
  account: AccountNumber,
  domains: readonly string[],
): Promise<string[]> {
  if (domains.length === 0) return [];
  const padded = paddedList(domains);
  const rows = await reader.all<{ name: string }>(
    `select name from domain where account_id = ? and name in (${placesFor(padded)}) order by name`,
    account,
    ...padded,
  );
  return rows.map(({ name }) => name);
}
