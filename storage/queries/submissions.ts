/** The queue: mail that leaves, and its recipients. */
import type { AgentNumber } from "#/src/model/numbers.ts";
import { paddedList, placesFor, type Reader, type SqlValue } from "../sql.ts";
import type { SubmissionRecipientRow, SubmissionRow } from "../submission.ts";

const submissionColumns = `
    submission.agent_id as agent, submission.submission_id as submission, submission.account_id as account,
    submission.blob_id as blob, submission.message_id as message, submission.source,
    submission.envelope_from as "envelopeFrom", submission.envid, submission.ret, submission.body_type as "bodyType",
    submission.is_smtputf8 as "isSmtputf8", submission.size, submission.send_at as "sendAt",
    submission.expires_at as "expiresAt", submission.delay_told_at as "delayToldAt",
    submission.created_at as "createdAt", submission.closed_at as "closedAt"`;

const recipientColumns = `
    recipient_number as number, address, domain, state, attempt_count as "attemptCount",
    next_attempt_at as "nextAttemptAt", notify, orcpt, host, status, reply, updated_at as "updatedAt"`;

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

/** Recipients that are due, the longest waiting first, behind `after`: of one domain or of all. Mailboxes that are paused send
 *  nothing. */
export function listDue(
  reader: Reader,
  options: {
    readonly now: number;
    readonly limit: number;
    readonly domain: string | undefined;
    readonly after: DueRow | undefined;
  },
): Promise<DueRow[]> {
  const { after, domain } = options;
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
      and exists (select 1 from agent where agent.agent_id = due.agent_id and agent.state = 'active')
    order by next_attempt_at, domain, agent_id, submission_id, recipient_number
    limit ?`,
    options.now,
    ...place,
    ...(domain === undefined ? [] : [domain]),
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

/** The next time after `now` at which something becomes due. */
export async function findNextDue(reader: Reader, now: number): Promise<number | undefined> {
  const row = await reader.get<{ at: number | null }>(
    `select min(next_attempt_at) as at
    from submission_recipient
    where state = 'queued' and next_attempt_at > ?`,
    now,
  );
  return row?.at ?? undefined;
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
