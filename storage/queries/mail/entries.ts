/** Messages in mailboxes, by UID. Long reads are made in pages (`uid-pages.ts`), with a turn of the event loop between them; each page is
 *  its own snapshot. */

import { nextTurn } from "#/src/fairness/loop-turns.ts";
import { messageProperties } from "#/src/model/message-properties.ts";
import { intersectNumberSets, type NumberSet, numberSetOf } from "#/src/model/number-set.ts";
import type { AgentNumber, MailboxNumber, MessageNumber, Uid } from "#/src/model/numbers.ts";
import type { EntryMessageRow, EntryRow, EntryThreadRow } from "../../rows.ts";
import { expression, selectList, wholeRow } from "../../schema/select-list.ts";
import { slicesOf } from "../../slices.ts";
import type { Reader, SqlValue } from "../../sql.ts";
import { type EntryPageOptions, pagesOf } from "./uid-pages.ts";

const entryColumns = wholeRow<EntryRow, "entry">()(
  {
    mailbox: "entry.mailbox_id",
    uid: "entry.uid",
    message: "entry.message_id",
    modseq: "entry.modseq",
    flags: "entry.flags",
    keywords: "entry.keywords",
    internalDate: "entry.internal_date",
    savedAt: "entry.saved_at",
    size: "entry.size",
  },
  { agent_id: "the caller has named it" },
);

/** Rows with a single number that are read at once: 2 ms. */
const uidRows = 10_000;
/** UIDs whose rows are counted at once: within a millisecond. */
const uidSpan = 16_384;

/** The UIDs of a mailbox, ascending. New UIDs are always higher. So a caller that noted the position of the log before finds there all
 *  changes made between two pages.
 *
 *  Where no message is missing, the UIDs follow from the count, and no row is read: of the whole mailbox by its counter, of a span by
 *  counting it. Reading each UID takes about ten times as long as counting. */
export async function listUids(reader: Reader, agent: AgentNumber, mailbox: MailboxNumber): Promise<Uid[]> {
  const whole = await reader.get<UidSpan>(
    `select message_count as count,
      (select min(uid) from entry where entry.agent_id = mailbox.agent_id and entry.mailbox_id = mailbox.mailbox_id) as first,
      (select max(uid) from entry where entry.agent_id = mailbox.agent_id and entry.mailbox_id = mailbox.mailbox_id) as last
    from mailbox
    where agent_id = ? and mailbox_id = ?`,
    agent,
    mailbox,
  );
  const uids: Uid[] = [];
  if (whole === undefined || whole.last === null || addWithoutGaps(uids, whole)) return uids;
  const { first, last, count } = whole;
  const isSparse = last - first > 2 * count;
  for (let from: number = first; from <= last; from += uidSpan) {
    const end = isSparse ? last : Math.min(last, from + uidSpan - 1);
    if (isSparse || !addWithoutGaps(uids, await countUids(reader, agent, mailbox, from, end)))
      await readUids(reader, agent, mailbox, [from, end], uids);
    if (isSparse) break;
    await nextTurn();
  }
  return uids;
}

interface UidSpan {
  readonly count: number;
  readonly first: Uid;
  /** null without messages, and then `first` too. */
  readonly last: Uid | null;
}

/** False, and adds nothing, where some UIDs of the span have no message. */
function addWithoutGaps(uids: Uid[], { count, first, last }: UidSpan): boolean {
  if (count === 0) return true;
  if (last === null || last - first + 1 !== count) return false;
  for (let uid: number = first; uid <= last; uid++) uids.push(uid as Uid);
  return true;
}

async function countUids(
  reader: Reader,
  agent: AgentNumber,
  mailbox: MailboxNumber,
  from: number,
  end: number,
): Promise<UidSpan> {
  const span = await reader.get<UidSpan>(
    `select count(*) as count, min(uid) as first, max(uid) as last
    from entry
    where agent_id = ? and mailbox_id = ? and uid between ? and ?`,
    agent,
    mailbox,
    from,
    end,
  );
  return span!;
}

async function readUids(
  reader: Reader,
  agent: AgentNumber,
  mailbox: MailboxNumber,
  [from, end]: readonly [number, number],
  uids: Uid[],
): Promise<void> {
  for (let next = from; ; ) {
    const page = await reader.column<Uid>(
      "select uid from entry where agent_id = ? and mailbox_id = ? and uid between ? and ? order by uid limit ?",
      agent,
      mailbox,
      next,
      end,
      uidRows,
    );
    for (const uid of page) uids.push(uid);
    if (page.length < uidRows) return;
    next = page.at(-1)! + 1;
    await nextTurn();
  }
}

export async function countEntriesAbove(
  reader: Reader,
  agent: AgentNumber,
  mailbox: MailboxNumber,
  uid: Uid | 0,
): Promise<number> {
  const row = await reader.get<{ count: number }>(
    "select count(*) as count from entry where agent_id = ? and mailbox_id = ? and uid > ?",
    agent,
    mailbox,
    uid,
  );
  return row!.count;
}

/** A condition on flags: of the bits in `mask`, those in `value` are set and the others are not. */
export interface FlagQuery {
  readonly mask: number;
  readonly value: number;
}

/** A span of UIDs whose rows are read within a millisecond. */
const flagSpan = 16_384;

/** The UIDs of a set whose flags meet the condition, ascending, in pages. A set that is longer than one span is read as far as there
 *  are UIDs. */
export async function* flaggedUidPages(
  reader: Reader,
  agent: AgentNumber,
  mailbox: MailboxNumber,
  uids: NumberSet,
  { mask, value }: FlagQuery,
): AsyncGenerator<Uid[]> {
  const isShort = uids.length > 0 && uids.at(-1)![1] - uids[0]![0] < flagSpan;
  const present = isShort ? uids : intersectNumberSets(uids, [[1, await lastUid(reader, agent, mailbox)]]);
  for (const { condition, parameters, isRange } of slicesOf(present, "uid")) {
    const [first, bound] = parameters as [number, number];
    for (let from = first; from <= (isRange ? bound : first); from += flagSpan) {
      yield await reader.column<Uid>(
        `select uid
        from entry
        where agent_id = ? and mailbox_id = ? and ${condition} and (flags & ?) = ?
        order by uid`,
        agent,
        mailbox,
        ...(isRange ? [from, Math.min(bound, from + flagSpan - 1)] : parameters),
        mask,
        value,
      );
      await nextTurn();
    }
  }
}

/** 0 without messages. */
async function lastUid(reader: Reader, agent: AgentNumber, mailbox: MailboxNumber): Promise<number> {
  const end = await reader.get<{ last: Uid | null }>(
    "select max(uid) as last from entry where agent_id = ? and mailbox_id = ?",
    agent,
    mailbox,
  );
  return end?.last ?? 0;
}

export function findEntry(
  reader: Reader,
  agent: AgentNumber,
  mailbox: MailboxNumber,
  uid: Uid,
): Promise<EntryRow | undefined> {
  return reader.get(
    `select ${entryColumns} from entry where agent_id = ? and mailbox_id = ? and uid = ?`,
    agent,
    mailbox,
    uid,
  );
}

/** The entries of a message; it is shown by the first. */
export function listEntriesOfMessage(
  reader: Reader,
  agent: AgentNumber,
  message: MessageNumber,
): Promise<EntryRow[]> {
  return reader.all(
    `select ${entryColumns}
    from entry
    where agent_id = ? and message_id = ?
    order by saved_at, mailbox_id, uid`,
    agent,
    message,
  );
}

/** The same of several messages: their entries by the message's number. */
export async function listEntriesOfMessages(
  reader: Reader,
  agent: AgentNumber,
  messages: readonly MessageNumber[],
): Promise<ReadonlyMap<MessageNumber, EntryRow[]>> {
  const found = new Map<MessageNumber, EntryRow[]>(messages.map((message) => [message, []]));
  for (const { condition, parameters } of slicesOf(numberSetOf(messages), "message_id")) {
    const rows = await reader.all<EntryRow>(
      `select ${entryColumns}
      from entry
      where agent_id = ? and ${condition}
      order by saved_at, mailbox_id, uid`,
      agent,
      ...parameters,
    );
    for (const row of rows) found.get(row.message)!.push(row);
  }
  return found;
}

/** Entries of a set of UIDs, ascending; with `changedSince` only those with a higher MODSEQ (RFC 7162 section 3.1.4.1). */
export function entryPages(
  reader: Reader,
  agent: AgentNumber,
  mailbox: MailboxNumber,
  uids: NumberSet,
  options: EntryPageOptions = {},
): AsyncIterable<EntryRow[]> {
  return pagesOf<EntryRow>(
    reader,
    `select ${entryColumns}
    from entry
    where entry.agent_id = ? and entry.mailbox_id = ?`,
    [agent, mailbox],
    uids,
    options,
  );
}

type StoredMessage = Omit<EntryMessageRow, "hasAgentPart"> & { hasAgentPart: number | boolean };

const messageColumns = selectList<Omit<StoredMessage, keyof EntryRow>, "message">({
  account: "message.account_id",
  blob: "message.blob_id",
  thread: "message.thread_id",
  date: "message.date",
  trace: "message.trace",
  subject: "message.subject",
  hasAgentPart: expression("message.agent_part"),
  envelope: "message.envelope",
  bodyStructure: "message.body_structure",
  ...messageProperties.selected("message"),
});

/** The same, with the facts of each message. */
export function messagePages(
  reader: Reader,
  agent: AgentNumber,
  mailbox: MailboxNumber,
  uids: NumberSet,
  options: EntryPageOptions = {},
): AsyncIterable<EntryMessageRow[]> {
  return pagesOf<StoredMessage, EntryMessageRow>(
    reader,
    `select ${entryColumns}, ${messageColumns}
    from entry
    join message on message.agent_id = entry.agent_id and message.message_id = entry.message_id
    where entry.agent_id = ? and entry.mailbox_id = ?`,
    [agent, mailbox],
    uids,
    {
      ...options,
      show(rows) {
        for (const row of rows) row.hasAgentPart = Boolean(row.hasAgentPart);
        return rows as EntryMessageRow[];
      },
    },
  );
}

const threadColumns = selectList<EntryThreadRow, "entry" | "message">({
  uid: "entry.uid",
  internalDate: "entry.internal_date",
  size: "entry.size",
  date: "message.date",
  subject: "message.subject",
  referenceIds: "message.reference_ids",
  account: "message.account_id",
  blob: "message.blob_id",
  trace: expression("case when message.reference_ids is null then message.trace end"),
});

/** The same, with the columns by which messages are threaded. */
export function threadPages(
  reader: Reader,
  agent: AgentNumber,
  mailbox: MailboxNumber,
  uids: NumberSet,
): AsyncIterable<EntryThreadRow[]> {
  return pagesOf<EntryThreadRow>(
    reader,
    `select ${threadColumns}
    from entry
    join message on message.agent_id = entry.agent_id and message.message_id = entry.message_id
    where entry.agent_id = ? and entry.mailbox_id = ?`,
    [agent, mailbox],
    uids,
    {},
  );
}

interface PagedReader {
  pages<R>(query: string, key: (row: R) => SqlValue[], first: readonly SqlValue[]): AsyncIterable<R[]>;
}

/** Messages that are in several places, in pages by their numbers. */
export async function* sharedMessagePages(
  store: PagedReader,
  agent: AgentNumber,
): AsyncGenerator<readonly MessageNumber[]> {
  const pages = store.pages<{ message: MessageNumber; places: number }>(
    `select message_id as message, count(*) as places
    from entry
    where agent_id = ? and message_id > ?
    group by message_id
    order by message_id
    limit ?`,
    ({ message }) => [agent, message],
    [agent, 0],
  );
  for await (const page of pages) yield page.filter(({ places }) => places > 1).map(({ message }) => message);
}
