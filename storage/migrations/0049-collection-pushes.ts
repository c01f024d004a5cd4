/** Whose collection a program follows, and which of its changes it is told (WebDAV-Push). */
import type { Sql } from "../sql.ts";

export async function collectionPushes(tx: Sql): Promise<void> {
  await tx.run("alter table push_subscription add column collection_agent_id bigint");
  await tx.run("alter table push_subscription add column triggers text");
  await tx.run(
    "create index push_subscription_by_collection on push_subscription (collection_agent_id, collection_id)",
  );
}
