/** What people and programs have set on messages (`src/model/message-properties.ts`), in the rows of `message`. */
import { messageProperties, type StoredOfMessage } from "#/src/model/message-properties.ts";
import type { AgentNumber, MessageNumber } from "#/src/model/numbers.ts";
import type { Sql } from "../../sql.ts";

/** The properties of messages as a list of columns. */
const propertyColumns = Object.keys(messageProperties.newColumns({})).join(", ");

/** Gives a new version of a message the properties that the former one has. */
export async function carryProperties(
  tx: Sql,
  agent: AgentNumber,
  from: MessageNumber,
  to: MessageNumber,
): Promise<void> {
  if (propertyColumns === "" || from === to) return;
  await tx.run(
    `update message
    set (${propertyColumns}) = (
      select ${propertyColumns} from message as former where former.agent_id = ? and former.message_id = ?
    )
    where agent_id = ? and message_id = ?`,
    agent,
    from,
    agent,
    to,
  );
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
