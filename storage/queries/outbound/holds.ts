/** Holds, and the data for the policy that decides about them. */

import { clockSlackMs } from "#/src/model/clock.ts";
import type { Waiting } from "#/src/model/holds.ts";
import type { AccountNumber, AgentNumber, MailboxNumber, MessageNumber } from "#/src/model/numbers.ts";
import { holdRoles } from "#/src/model/roles.ts";
import { type HoldRow, holdOf, type SendingPolicyRow, selectHold } from "../../holds.ts";
import { selectList } from "../../schema/select-list.ts";
import { paddedList, placesFor, type Reader } from "../../sql.ts";

const rolesOfHolds = holdRoles.map((role) => `'${role}'`).join(", ");

type StoredHold = Omit<HoldRow, "envelope">;

export async function findHold(
  reader: Reader,
  agent: AgentNumber,
  hold: number,
): Promise<HoldRow | undefined> {
  const row = await reader.get<StoredHold>(`${selectHold} where agent_id = ? and hold_id = ?`, agent, hold);
  return row && holdOf(row);
}

export async function findHoldOfMessage(
  reader: Reader,
  agent: AgentNumber,
  message: MessageNumber,
): Promise<HoldRow | undefined> {
  const row = await reader.get<StoredHold>(
    `${selectHold} where agent_id = ? and message_id = ? order by hold_id desc limit 1`,
    agent,
    message,
  );
  return row && holdOf(row);
}

/** The waiting or approved hold whose mail has the Message-ID. */
export async function findLiveHoldByMessageId(
  reader: Reader,
  agent: AgentNumber,
  messageId: string,
): Promise<HoldRow | undefined> {
  const row = await reader.get<StoredHold>(
    `${selectHold}
    where hold.agent_id = ? and hold.state in ('waiting', 'approved') and exists (
      select 1 from message
      where message.agent_id = hold.agent_id and message.message_id = hold.message_id
        and substr(message.reference_ids || ' ', 1, ?) = ?)
    order by hold_id desc
    limit 1`,
    agent,
    [...messageId].length + 1,
    `${messageId} `,
  );
  return row && holdOf(row);
}

/** The waiting holds of one mailbox and the approved ones that are not sent; the oldest first. */
export async function listLiveHolds(reader: Pick<Reader, "all">, agent: AgentNumber): Promise<HoldRow[]> {
  const rows = await reader.all<StoredHold>(
    `${selectHold} where agent_id = ? and state in ('waiting', 'approved') order by hold_id`,
    agent,
  );
  return rows.map(holdOf);
}

/** Decided holds of one mailbox since a time, the newest first. */
export async function listDecidedHolds(
  reader: Reader,
  agent: AgentNumber,
  since: number,
  limit: number,
): Promise<HoldRow[]> {
  const rows = await reader.all<StoredHold>(
    `${selectHold}
    where agent_id = ? and decided_at >= ? and decided_at is not null
    order by decided_at desc
    limit ?`,
    agent,
    since,
    limit,
  );
  return rows.map(holdOf);
}

/** Holds of all mailboxes that are not paused, approved before the grace time, or so far ahead that the clock has been set back since; at most
 *  `limit`. */
export async function listReleasableHolds(
  reader: Reader,
  { now, graceMs }: { readonly now: number; readonly graceMs: number },
  limit: number,
): Promise<HoldRow[]> {
  const rows = await reader.all<StoredHold>(
    `${selectHold}
    join agent on agent.agent_id = hold.agent_id and agent.state = 'active'
    join account on account.account_id = agent.account_id and account.state = 'active'
    where hold.state = 'approved' and (decided_at <= ? or decided_at > ?)
    order by decided_at
    limit ?`,
    now - graceMs,
    now + graceMs + clockSlackMs,
    limit,
  );
  return rows.map(holdOf);
}

export async function listExpiredHolds(reader: Reader, now: number, limit: number): Promise<HoldRow[]> {
  const rows = await reader.all<StoredHold>(
    `${selectHold}
    join agent on agent.agent_id = hold.agent_id and agent.state <> 'deleted'
    where hold.state = 'waiting' and expires_at <= ?
    order by expires_at
    limit ?`,
    now,
    limit,
  );
  return rows.map(holdOf);
}

/** When the next hold to be sent was approved, and when the next one expires. */
export async function findNextHoldTimes(
  reader: Reader,
): Promise<{ readonly approvedAt: number | undefined; readonly expiresAt: number | undefined }> {
  const approved = await reader.get<{ at: number }>(
    `select decided_at as at
    from hold
    join agent on agent.agent_id = hold.agent_id and agent.state = 'active'
    join account on account.account_id = agent.account_id and account.state = 'active'
    where hold.state = 'approved'
    order by decided_at
    limit 1`,
  );
  const waiting = await reader.get<{ at: number }>(
    `select expires_at as at
    from hold
    join agent on agent.agent_id = hold.agent_id and agent.state <> 'deleted'
    where hold.state = 'waiting'
    order by expires_at
    limit 1`,
  );
  return { approvedAt: approved?.at, expiresAt: waiting?.at };
}

/** Mail of a mailbox that waits for the same people: its owner's decision (`unapproved`), or that of its approvers. */
export interface MailOfMailbox {
  readonly agent: AgentNumber;
  readonly isOwn: boolean;
}

/** What has no approver for sure is left out: who they are says `src/reach/approvers.ts`. */
const mayHaveApprover = `(
  exists (select 1 from sending_policy as p where p.agent_id = agent.agent_id and p.approver_id is not null)
  or exists (
    select 1 from agent_grant as g
    where g.target_agent_id = agent.agent_id and g.revoked_at is null and g.scopes like '%"approve"%'))`;

/** Mailboxes that are paused, and whose approvers have not been told. */
export function listUntoldPauses(reader: Reader): Promise<AgentNumber[]> {
  return reader.column(
    `select agent_id
    from agent
    where state = 'paused' and pause_told_at is null and ${mayHaveApprover}
    order by agent_id`,
  );
}

/** Waiting mail about which nobody has been notified, one row for all that is alike. */
export function listUntoldMail(reader: Reader): Promise<Waiting[]> {
  return reader.all(
    `select distinct hold.agent_id as agent, hold.requested_by as "requestedBy", hold.reason as reason
    from hold
    join agent on agent.agent_id = hold.agent_id and agent.state <> 'deleted'
    where hold.state = 'waiting' and hold.told_at is null
      and (hold.reason = 'unapproved' or ${mayHaveApprover})
    order by 1, 2, 3`,
  );
}

/** When one of these was notified last about mail that waits. */
export async function findNoticedAt(
  reader: Reader,
  people: readonly AgentNumber[],
): Promise<number | undefined> {
  const list = paddedList(people);
  const row = await reader.get<{ at: number | null }>(
    `select max(noticed_at) as at from agent where agent_id in (${placesFor(list)})`,
    ...list,
  );
  return row?.at ?? undefined;
}

/** The holds of these that wait, the oldest first. */
export async function listWaitingHolds(reader: Reader, mail: readonly MailOfMailbox[]): Promise<HoldRow[]> {
  const { text, parameters } = mailOf(mail);
  const rows = await reader.all<StoredHold>(
    `${selectHold}
    where hold.state = 'waiting' and ${text}
    order by hold.created_at, hold.agent_id, hold_id`,
    ...parameters,
  );
  return rows.map(holdOf);
}

function mailOf(mail: readonly MailOfMailbox[]) {
  // 0 is nobody's: a list has an entry at least.
  const agents = (isOwn: boolean) =>
    paddedList([0, ...mail.filter((one) => one.isOwn === isOwn).map(({ agent }) => agent)]);
  const [own, others] = [agents(true), agents(false)];
  return {
    text: `(hold.reason = 'unapproved' and hold.agent_id in (${placesFor(own)})
      or hold.reason <> 'unapproved' and hold.agent_id in (${placesFor(others)}))`,
    parameters: [...own, ...others],
  };
}

const selectPolicy = `
  select ${selectList<StoredPolicy, "sending_policy">({
    agent: "sending_policy.agent_id",
    policy: "sending_policy.policy",
    approver: "sending_policy.approver_id",
    allowed: "sending_policy.allowed",
    blocked: "sending_policy.blocked",
  })}
  from sending_policy`;

type StoredPolicy = Omit<SendingPolicyRow, "allowed" | "blocked"> & { allowed: string; blocked: string };

function policyOf(row: StoredPolicy): SendingPolicyRow {
  return {
    ...row,
    allowed: JSON.parse(row.allowed) as string[],
    blocked: JSON.parse(row.blocked) as string[],
  };
}

export async function findSendingPolicy(
  reader: Reader,
  agent: AgentNumber,
): Promise<SendingPolicyRow | undefined> {
  const row = await reader.get<StoredPolicy>(`${selectPolicy} where agent_id = ?`, agent);
  return row && policyOf(row);
}

/** The agents whose mail an approver may approve. */
export function listAgentsOfApprover(reader: Reader, approver: AgentNumber): Promise<AgentNumber[]> {
  return reader.column(
    "select agent_id from sending_policy where approver_id = ? order by agent_id",
    approver,
  );
}

/** The mailboxes in which an agent's mail waits for approval. */
export function listHoldMailboxes(reader: Reader, agent: AgentNumber): Promise<MailboxNumber[]> {
  return reader.column(
    `select mailbox_id from mailbox where agent_id = ? and role in (${rolesOfHolds})`,
    agent,
  );
}

/** Those of the given domains and addresses that are in the agent's contacts and were added by a person. */
export async function listKnownContacts(
  reader: Reader,
  agent: AgentNumber,
  names: readonly string[],
): Promise<string[]> {
  if (names.length === 0) return [];
  const padded = paddedList(names);
  const rows = await reader.all<{ name: string }>(
    `with asked (name) as (values ${padded.map(() => "(?)").join(",")})
    select distinct asked.name
    from asked
    where exists (
      select 1
      from item_address as a
      where a.agent_id = ? and a.name = asked.name and a.is_vouched = 1)
    order by asked.name`,
    ...padded,
    agent,
  );
  return rows.map(({ name }) => name);
}

/** Those of the given domains and addresses to which mail of the agent was delivered before. */
export async function listCorrespondents(
  reader: Reader,
  agent: AgentNumber,
  names: readonly string[],
): Promise<string[]> {
  if (names.length === 0) return [];
  const padded = paddedList(names);
  const rows = await reader.all<{ name: string }>(
    `select name from correspondent where agent_id = ? and name in (${placesFor(padded)}) order by name`,
    agent,
    ...padded,
  );
  return rows.map(({ name }) => name);
}

/** Those of the given addresses that are suppressed for an account. */
export async function listSuppressed(
  reader: Reader,
  account: AccountNumber,
  addresses: readonly string[],
): Promise<string[]> {
  if (addresses.length === 0) return [];
  const padded = paddedList(addresses);
  const rows = await reader.all<{ address: string }>(
    `select address from suppression where account_id = ? and address in (${placesFor(padded)}) order by address`,
    account,
    ...padded,
  );
  return rows.map(({ address }) => address);
}
