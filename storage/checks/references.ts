/** Rows that name a row of another table, which must be there. `check` reads it from here; `test/storage/references.test.ts` knows of every
 *  column that names one. */
import type { Schema, TableName } from "../schema/schema.ts";
import { type Invariant, living } from "./invariant.ts";

export interface Reference extends Invariant {
  readonly row: TableName;
  readonly of: TableName;
  readonly by: readonly string[];
}

type Column<Table extends TableName> = keyof Schema[Table] & string;

/** `by`: the columns that both tables have. `only`: a condition of the rows that name one. */
function reference<Row extends TableName, Of extends TableName>(
  row: Row,
  of: Of,
  by: readonly (Column<Row> & Column<Of>)[],
  only = "1 = 1",
): Reference {
  const values = by.map((column) => `${column} ?`).join(", ");
  const same = by.map((column) => `o.${column} = t.${column}`).join(" and ");
  return {
    ...{ row, of, by },
    sentence: `a row of ${row} is of the ${of} with ${values}, which is not there`,
    query: `select distinct ${by.join(", ")}
      from ${row} as t
      where ${only} and not exists (select 1 from ${of} as o where ${same})`,
  };
}

export const references: readonly Reference[] = [
  reference("agent", "account", ["account_id"]),
  reference("grant_object", "agent_grant", ["grant_id", "agent_id", "target_agent_id"]),
  reference("webhook_attempt", "webhook", ["webhook_id"]),
  reference("mailbox_metadata", "mailbox", ["mailbox_id", "agent_id"], "mailbox_id <> 0"),
  reference("entry", "mailbox", ["mailbox_id", "agent_id"]),
  reference("draft", "message", ["message_id", "agent_id"]),
  reference("draft_key", "draft", ["draft_id", "agent_id"]),
  reference("submission", "message", ["message_id", "agent_id"], `kept = 1 and ${living}`),
  reference("submission_recipient", "submission", ["submission_id", "agent_id"]),
  reference("blob_chunk", "blob", ["blob_id", "account_id"]),
  reference("collection_property", "collection", ["collection_id", "agent_id"]),
  reference("item", "collection", ["collection_id", "agent_id"]),
  reference("item", "item_data", ["item_id", "agent_id"]),
  reference("item_data", "item", ["item_id", "agent_id"]),
  reference("item_property", "item", ["item_id", "agent_id"]),
  reference("item_address", "item", ["item_id", "agent_id"]),
  reference("occurrence", "item", ["item_id", "collection_id", "agent_id"]),
  reference("file_data", "file", ["file_id", "agent_id"]),
  reference("file_property", "file", ["file_id", "agent_id"]),
];
