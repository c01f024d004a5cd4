/** An index of the queue by domain, so that the mail for a busy domain is skipped without reading it. */
import type { Sql } from "../sql.ts";

export async function queueDomains(tx: Sql): Promise<void> {
  await tx.run(
    "create index submission_recipient_by_domain on submission_recipient (domain, next_attempt_at) where state = 'queued'",
  );
}
