/** What people and programs have set on messages (`src/model/message-properties.ts`), in the rows of `message`. */
import { messageProperties, type StoredOfMessage } from "#/src/model/message-properties.ts";
import type { AgentNumber, MessageNumber } from "#/src/model/numbers.ts";
import { selectList } from "../../schema/select-list.ts";
import type { Sql } from "../../sql.ts";

const selected = selectList<StoredOfMessage, "message">(messageProperties.selected("message"));

/** What a new version of a message begins with. */
export async function readMessageProperties(
  tx: Sql,
  agent: AgentNumber,
  message: MessageNumber,
): Promise<StoredOfMessage> {
  if (selected === "") return messageProperties.none;
  const row = await tx.get<StoredOfMessage>(
    `select ${selected} from message where agent_id = ? and message_id = ?`,
    agent,
    message,
  );
  return row ?? messageProperties.none;
}

export async function setMessageProperties(
  tx: Sql,
  agent: AgentNumber,
  message: MessageNumber,
  properties: Partial<StoredOfMessage>,
): Promise<void> {
  const changed = messageProperties.inColumns(properties);
  await tx.run(
    `update message set ${changed.map(([column]) => `${column} = ?`).join(", ")} where agent_id = ? and message_id = ?`,
    ...changed.map(([, value]) => value),
    agent,
    message,
  );
}
