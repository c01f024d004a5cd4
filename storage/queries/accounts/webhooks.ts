/** Webhooks and the results of their requests. */

import type { AgentNumber } from "#/src/model/numbers.ts";
import type { WebhookAttemptRow, WebhookRow } from "../../rows.ts";
import { selectList } from "../../schema/select-list.ts";
import type { Reader } from "../../sql.ts";

type StoredWebhook = Omit<WebhookRow, "types"> & { readonly types: string };

const selectWebhook = `
  select ${selectList<StoredWebhook, "webhook">({
    webhook: "webhook.webhook_id",
    agent: "webhook.agent_id",
    url: "webhook.url",
    secret: "webhook.secret",
    types: "webhook.types",
    state: "webhook.state",
    position: "webhook.position",
    failureCount: "webhook.failure_count",
    failingSince: "webhook.failing_since",
    nextAttemptAt: "webhook.next_attempt_at",
    createdAt: "webhook.created_at",
  })}
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
    `select ${selectList<WebhookAttemptRow, "webhook_attempt">({
      attempt: "webhook_attempt.attempt_number",
      message: "webhook_attempt.message_id",
      at: "webhook_attempt.at",
      status: "webhook_attempt.status",
      error: "webhook_attempt.error",
      eventCount: "webhook_attempt.event_count",
    })}
    from webhook_attempt
    where webhook_id = ?
    order by attempt_number desc
    limit ?`,
    webhook,
    limit,
  );
}

/** The webhook that was sent a message, by its `webhook-id`, and how many events it had. */
export function findWebhookMessage(
  reader: Reader,
  message: string,
): Promise<{ readonly webhook: number; readonly eventCount: number } | undefined> {
  return reader.get(
    `select webhook_id as webhook, event_count as "eventCount"
    from webhook_attempt
    where message_id = ?
    order by webhook_id, attempt_number desc
    limit 1`,
    message,
  );
}

function webhookOf(row: StoredWebhook): WebhookRow {
  return { ...row, types: JSON.parse(row.types) as WebhookRow["types"] };
}
