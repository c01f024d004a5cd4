/** Invariants of the store, each with one query that finds violations. */
import { changeKinds } from "#/src/model/changes.ts";
import { grantedKinds } from "#/src/model/grants.ts";
import { agentTableNames, countedAmount, kindTables, rowOfGranted, tablesFreedAtOnce } from "../kinds.ts";
import { schema } from "../schema/schema.ts";
import { fileInvariants } from "./file-invariants.ts";
import { type Invariant, living } from "./invariant.ts";
import { itemInvariants } from "./item-invariants.ts";
import { references } from "./references.ts";

export const invariants: readonly Invariant[] = [
  {
    sentence: "agent ? has no INBOX",
    query: `select agent_id
      from agent
      where state <> 'deleted' and not exists (
        select 1 from mailbox where mailbox.agent_id = agent.agent_id and name = 'INBOX' and role = 'inbox')`,
  },
  {
    sentence: "agent ? does not have exactly one primary address",
    query: `select agent_id
      from agent
      where state <> 'deleted' and 1 <> (
        select count(*) from address where address.agent_id = agent.agent_id and is_primary = 1)`,
  },
  ...grantedKinds.map((kind) => ({
    sentence: `grant ? is on ${kind} ? of agent ?, which is not there`,
    query: `select grant_id, object_id, target_agent_id
      from grant_object as o
      where kind = '${kind}' and object_id <> 0 and not exists (
        ${rowOfGranted(kind, "o.target_agent_id", "o.object_id")})`,
  })),
  {
    sentence: "grant ? has an object of the kind ?, which there is not",
    query: `select grant_id, kind
      from grant_object
      where kind not in (${grantedKinds.map((kind) => `'${kind}'`).join(", ")})`,
  },
  {
    sentence:
      "agent ? counts ? messages, ? items and ? octets; its objects count ? messages, ? items and ? octets",
    query: `select * from (
        select agent_id, message_count, item_count, byte_count,
          ${countedAmount("messages")}, ${countedAmount("items")}, ${countedAmount("bytes")}
        from agent
        where state <> 'deleted') as counted
      where message_count <> messages or item_count <> items or byte_count <> bytes`,
  },
  {
    sentence: "address ?@? leads to agent ?, which is not there",
    query: `select local_part, domain, agent_id from address as t where not ${living}`,
  },
  {
    sentence: "address ?@? is in a domain that is not served",
    query: `select local_part, domain
      from address
      where not exists (select 1 from domain where domain.name = address.domain)`,
  },
  ...tablesFreedAtOnce.map((table) => ({
    sentence: `a row of ${table} belongs to agent ?, which is not there`,
    query: `select agent_id from ${table} as t where not ${living}`,
  })),
  {
    sentence:
      "mailbox ? of agent ? counts ? messages, ? unseen, ? deleted, ? octets; its entries are ?, ?, ?, ?",
    query: `select * from (
        select mailbox_id, agent_id, message_count, unseen_count, deleted_count, byte_count,
          (select count(*) from entry as e where e.agent_id = t.agent_id and e.mailbox_id = t.mailbox_id) as messages,
          (select count(*) from entry as e
            where e.agent_id = t.agent_id and e.mailbox_id = t.mailbox_id and flags & 1 = 0) as unseen,
          (select count(*) from entry as e
            where e.agent_id = t.agent_id and e.mailbox_id = t.mailbox_id and flags & 8 <> 0) as deleted,
          (select coalesce(sum(size), 0) from entry as e
            where e.agent_id = t.agent_id and e.mailbox_id = t.mailbox_id) as bytes
        from mailbox as t
        where ${living}) as counted
      where message_count <> messages or unseen_count <> unseen or deleted_count <> deleted or byte_count <> bytes`,
  },
  ...kindTables
    .filter(({ isOfClock }) => isOfClock)
    .map(({ table, number }) => ({
      sentence: `${table} ? of agent ? has a number or a MODSEQ above its agent's`,
      query: `select t.${number}, t.agent_id
        from ${table} as t join agent as a on a.agent_id = t.agent_id
        where t.${number} > a.modseq${"modseq" in schema[table] ? " or t.modseq > a.modseq" : ""}`,
    })),
  {
    sentence: "mailbox ? of agent ? has a UIDVALIDITY that its agent never gave",
    query: `select m.mailbox_id, m.agent_id
      from mailbox as m join agent as a on a.agent_id = m.agent_id
      where m.uid_validity > a.last_uid_validity or m.uid_validity < 1`,
  },
  {
    sentence: "agent ? has several mailboxes with UIDVALIDITY ?",
    query: "select agent_id, uid_validity from mailbox group by agent_id, uid_validity having count(*) > 1",
  },
  {
    sentence: "UID ? in mailbox ? of agent ? is not below UIDNEXT",
    query: `select e.uid, e.mailbox_id, e.agent_id
      from entry as e join mailbox as m on m.agent_id = e.agent_id and m.mailbox_id = e.mailbox_id
      where e.uid >= m.uid_next or e.uid < 1`,
  },
  {
    sentence: "mailbox ? of agent ? had UID ? as \\Recent, which is not below UIDNEXT",
    query: "select mailbox_id, agent_id, recent_uid from mailbox where recent_uid >= uid_next",
  },
  {
    sentence: "UID ? in mailbox ? of agent ? has a MODSEQ above its mailbox's",
    query: `select e.uid, e.mailbox_id, e.agent_id
      from entry as e join mailbox as m on m.agent_id = e.agent_id and m.mailbox_id = e.mailbox_id
      where e.modseq > m.modseq`,
  },
  {
    sentence: "UID ? in mailbox ? of agent ? has no message, or one of another size",
    query: `select uid, mailbox_id, agent_id
      from entry as t
      where not exists (
        select 1 from message as m
        where m.agent_id = t.agent_id and m.message_id = t.message_id and m.size = t.size)`,
  },
  {
    sentence: "message ? of agent ? counts ? entries and has ?",
    query: `select * from (
        select message_id, agent_id, entry_count,
          (select count(*) from entry as e where e.agent_id = t.agent_id and e.message_id = t.message_id) as entries
        from message as t) as counted
      where entry_count <> entries or entry_count < 1`,
  },
  {
    sentence: "message ? of agent ? has no blob in its account, or one of another size",
    query: `select message_id, agent_id
      from message as t
      where not exists (
        select 1 from blob as b
        where b.account_id = t.account_id and b.blob_id = t.blob_id and b.size + length(t.trace) = t.size)
        or t.account_id <> (select a.account_id from agent as a where a.agent_id = t.agent_id)`,
  },
  {
    sentence: "message ? of agent ? has a thread above its number",
    query: "select message_id, agent_id from message where thread_id > message_id",
  },
  {
    sentence: "a thread key of agent ? leads to thread ?, above its agent's MODSEQ",
    query: `select t.agent_id, t.thread_id
      from thread_key as t join agent as a on a.agent_id = t.agent_id
      where t.thread_id > a.modseq`,
  },
  {
    sentence: "hold ? of agent ? is live, and its mail is not in the mailbox of its state alone",
    query: `select hold_id, agent_id
      from hold as t
      where state in ('waiting', 'approved') and 1 <> (
          select coalesce(sum(case when m.role = case when t.state = 'waiting' then 'holds' else 'holds_approved' end
            then 1 else 2 end), 0)
          from entry as e join mailbox as m on m.agent_id = e.agent_id and m.mailbox_id = e.mailbox_id
          where e.agent_id = t.agent_id and e.message_id = t.message_id
            and m.role in ('holds', 'holds_approved', 'holds_declined'))`,
  },
  {
    sentence: "UID ? in mailbox ? of agent ? is among mail that waits, and nobody is asked about it",
    query: `select e.uid, e.mailbox_id, e.agent_id
      from entry as e
      join mailbox as m on m.agent_id = e.agent_id and m.mailbox_id = e.mailbox_id
      where m.role in ('holds', 'holds_approved') and not exists (
        select 1 from hold as h
        where h.agent_id = e.agent_id and h.message_id = e.message_id and h.state in ('waiting', 'approved'))`,
  },
  ...references,
  ...itemInvariants,
  ...fileInvariants,
  ...agentTableNames
    .filter((table) => !tablesFreedAtOnce.includes(table))
    .map((table) => ({
      sentence: `a row of ${table} belongs to agent ?, which is not there`,
      query: `select distinct agent_id
        from ${table}
        where not exists (select 1 from agent where agent.agent_id = ${table}.agent_id)`,
    })),
  {
    sentence: "blob ? of account ? counts ? references and has ?",
    query: `select * from (
        select b.blob_id, b.account_id, b.reference_count, coalesce(used.claims, 0) as claims
        from blob as b
        left join (
          select account_id, blob_id, count(*) as claims
          from (
            select account_id, blob_id from message
            union all select account_id, blob_id from upload
            union all select account_id, blob_id from item_attachment
            union all select account_id, blob_id from submission where closed_at is null) as claim
          group by account_id, blob_id) as used
        on used.account_id = b.account_id and used.blob_id = b.blob_id) as counted
      where reference_count <> claims`,
  },
  {
    sentence: "submission ? of agent ? is not of its account",
    query: `select t.submission_id, t.agent_id
      from submission as t join agent as a on a.agent_id = t.agent_id
      where a.state <> 'deleted' and t.account_id <> a.account_id`,
  },
  {
    sentence: "submission ? of agent ? is open with nobody to send to, or closed too early",
    query: `select submission_id, agent_id
      from submission as t
      where (closed_at is null) <> exists (
        select 1 from submission_recipient as r
        where r.agent_id = t.agent_id and r.submission_id = t.submission_id and r.state in ('queued', 'scheduled'))`,
  },
  {
    sentence: "UID ? in mailbox ? of agent ? is among scheduled mail, and nothing is scheduled",
    query: `select e.uid, e.mailbox_id, e.agent_id
      from entry as e
      join mailbox as m on m.agent_id = e.agent_id and m.mailbox_id = e.mailbox_id
      where m.role = 'scheduled' and not exists (
        select 1 from submission as s
        join submission_recipient as r
          on r.agent_id = s.agent_id and r.submission_id = s.submission_id and r.state = 'scheduled'
        where s.agent_id = e.agent_id and s.message_id = e.message_id)`,
  },
  {
    sentence: "submission ? of agent ? is scheduled, and its mail is in no mailbox",
    query: `select distinct s.submission_id, s.agent_id
      from submission as s
      join submission_recipient as r
        on r.agent_id = s.agent_id and r.submission_id = s.submission_id and r.state = 'scheduled'
      where not exists (
        select 1 from entry as e where e.agent_id = s.agent_id and e.message_id = s.message_id)`,
  },
  {
    sentence: "blob ? of account ? has a number that its account never gave",
    query: `select blob_id, account_id
      from blob as b
      where not exists (
        select 1 from account as a where a.account_id = b.account_id and a.next_blob_id > b.blob_id)`,
  },
  {
    sentence: "blob ? of account ? says it keeps ? octets and keeps ?",
    query: `select * from (
        select blob_id, account_id, stored_size,
          length(header) + length(data) + (
            select coalesce(sum(length(c.data)), 0)
            from blob_chunk as c
            where c.account_id = b.account_id and c.blob_id = b.blob_id) as kept
        from blob as b) as counted
      where stored_size <> kept`,
  },
  {
    sentence: "change ? of agent ? is above its agent's MODSEQ or not above the floor of its log",
    query: `select t.modseq, t.agent_id
      from change as t join agent as a on a.agent_id = t.agent_id
      where a.state <> 'deleted' and (t.modseq > a.modseq or t.modseq <= a.log_floor)`,
  },
  {
    sentence: "change ? of agent ? is of the kind ?, which there is not",
    query: `select modseq, agent_id, kind
      from change
      where kind not in (${changeKinds.map((kind) => `'${kind}'`).join(", ")})`,
  },
  {
    sentence: "change ? of agent ? has a gap in its order",
    query: `select modseq, agent_id
      from change
      group by agent_id, modseq
      having min(ordinal) <> 0 or max(ordinal) <> count(*) - 1`,
  },
  {
    sentence: "agent ? has MODSEQ ?, and the last change in its log is ?",
    query: `select * from (
        select agent_id, modseq, log_floor,
          (select max(c.modseq) from change as c where c.agent_id = a.agent_id) as last
        from agent as a
        where state <> 'deleted') as logged
      where coalesce(last, log_floor) <> modseq`,
  },
];
