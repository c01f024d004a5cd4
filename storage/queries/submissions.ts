/** The queue: mail that leaves, and its recipients. */
import type { AgentNumber, MessageNumber, Modseq } from "#/src/model/numbers.ts";
import { neverAt } from "#/src/model/scheduled.ts";
import { paddedList, placesFor, type Reader, type SqlValue } from "../sql.ts";
import type { SubmissionRecipientRow, SubmissionRow } from "../submission.ts";

const submissionColumns = `
    submission.agent_id as agent, submission.submission_id as submission, submission.account_id as account,
    submission.blob_id as blob, submission.message_id as message, submission.source,
    submission.envelope_from as "envelopeFrom", submission.envid, submission.ret, submission.body_type as "bodyType",
    submission.is_smtputf8 as "isSmtputf8", submission.size, submission.send_at as "sendAt",
    submission.expires_at as "expiresAt", submission.created_at as "createdAt", submission.closed_at as "closedAt",
    submission.answers_id as answers, submission.forwards_id as forwards, submission.left_modseq as "leftModseq"`;

const recipientColumns = `
    recipient_number as number, address, domain, state, attempt_count as "attemptCount",
    next_attempt_at as "nextAttemptAt", notify, orcpt, host, status, reply,
    delay_told_at as "delayToldAt", updated_at as "updatedAt"`;

type StoredSubmission = Omit<SubmissionRow, "isSmtputf8"> & { readonly isSmtputf8: number };
type StoredRecipient = Omit<SubmissionRecipientRow, "notify"> & { readonly notify: string };

function submissionOf(row: StoredSubmission): SubmissionRow {
  return { ...row, isSmtputf8: row.isSmtputf8 === 1 };
}

function recipientOf(row: StoredRecipient): SubmissionRecipientRow {
  return { ...row, notify: row.notify === "" ? [] : row.notify.split(",") };
}

export async function findSubmission(
  reader: Reader,
  agent: AgentNumber,
  submission: number,
): Promise<SubmissionRow | undefined> {
  const row = await reader.get<StoredSubmission>(
    `select ${submissionColumns} from submission where agent_id = ? and submission_id = ?`,
    agent,
    submission,
  );
  return row && submissionOf(row);
}

/** The one that a message left by; the latest, if it left more than once. */
export async function findSubmissionOfMessage(
  reader: Reader,
  agent: AgentNumber,
  message: MessageNumber,
): Promise<SubmissionRow | undefined> {
  const row = await reader.get<StoredSubmission>(
    `select ${submissionColumns}
    from submission
    where agent_id = ? and message_id = ?
    order by submission_id desc
    limit 1`,
    agent,
    message,
  );
  return row && submissionOf(row);
}

/** The submission that stands in Scheduled under the name of a message. */
export async function findScheduled(
  reader: Reader,
  agent: AgentNumber,
  message: MessageNumber,
): Promise<SubmissionRow | undefined> {
  const row = await reader.get<StoredSubmission>(
    `select ${submissionColumns}
    from submission
    where agent_id = ? and message_id = ? and closed_at is null and exists (
      select 1 from submission_recipient as r
      where r.agent_id = submission.agent_id and r.submission_id = submission.submission_id
        and r.state = 'scheduled')
    order by submission_id desc
    limit 1`,
    agent,
    message,
  );
  return row && submissionOf(row);
}

/** The MODSEQ at which a message that had been scheduled left. */
export async function findLeftModseq(
  reader: Reader,
  agent: AgentNumber,
  message: MessageNumber,
): Promise<Modseq | undefined> {
  const row = await reader.get<{ modseq: Modseq | null }>(
    "select max(left_modseq) as modseq from submission where agent_id = ? and message_id = ?",
    agent,
    message,
  );
  return row?.modseq ?? undefined;
}

/** Scheduled mail whose time has come, of mailboxes that send; the longest waiting first. */
export async function listDueScheduled(
  reader: Reader,
  options: { readonly now: number; readonly limit: number },
): Promise<SubmissionRow[]> {
  const rows = await reader.all<StoredSubmission>(
    `select ${submissionColumns}
    from submission
    join (
      select r.agent_id, r.submission_id, min(r.next_attempt_at) as due_at
      from submission_recipient as r
      join agent on agent.agent_id = r.agent_id and agent.state = 'active'
      where r.state = 'scheduled' and r.next_attempt_at <= ?
      group by r.agent_id, r.submission_id
      order by due_at, r.agent_id, r.submission_id
      limit ?) as due
    on due.agent_id = submission.agent_id and due.submission_id = submission.submission_id
    order by due.due_at, submission.agent_id, submission.submission_id`,
    options.now,
    options.limit,
  );
  return rows.map(submissionOf);
}

/** Scheduled mail of before there was a mailbox for it. */
export function listUnplacedScheduled(
  reader: Reader,
  limit: number,
): Promise<{ readonly agent: AgentNumber; readonly submission: number }[]> {
  return reader.all(
    `select distinct r.agent_id as agent, r.submission_id as submission
    from submission_recipient as r
    join submission as s on s.agent_id = r.agent_id and s.submission_id = r.submission_id
    where r.state = 'scheduled' and not exists (
      select 1 from entry as e
      join mailbox as m on m.agent_id = e.agent_id and m.mailbox_id = e.mailbox_id and m.role = 'scheduled'
      where e.agent_id = s.agent_id and e.message_id = s.message_id)
    order by r.agent_id, r.submission_id
    limit ?`,
    limit,
  );
}

export async function listRecipients(
  reader: Reader,
  agent: AgentNumber,
  submission: number,
): Promise<SubmissionRecipientRow[]> {
  const rows = await reader.all<StoredRecipient>(
    `select ${recipientColumns}
    from submission_recipient
    where agent_id = ? and submission_id = ?
    order by recipient_number`,
    agent,
    submission,
  );
  return rows.map(recipientOf);
}

export type RecipientFateRow = Pick<
  SubmissionRecipientRow,
  "number" | "address" | "state" | "status" | "nextAttemptAt" | "updatedAt"
>;

/** What became of the recipients behind `after`, in order, at most `limit`. */
export function listRecipientFates(
  reader: Reader,
  submission: { readonly agent: AgentNumber; readonly submission: number },
  after: number,
  limit: number,
): Promise<RecipientFateRow[]> {
  return reader.all(
    `select recipient_number as number, address, state, status, next_attempt_at as "nextAttemptAt",
      updated_at as "updatedAt"
    from submission_recipient
    where agent_id = ? and submission_id = ? and recipient_number > ?
    order by recipient_number
    limit ?`,
    submission.agent,
    submission.submission,
    after,
    limit,
  );
}

/** Of a submission, those of one domain whose time has come. All of its rows are read: by its key they are few, by the domain
 *  they would be found among everything that waits for it. */
export async function listDueRecipients(
  reader: Reader,
  { agent, submission, domain }: DueGroup,
  now: number,
): Promise<SubmissionRecipientRow[]> {
  const rows = await listRecipients(reader, agent, submission);
  return rows.filter((row) => row.state === "queued" && row.domain === domain && row.nextAttemptAt <= now);
}

export interface DueGroup {
  readonly agent: AgentNumber;
  readonly submission: number;
  readonly domain: string;
}

/** A place in the order in which recipients are due. */
export interface DueRow extends DueGroup {
  readonly nextAttemptAt: number;
  readonly number: number;
}

/** Recipients that are due, the longest waiting first, behind `after`: of one domain, of one mailbox or of all. Mailboxes that are
 *  paused send nothing. */
export function listDue(
  reader: Reader,
  options: {
    readonly now: number;
    readonly limit: number;
    readonly domain?: string | undefined;
    readonly agent?: AgentNumber | undefined;
    readonly after: DueRow | undefined;
  },
): Promise<DueRow[]> {
  const { after, domain, agent } = options;
  const place: SqlValue[] =
    after === undefined
      ? [0, "", 0, 0, 0]
      : [after.nextAttemptAt, after.domain, after.agent, after.submission, after.number];
  return reader.all(
    `select agent_id as agent, submission_id as submission, domain, recipient_number as number,
      next_attempt_at as "nextAttemptAt"
    from submission_recipient as due
    where state = 'queued' and next_attempt_at <= ?
      and (next_attempt_at, domain, agent_id, submission_id, recipient_number) > (?, ?, ?, ?, ?)
      ${domain === undefined ? "" : "and domain = ?"}
      ${agent === undefined ? "" : "and agent_id = ?"}
      and exists (select 1 from agent where agent.agent_id = due.agent_id and agent.state = 'active')
    order by next_attempt_at, domain, agent_id, submission_id, recipient_number
    limit ?`,
    options.now,
    ...place,
    ...(domain === undefined ? [] : [domain]),
    ...(agent === undefined ? [] : [agent]),
    options.limit,
  );
}

/** Domains behind `after` in their order that something is due for, but for the skipped ones: one step of the index for each,
 *  whatever waits for it. */
export async function listDueDomains(
  reader: Reader,
  options: {
    readonly now: number;
    readonly limit: number;
    readonly skipDomains: readonly string[];
    readonly after: string | undefined;
  },
): Promise<string[]> {
  const { after } = options;
  const skipped = paddedList(options.skipDomains);
  const rows = await reader.all<{ domain: string }>(
    `with recursive queued (domain) as (
      select min(domain)
      from submission_recipient
      where state = 'queued' ${after === undefined ? "" : "and domain > ?"}
      union all
      select (select min(domain) from submission_recipient as next where state = 'queued' and next.domain > queued.domain)
      from queued
      where queued.domain is not null)
    select domain
    from queued
    where domain is not null and domain not in (${placesFor(skipped)}) and exists (
      select 1
      from submission_recipient as due
      where due.state = 'queued' and due.domain = queued.domain and due.next_attempt_at <= ?)
    limit ?`,
    ...(after === undefined ? [] : [after]),
    ...skipped,
    options.now,
    options.limit,
  );
  return rows.map(({ domain }) => domain);
}

/** Mailboxes behind `after` in their order that something is due of, but for the skipped ones: one step of the index for each,
 *  whatever waits of it. */
export async function listDueAgents(
  reader: Reader,
  options: {
    readonly now: number;
    readonly limit: number;
    readonly skipAgents: readonly AgentNumber[];
    readonly after: number;
  },
): Promise<AgentNumber[]> {
  const skipped = paddedList(options.skipAgents);
  const rows = await reader.all<{ agent: AgentNumber }>(
    `with recursive queued (agent_id) as (
      select min(agent_id)
      from submission_recipient
      where state = 'queued' and agent_id > ?
      union all
      select (select min(agent_id) from submission_recipient as next where state = 'queued' and next.agent_id > queued.agent_id)
      from queued
      where queued.agent_id is not null)
    select agent_id as agent
    from queued
    where agent_id is not null and agent_id not in (${placesFor(skipped)}) and exists (
      select 1
      from submission_recipient as due
      where due.state = 'queued' and due.agent_id = queued.agent_id and due.next_attempt_at <= ?)
    limit ?`,
    options.after,
    ...skipped,
    options.now,
    options.limit,
  );
  return rows.map(({ agent }) => agent);
}

/** The next time after `now` at which something becomes due. */
export async function findNextDue(reader: Reader, now: number): Promise<number | undefined> {
  const times: number[] = [];
  for (const state of ["queued", "scheduled"]) {
    const row = await reader.get<{ at: number | null }>(
      `select min(next_attempt_at) as at
      from submission_recipient
      where state = '${state}' and next_attempt_at > ?`,
      now,
    );
    if (row?.at != null && row.at < neverAt) times.push(row.at);
  }
  return times.length === 0 ? undefined : Math.min(...times);
}

/** Mail that is still being tried, the oldest first. */
export async function listOpenSubmissions(
  reader: Reader,
  options: { readonly agent: AgentNumber | undefined; readonly limit: number },
): Promise<SubmissionRow[]> {
  const { agent, limit } = options;
  const rows = await reader.all<StoredSubmission>(
    `select ${submissionColumns}
    from submission
    where closed_at is null ${agent === undefined ? "" : "and agent_id = ?"}
    order by created_at, agent_id, submission_id
    limit ?`,
    ...(agent === undefined ? [] : [agent]),
    limit,
  );
  return rows.map(submissionOf);
}
