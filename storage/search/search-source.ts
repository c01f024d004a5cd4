/** The source of the search index: the store's rows, read on a connection of the indexing thread. */
import type { AgentNumber, MessageNumber, Modseq } from "#/src/model/numbers.ts";
import { openS3Objects } from "../objects/s3-objects.ts";
import { messageOf, type StoredMessage, selectMessage } from "../queries/mail/messages.ts";
import type { MessageRow } from "../rows.ts";
import { paddedList, placesFor, type Reader } from "../sql.ts";
import { openReading, SqliteSql } from "../sqlite/connection.ts";
import type { StorePlace } from "../store.ts";

export interface SearchSource extends Reader {
  close(): void;
  /** The deployment's secret, which identifies the store. */
  secret(): Promise<Uint8Array>;
  listAgents(): Promise<AgentNumber[]>;
  /** Messages above a position, ascending, and the position up to which they are complete; undefined when the agent is deleted. */
  listMessagesAfter(agent: AgentNumber, after: Modseq, limit: number): Promise<NewMessages | undefined>;
  findMessage(agent: AgentNumber, message: MessageNumber): Promise<MessageRow | undefined>;
  /** Those of the numbers whose messages are deleted. */
  listGone(agent: AgentNumber, messages: readonly MessageNumber[]): Promise<MessageNumber[]>;
}

export interface NewMessages {
  readonly messages: readonly MessageRow[];
  readonly upTo: Modseq;
  /** There may be more. */
  readonly isPartial: boolean;
  /** The log ends before the position: the index does not belong to this log, as after a backup was restored. */
  readonly isBehind: boolean;
  /** Messages may have been deleted since the position. */
  readonly hasRemovals: boolean;
}

async function openRows({ folder, database }: StorePlace): Promise<Reader & { close(): unknown }> {
  if (database !== undefined) {
    const { openPostgresRows } = await import("../postgres/rows.ts");
    return openPostgresRows(database);
  }
  const file = openReading(folder, "scanning");
  return Object.assign(new SqliteSql(file), { close: () => file.close() });
}

export async function openSearchSource(place: StorePlace): Promise<SearchSource> {
  const sql = await openRows(place);
  return {
    get: (query, ...parameters) => sql.get(query, ...parameters),
    all: (query, ...parameters) => sql.all(query, ...parameters),
    column: (query, ...parameters) => sql.column(query, ...parameters),
    objects: place.objects && openS3Objects(place.objects),
    close: () => void sql.close(),

    async secret() {
      const row = await sql.get<{ value: Uint8Array }>("select value from deployment where name = 'secret'");
      return row!.value;
    },

    async listAgents() {
      const rows = await sql.all<{ agent: AgentNumber }>(
        "select agent_id as agent from agent where state <> 'deleted' order by agent_id",
      );
      return rows.map(({ agent }) => agent);
    },

    async listMessagesAfter(agent, after, limit) {
      // The end of the log is read first: every message with a lower number is then already in the store.
      const row = await sql.get<{ modseq: Modseq; logFloor: Modseq }>(
        `select modseq, log_floor as "logFloor"
        from agent
        where agent_id = ? and state <> 'deleted'`,
        agent,
      );
      if (row === undefined) return undefined;
      const isBehind = row.modseq < after;
      const rows = await sql.all<StoredMessage>(
        `${selectMessage}
        where agent_id = ? and message_id > ? and message_id <= ?
        order by message_id
        limit ?`,
        agent,
        after,
        row.modseq,
        limit,
      );
      const isPartial = rows.length === limit;
      const upTo = isPartial ? (rows.at(-1)!.message as number as Modseq) : row.modseq;
      const removal = await sql.get(
        `select 1
        from change
        where agent_id = ? and modseq > ? and modseq <= ? and operation = 'remove' and kind in ('entry', 'mailbox')
        limit 1`,
        agent,
        after,
        upTo,
      );
      const hasRemovals = after > 0 && (removal !== undefined || after < row.logFloor);
      return { messages: rows.map(messageOf), upTo, isPartial, isBehind, hasRemovals };
    },

    async findMessage(agent, message) {
      const row = await sql.get<StoredMessage>(
        `${selectMessage} where agent_id = ? and message_id = ?`,
        agent,
        message,
      );
      return row && messageOf(row);
    },

    async listGone(agent, messages) {
      if (messages.length === 0) return [];
      const list = paddedList(messages);
      const rows = await sql.all<{ message: MessageNumber }>(
        `select message_id as message
        from message
        where agent_id = ? and message_id in (${placesFor(list)})`,
        agent,
        ...list,
      );
      const present = new Set(rows.map(({ message }) => message));
      return messages.filter((message) => !present.has(message));
    },
  };
}
