/** The outbound queue: submissions and their recipients. */

import type { AgentNumber, MessageNumber, Modseq } from "#/src/model/numbers.ts";
import { neverAt } from "#/src/model/scheduled.ts";
import { selectList } from "../../schema/select-list.ts";
import { paddedList, placesFor, type Reader, type SqlValue } from "../../sql.ts";
import type { SubmissionRecipientRow, SubmissionRow } from "../../submission.ts";

const submissionColumns = selectList<StoredSubmission, "submission">({
  agent: "submission.agent_id",
  submission: "submission.submission_id",
  account: "submission.account_id",
  blob: "submission.blob_id",
  message: "submission.message_id",
  source: "submission.source",
  envelopeFrom: "submission.envelope_from",
  envid: "submission.envid",
  ret: "submission.ret",
  bodyType: "submission.body_type",
  isSmtputf8: "submission.is_smtputf8",
  tlsWish: "submission.tls_wish",
  size: "submission.size",
  sendAt: "submission.send_at",
  expiresAt: "submission.expires_at",
  createdAt: "submission.created_at",
  closedAt: "submission.closed_at",
  answers: "submission.answers_id",
  forwards: "submission.forwards_id",
  leftModseq: "submission.left_modseq",
  requestedBy: "submission.requested_by",
});

const recipientColumns = selectList<StoredRecipient, "submission_recipient">({
  number: "submission_recipient.recipient_number",
  address: "submission_recipient.address",
  domain: "submission_recipient.domain",
  state: "submission_recipient.state",
  attemptCount: "submission_recipient.attempt_count",
  nextAttemptAt: "submission_recipient.next_attempt_at",
  notify: "submission_recipient.notify",
  orcpt: "submission_recipient.orcpt",
  host: "submission_recipient.host",
  status: "submission_recipient.status",
  reply: "submission_recipient.reply",
  delayToldAt: "submission_recipient.delay_told_at",
  updatedAt: "submission_recipient.updated_at",
});

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

/** The submission of a message; the latest one if it was sent more than once. */
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

/** The submission of a message in Scheduled. */
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

/** The MODSEQ at which a scheduled message was sent. */
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

/** Scheduled mail that is due, of mailboxes that are not paused; the longest waiting first. */
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

/** Scheduled mail that is in no mailbox: it is older than the mailbox Scheduled. */
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

export type RecipientDeliveryRow = Pick<
  SubmissionRecipientRow,
  "number" | "address" | "state" | "status" | "nextAttemptAt" | "updatedAt"
>;

const deliveryColumns = selectList<RecipientDeliveryRow, "submission_recipient">({
  number: "submission_recipient.recipient_number",
  address: "submission_recipient.address",
  state: "submission_recipient.state",
  status: "submission_recipient.status",
  nextAttemptAt: "submission_recipient.next_attempt_at",
  updatedAt: "submission_recipient.updated_at",
});

/** The outcomes of recipients after `after`, in order, at most `limit`. */
export function listRecipientDeliveries(
  reader: Reader,
  submission: { readonly agent: AgentNumber; readonly submission: number },
  after: number,
  limit: number,
): Promise<RecipientDeliveryRow[]> {
  return reader.all(
    `select ${deliveryColumns}
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

/** The due recipients of a submission in one domain. Reads all rows of the submission by its key, since these are few; an index by
 *  domain would give everything that waits for the domain. */
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

/** A position in the order in which recipients are due. */
export interface DueRow extends DueGroup {
  readonly nextAttemptAt: number;
  readonly number: number;
}

const dueColumns = selectList<DueRow, "submission_recipient">({
  agent: "submission_recipient.agent_id",
  submission: "submission_recipient.submission_id",
  domain: "submission_recipient.domain",
  number: "submission_recipient.recipient_number",
  nextAttemptAt: "submission_recipient.next_attempt_at",
});

/** Due recipients after `after`, the longest waiting first: of one domain, of one mailbox or of all. Paused mailboxes are left out, and
 *  what another daemon is sending. */
export function listDue(
  reader: Reader,
  options: {
    readonly now: number;
    readonly limit: number;
    readonly domain?: string | undefined;
    readonly agent?: AgentNumber | undefined;
    readonly after: DueRow | undefined;
    /** Who asks: what other daemons are sending is left out. */
    readonly daemon: string;
  },
): Promise<DueRow[]> {
  const { after, domain, agent } = options;
  const place: SqlValue[] =
    after === undefined
      ? [0, "", 0, 0, 0]
      : [after.nextAttemptAt, after.domain, after.agent, after.submission, after.number];
  return reader.all(
    `select ${dueColumns}
    from submission_recipient
    where state = 'queued' and next_attempt_at <= ?
      and (next_attempt_at, domain, agent_id, submission_id, recipient_number) > (?, ?, ?, ?, ?)
      ${domain === undefined ? "" : "and domain = ?"}
      ${agent === undefined ? "" : "and agent_id = ?"}
      and exists (select 1 from agent where agent.agent_id = submission_recipient.agent_id and agent.state = 'active')
      and not exists (
        select 1
        from delivery_claim as claim
        where claim.agent_id = submission_recipient.agent_id and claim.submission_id = submission_recipient.submission_id
          and claim.domain = submission_recipient.domain and claim.daemon <> ?)
    order by next_attempt_at, domain, agent_id, submission_id, recipient_number
    limit ?`,
    options.now,
    ...place,
    ...(domain === undefined ? [] : [domain]),
    ...(agent === undefined ? [] : [agent]),
    options.daemon,
    options.limit,
  );
}

/** A page of a list of domains or mailboxes. */
interface DuePage<V> {
  readonly now: number;
  readonly limit: number;
  /** Values to leave out. */
  readonly skip: readonly V[];
  /** The last value of the page before. */
  readonly after: V | undefined;
}

/** Domains with due recipients, in order. */
export function listDueDomains(reader: Reader, page: DuePage<string>): Promise<string[]> {
  return listDueOf(reader, "domain", page);
}

/** Mailboxes with due recipients, in order. */
export function listDueAgents(reader: Reader, page: DuePage<AgentNumber>): Promise<AgentNumber[]> {
  return listDueOf(reader, "agent_id", page);
}

/** The distinct values of a column among due recipients: one step of the index for each value, however many rows have it. */
function listDueOf<V extends string | number>(
  reader: Reader,
  column: "domain" | "agent_id",
  { now, limit, skip, after }: DuePage<V>,
): Promise<V[]> {
  const skipped = paddedList(skip);
  return reader.column<V>(
    `with recursive queued (value) as (
      select min(${column})
      from submission_recipient
      where state = 'queued' ${after === undefined ? "" : `and ${column} > ?`}
      union all
      select (select min(${column}) from submission_recipient as next where state = 'queued' and next.${column} > queued.value)
      from queued
      where queued.value is not null)
    select value
    from queued
    where value is not null and value not in (${placesFor(skipped)}) and exists (
      select 1
      from submission_recipient as due
      where due.state = 'queued' and due.${column} = queued.value and due.next_attempt_at <= ?)
    limit ?`,
    ...(after === undefined ? [] : [after]),
    ...skipped,
    now,
    limit,
  );
}

/** Queued recipients whose time is beyond a parameter, although nothing waits for so long: a clock that has been set back since has set it.
 *  Mail that was scheduled before there was a mailbox for it is queued too, and waits for its own time. */
export const setAhead = `state = 'queued' and next_attempt_at > ? and not exists (
  select 1 from submission as s
  where s.agent_id = submission_recipient.agent_id and s.submission_id = submission_recipient.submission_id
    and s.send_at > s.created_at and s.send_at = submission_recipient.next_attempt_at)`;

/** The next time after `now` at which something becomes due, and whether queued mail waits for a time beyond `after` that is not its own. */
export async function findNextDue(
  reader: Reader,
  { now, after }: { readonly now: number; readonly after: number },
): Promise<{ readonly next: number | undefined; readonly isSetAhead: boolean }> {
  const { queued, scheduled, ahead } = (await reader.get<{
    queued: number | null;
    scheduled: number | null;
    ahead: number | null;
  }>(
    `select
      (select min(next_attempt_at) from submission_recipient where state = 'queued' and next_attempt_at > ?) as queued,
      (select min(next_attempt_at) from submission_recipient where state = 'scheduled' and next_attempt_at > ?) as scheduled,
      (select 1 from submission_recipient where ${setAhead} limit 1) as ahead`,
    now,
    now,
    after,
  ))!;
  const times = [queued, scheduled].filter((at): at is number => at !== null && at < neverAt);
  return { next: times.length === 0 ? undefined : Math.min(...times), isSetAhead: ahead !== null };
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

/** How many mails a mailbox has sent since a time. */
export async function countSent(reader: Reader, agent: AgentNumber, since: number): Promise<number> {
  const row = await reader.get<{ count: number }>(
    "select count(*) as count from submission where agent_id = ? and created_at >= ?",
    agent,
    since,
  );
  return row!.count;
}
