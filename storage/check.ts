/** Every invariant of the store, as a sentence about what breaks it.
 *
 *  Runs over one snapshot. Counts are compared set-wise; the bytes of every blob are read, decompressed and hashed. */
import { createHash } from "node:crypto";
import { keywordNumbers } from "#/src/model/flags.ts";
import { hasNumber, parseNumberSet } from "#/src/model/number-set.ts";
import type { AccountNumber, AgentNumber, BlobNumber, MailboxNumber } from "#/src/model/numbers.ts";
import { readBlobRange } from "./blob.ts";
import { parentNames } from "./mailbox-name.ts";
import type { Reader } from "./sql.ts";

/** So many of one kind are named; a store that is badly off is not described row by row. */
const findingsPerInvariant = 20;

interface Invariant {
  /** What is wrong with a row that the query finds; `?` stands for its columns in order. */
  readonly sentence: string;
  readonly query: string;
}

const living = "exists (select 1 from agent where agent.agent_id = t.agent_id and agent.state <> 'deleted')";

const invariants: readonly Invariant[] = [
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
  {
    sentence: "agent ? belongs to account ?, which is not there",
    query: `select agent_id, account_id
      from agent
      where not exists (select 1 from account where account.account_id = agent.account_id)`,
  },
  {
    sentence: "agent ? counts ? messages and ? octets; its mailboxes count ? and ?",
    query: `select * from (
        select agent_id, message_count, byte_count,
          (select coalesce(sum(m.message_count), 0) from mailbox as m where m.agent_id = agent.agent_id) as messages,
          (select coalesce(sum(m.byte_count), 0) from mailbox as m where m.agent_id = agent.agent_id) as bytes
        from agent
        where state <> 'deleted') as counted
      where message_count <> messages or byte_count <> bytes`,
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
  ...["token", "app_password", "agent_grant", "webhook"].map((table) => ({
    sentence: `a row of ${table} belongs to agent ?, which is not there`,
    query: `select agent_id from ${table} as t where not ${living}`,
  })),
  {
    sentence: "attempt ? is of webhook ?, which is not there",
    query: `select attempt_number, webhook_id
      from webhook_attempt as t
      where not exists (select 1 from webhook where webhook.webhook_id = t.webhook_id)`,
  },
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
  {
    sentence: "mailbox ? of agent ? has MODSEQ ?, above its agent's ?",
    query: `select mailbox_id, agent_id, modseq, agent_modseq from (
        select m.mailbox_id, m.agent_id, m.modseq, a.modseq as agent_modseq
        from mailbox as m join agent as a on a.agent_id = m.agent_id) as joined
      where modseq > agent_modseq or mailbox_id > agent_modseq`,
  },
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
    sentence: "an annotation belongs to mailbox ? of agent ?, which is not there",
    query: `select mailbox_id, agent_id
      from mailbox_metadata as t
      where mailbox_id <> 0 and not exists (
        select 1 from mailbox as m where m.agent_id = t.agent_id and m.mailbox_id = t.mailbox_id)`,
  },
  {
    sentence: "UID ? is in mailbox ? of agent ?, which is not there",
    query: `select uid, mailbox_id, agent_id
      from entry as t
      where not exists (
        select 1 from mailbox as m where m.agent_id = t.agent_id and m.mailbox_id = t.mailbox_id)`,
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
    sentence: "message ? of agent ? has a number, or a thread, above its agent's MODSEQ",
    query: `select t.message_id, t.agent_id
      from message as t join agent as a on a.agent_id = t.agent_id
      where t.message_id > a.modseq or t.thread_id > t.message_id`,
  },
  {
    sentence: "a thread key of agent ? leads to thread ?, above its agent's MODSEQ",
    query: `select t.agent_id, t.thread_id
      from thread_key as t join agent as a on a.agent_id = t.agent_id
      where t.thread_id > a.modseq`,
  },
  {
    sentence: "draft ? of agent ? is message ?, which is not there",
    query: `select draft_id, agent_id, message_id
    from draft as t
    where not exists (
      select 1 from message as m where m.agent_id = t.agent_id and m.message_id = t.message_id)`,
  },
  {
    sentence: "a key of agent ? leads to draft ?, which is not there",
    query: `select agent_id, draft_id
    from draft_key as t
    where not exists (
      select 1 from draft as d where d.agent_id = t.agent_id and d.draft_id = t.draft_id)`,
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
  ...[
    ...["mailbox", "subscription", "keyword", "entry", "message", "thread_key", "change", "idempotency"],
    ...["submission", "send_time", "correspondent_domain", "draft", "draft_key", "upload"],
    ...["hold", "sending_policy"],
  ].map((table) => ({
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
            union all select account_id, blob_id from submission where closed_at is null) as claim
          group by account_id, blob_id) as used
        on used.account_id = b.account_id and used.blob_id = b.blob_id) as counted
      where reference_count <> claims`,
  },
  {
    sentence: "submission ? of agent ? is not of its account, or has a number that its agent never gave",
    query: `select t.submission_id, t.agent_id
      from submission as t join agent as a on a.agent_id = t.agent_id
      where a.state <> 'deleted' and (t.account_id <> a.account_id or t.submission_id > a.modseq)`,
  },
  {
    sentence: "submission ? of agent ? is open with nobody to send to, or closed too early",
    query: `select submission_id, agent_id
      from submission as t
      where (closed_at is null) <> exists (
        select 1 from submission_recipient as r
        where r.agent_id = t.agent_id and r.submission_id = t.submission_id and r.state = 'queued')`,
  },
  {
    sentence: "recipient ? of submission ? of agent ? has no submission",
    query: `select recipient_number, submission_id, agent_id
      from submission_recipient as t
      where not exists (
        select 1 from submission as s where s.agent_id = t.agent_id and s.submission_id = t.submission_id)`,
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
    sentence: "chunk ? of blob ? of account ? has no blob",
    query: `select chunk_number, blob_id, account_id
      from blob_chunk as c
      where not exists (
        select 1 from blob as b where b.account_id = c.account_id and b.blob_id = c.blob_id)`,
  },
  {
    sentence: "change ? of agent ? is above its agent's MODSEQ or not above the floor of its log",
    query: `select t.modseq, t.agent_id
      from change as t join agent as a on a.agent_id = t.agent_id
      where a.state <> 'deleted' and (t.modseq > a.modseq or t.modseq <= a.log_floor)`,
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

export async function checkStore(
  reader: Reader,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<string[]> {
  const findings: string[] = [];
  const { blobs } = (await reader.get<{ blobs: number }>("select count(*) as blobs from blob"))!;
  const total = invariants.length + 3 + blobs;
  let done = 0;
  const step = (): void => onProgress(++done, total);
  for (const { sentence, query } of invariants) {
    const rows = await reader.all<Record<string, unknown>>(`${query} limit ${findingsPerInvariant}`);
    for (const row of rows) findings.push(fill(sentence, Object.values(row)));
    step();
  }
  findings.push(...(await checkParents(reader)));
  step();
  findings.push(...(await checkKeywords(reader)));
  step();
  findings.push(...(await checkLog(reader)));
  step();
  findings.push(...(await checkBlobs(reader, step)));
  return findings;
}

function fill(sentence: string, values: readonly unknown[]): string {
  let next = 0;
  return sentence.replace(/\?/g, () => String(values[next++]));
}

async function checkParents(reader: Reader): Promise<string[]> {
  const findings: string[] = [];
  const rows = await reader.all<{ agent: AgentNumber; name: string }>(
    "select agent_id as agent, name from mailbox",
  );
  const names = new Set(rows.map(({ agent, name }) => `${agent} ${name}`));
  for (const { agent, name } of rows)
    for (const parent of parentNames(name))
      if (!names.has(`${agent} ${parent}`))
        findings.push(`mailbox ${name} of agent ${agent} has no ${parent} above it`);
  return findings.slice(0, findingsPerInvariant);
}

async function checkKeywords(reader: Reader): Promise<string[]> {
  const findings: string[] = [];
  const keywords = await reader.all<{ agent: AgentNumber; count: number; last: number }>(
    `select agent_id as agent, count(*) as count, max(keyword_number) as last
    from keyword
    group by agent_id`,
  );
  for (const { agent, count, last } of keywords)
    if (last !== count - 1) findings.push(`the keywords of agent ${agent} are not numbered without gaps`);
  const counts = new Map(keywords.map(({ agent, count }) => [agent, count]));
  const states = await reader.all<{ agent: AgentNumber; flags: number; keywords: string | null }>(
    "select distinct agent_id as agent, flags, keywords from entry",
  );
  for (const { agent, flags, keywords } of states) {
    const unknown = keywordNumbers({ mask: flags, overflow: keywords }).find(
      (number) => !(number < (counts.get(agent) ?? 0)),
    );
    if (unknown !== undefined)
      findings.push(`agent ${agent} has entries with keyword ${unknown}, which has no name`);
    if (flags < 0 || (flags & 0xe0) !== 0)
      findings.push(`agent ${agent} has entries with the flags ${flags}`);
  }
  return findings.slice(0, findingsPerInvariant);
}

/** Each entry and each message must have come by a change, unless that is below the floor. */
async function checkLog(reader: Reader): Promise<string[]> {
  const findings: string[] = [];
  const agents = await reader.all<{ agent: AgentNumber; floor: number }>(
    "select agent_id as agent, log_floor as floor from agent where state <> 'deleted' order by agent_id",
  );
  for (const { agent, floor } of agents) {
    const changes = await reader.all<{ modseq: number; parent: number; operation: string; ids: string }>(
      `select modseq, parent, operation, ids
      from change
      where agent_id = ? and kind = 'entry'`,
      agent,
    );
    const written = new Map<string, ReturnType<typeof parseNumberSet>>();
    for (const { modseq, parent, operation, ids } of changes)
      if (operation !== "remove") {
        const key = `${modseq} ${parent}`;
        written.set(
          key,
          [...(written.get(key) ?? []), ...parseNumberSet(ids)].sort((a, b) => a[0] - b[0]),
        );
      }
    const entries = await reader.all<{ mailbox: MailboxNumber; uid: number; modseq: number }>(
      `select mailbox_id as mailbox, uid, modseq
      from entry
      where agent_id = ? and modseq > ?`,
      agent,
      floor,
    );
    for (const { mailbox, uid, modseq } of entries) {
      const set = written.get(`${modseq} ${mailbox}`);
      if (set === undefined || !hasNumber(set, uid))
        findings.push(
          `UID ${uid} in mailbox ${mailbox} of agent ${agent} has MODSEQ ${modseq}, which the log lacks`,
        );
      if (findings.length >= findingsPerInvariant) return findings;
    }
  }
  return findings;
}

async function checkBlobs(reader: Reader, step: () => void): Promise<string[]> {
  const findings: string[] = [];
  const pageSize = 250;
  let last: { account: number; blob: number } = { account: 0, blob: 0 };
  for (;;) {
    const rows = await reader.all<{
      account: AccountNumber;
      blob: BlobNumber;
      size: number;
      headerSize: number;
      sha256: Uint8Array;
    }>(
      `select account_id as account, blob_id as blob, size, header_size as "headerSize", sha256
      from blob
      where (account_id, blob_id) > (?, ?)
      order by account_id, blob_id
      limit ?`,
      last.account,
      last.blob,
      pageSize,
    );
    for (const { account, blob, size, headerSize, sha256 } of rows) {
      const name = `blob ${blob} of account ${account}`;
      try {
        const bytes = await readBlobRange(reader, account, blob, 0, size);
        if (bytes.length !== size || headerSize > size)
          findings.push(`${name} says it has ${size} octets and has ${bytes.length}`);
        else if (!createHash("sha256").update(bytes).digest().equals(sha256))
          findings.push(`${name} does not have the octets that were stored`);
      } catch (error) {
        findings.push(`${name} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
      }
      step();
    }
    if (rows.length < pageSize || findings.length >= findingsPerInvariant) return findings;
    last = rows.at(-1)!;
  }
}
