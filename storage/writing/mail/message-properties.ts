/** What people and programs have set on messages (`src/model/message-properties.ts`), in the rows of `message`. */
import { messageProperties, type StoredOfMessage } from "#/src/model/message-properties.ts";
import type { AgentNumber, MessageNumber } from "#/src/model/numbers.ts";
import type { Sql } from "../../sql.ts";

const propertyColumns = Object.keys(messageProperties.newColumns({}));

/** Gives a new version of a message the properties that the former one has, but for those that were given to the new one. */
export async function carryProperties(
  tx: Sql,
  agent: AgentNumber,
  from: MessageNumber,
  to: MessageNumber,
  given: Partial<StoredOfMessage> = {},
): Promise<void> {
  const own = new Set(messageProperties.inColumns(given).map(([column]) => column));
  const carried = propertyColumns.filter((column) => !own.has(column)).join(", ");
  if (carried === "" || from === to) return;
  await tx.run(
    `update message
    set (${carried}) = (
      select ${carried} from message as former where former.agent_id = ? and former.message_id = ?
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
