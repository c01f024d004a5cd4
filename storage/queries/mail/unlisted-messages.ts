/** Messages in the order of their numbers, to store the list fields of those that have none: mail that came with an earlier version. */
import type { AgentNumber, MessageNumber } from "#/src/model/numbers.ts";
import { expression, selectList } from "../../schema/select-list.ts";
import type { Reader } from "../../sql.ts";

/** The row of `deployment` with the last message that was looked at: its agent and its number. */
export const listFieldsPlaceName = "list fields filled up to";

export interface ListFieldsPlace {
  readonly agent: AgentNumber;
  readonly message: MessageNumber;
}

export interface UnlistedRow extends ListFieldsPlace {
  readonly trace: Uint8Array;
  /** null of a message that has list fields, or a header too long for them. */
  readonly header: Uint8Array | null;
}

const columns = selectList<UnlistedRow, "message">({
  agent: "message.agent_id",
  message: "message.message_id",
  trace: "message.trace",
  header: expression("case when message.list_fields is null and blob.header_size <= ? then blob.header end"),
});

export async function findListFieldsPlace(reader: Reader): Promise<ListFieldsPlace> {
  const row = await reader.get<{ value: Uint8Array }>(
    "select value from deployment where name = ?",
    listFieldsPlaceName,
  );
  const [agent, message] = row === undefined ? [0, 0] : Buffer.from(row.value).toString().split(" ");
  return { agent: Number(agent) as AgentNumber, message: Number(message) as MessageNumber };
}

export function listMessagesBehind(
  reader: Reader,
  place: ListFieldsPlace,
  options: { readonly headerBytesMax: number; readonly limit: number },
): Promise<UnlistedRow[]> {
  return reader.all(
    `select ${columns}
    from message
    join blob on blob.account_id = message.account_id and blob.blob_id = message.blob_id
    where (message.agent_id, message.message_id) > (?, ?)
    order by message.agent_id, message.message_id
    limit ?`,
    options.headerBytesMax,
    place.agent,
    place.message,
    options.limit,
  );
}
