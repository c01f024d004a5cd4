/** Every table that has rows of an agent, and when they go after the agent is deleted. Deleting, the sweep and `check` go by this
 *  list. */
const agentTables = {
  /** With the agent's state: nothing leads to it any more. */
  address: "at once",
  token: "at once",
  app_password: "at once",
  agent_grant: "at once",
  grant_object: "at once",
  webhook: "at once",
  familiar_network: "at once",
  delivery_claim: "at once",
  /** There may be many, or they have a claim on bytes. */
  entry: "in slices",
  change: "in slices",
  thread_key: "in slices",
  upload: "in slices",
  submission: "in slices",
  item: "in slices",
  file: "in slices",
  /** With entries, with submissions, with items, and with files. */
  message: "with others",
  submission_recipient: "with others",
  item_data: "with others",
  occurrence: "with others",
  item_address: "with others",
  item_property: "with others",
  item_attachment: "with others",
  file_data: "with others",
  file_property: "with others",
  /** With the agent's own row. */
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
  collection: "at last",
  collection_property: "at last",
  unfinished_copy: "at last",
} as const satisfies Record<string, "at once" | "in slices" | "with others" | "at last">;

type AgentTables = typeof agentTables;
export type AgentTable = keyof AgentTables;
export type SlicedTable = { [T in AgentTable]: AgentTables[T] extends "in slices" ? T : never }[AgentTable];

export const agentTableNames = Object.keys(agentTables) as readonly AgentTable[];
export const tablesFreedAtOnce = agentTableNames.filter((table) => agentTables[table] === "at once");
export const tablesFreedAtLast = agentTableNames.filter((table) => agentTables[table] === "at last");
