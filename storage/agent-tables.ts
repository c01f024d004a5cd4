/** Every table with rows of an agent, and when these rows are deleted after the agent is. The deletion, the sweep and `check` use this
 *  list. */
import type { Schema, TableName } from "./schema/schema.ts";

const agentTables = {
  /** In the transaction that deletes the agent, so that nothing refers to it afterwards. */
  address: "at once",
  token: "at once",
  app_password: "at once",
  agent_grant: "at once",
  grant_object: "at once",
  webhook: "at once",
  familiar_network: "at once",
  delivery_claim: "at once",
  invitation: "at once",
  passkey: "at once",
  page_session: "at once",
  page_settings: "at once",
  push_subscription: "at once",
  /** In slices by the sweep: there may be many rows, or they count as references to a blob. */
  entry: "in slices",
  change: "in slices",
  thread_key: "in slices",
  upload: "in slices",
  submission: "in slices",
  item: "in slices",
  file: "in slices",
  /** Together with the entries, submissions, items and files that refer to them. */
  message: "with others",
  submission_recipient: "with others",
  item_data: "with others",
  occurrence: "with others",
  item_address: "with others",
  item_property: "with others",
  item_attachment: "with others",
  file_data: "with others",
  file_property: "with others",
  /** In the transaction that deletes the agent's own row. */
  mailbox: "at last",
  mailbox_metadata: "at last",
  draft: "at last",
  draft_key: "at last",
  subscription: "at last",
  keyword: "at last",
  idempotency: "at last",
  send_time: "at last",
  correspondent: "at last",
  hold: "at last",
  sending_policy: "at last",
  calendar_message: "at last",
  calendar_arrival: "at last",
  collection: "at last",
  collection_property: "at last",
  unfinished_copy: "at last",
  unfinished_transfer: "at last",
} as const satisfies Record<OwnedTable, "at once" | "in slices" | "with others" | "at last">;

/** A table with a column `agent_id`, beside that of the agents themselves. */
type OwnedTable = Exclude<
  { [Name in TableName]: "agent_id" extends keyof Schema[Name] ? Name : never }[TableName],
  "agent"
>;

type AgentTables = typeof agentTables;
export type AgentTable = keyof AgentTables;
export type SlicedTable = { [T in AgentTable]: AgentTables[T] extends "in slices" ? T : never }[AgentTable];

export const agentTableNames = Object.keys(agentTables) as readonly AgentTable[];
export const tablesFreedAtOnce = agentTableNames.filter((table) => agentTables[table] === "at once");
export const tablesFreedAtLast = agentTableNames.filter((table) => agentTables[table] === "at last");
