/** Webhooks and the results of their requests. */
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { WebhookAttemptRow, WebhookRow } from "../../rows.ts";
import type { Reader } from "../../sql.ts";

type StoredWebhook = Omit<WebhookRow, "types"> & { readonly types: string };

const selectWebhook = `
  select webhook_id as webhook, agent_id as agent, url, secret, types, state, position, failure_count as "failureCount",
    failing_since as "failingSince", next_attempt_at as "nextAttemptAt", created_at as "createdAt"
  from webhook`;

export async function findWebhook(reader: Reader, webhook: number): Promise<WebhookRow | undefined> {
  const row = await reader.get<StoredWebhook>(`${selectWebhook} where webhook_id = ?`, webhook);
  return row && webhookOf(row);
}

export async function listWebhooks(reader: Reader): Promise<WebhookRow[]> {
  return (await reader.all<StoredWebhook>(`${selectWebhook} order by webhook_id`)).map(webhookOf);
}

export async function listWebhooksOfAgent(reader: Reader, agent: AgentNumber): Promise<WebhookRow[]> {
  const rows = await reader.all<StoredWebhook>(
    `${selectWebhook} where agent_id = ? order by webhook_id`,
    agent,
  );
  return rows.map(webhookOf);
}

/** The newest first. */
export function listWebhookAttempts(
  reader: Reader,
  webhook: number,
  limit: number,
): Promise<WebhookAttemptRow[]> {
  return reader.all(
    `select attempt_number as attempt, message_id as message, at, status, error, event_count as "eventCount"
    from webhook_attempt
    where webhook_id = ?
    order by attempt_number desc
    limit ?`,
    webhook,
    limit,
  );
}

function webhookOf(row: StoredWebhook): WebhookRow {
  return { ...row, types: JSON.parse(row.types) as WebhookRow["types"] };
}
