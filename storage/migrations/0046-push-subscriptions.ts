/** Who is told by Web Push: a browser of a person, for as long as its session lasts, or a program that follows a collection, for as long as
 *  its app password does. */
import type { Sql } from "../sql.ts";

export async function pushSubscriptions(tx: Sql): Promise<void> {
  await tx.run(`create table push_subscription (
    push_subscription_id bigint not null primary key,
    agent_id bigint not null,
    page_session_id bigint,
    password_id bigint,
    collection_id bigint,
    endpoint text not null,
    public_key bytea not null,
    auth_secret bytea not null,
    language text not null,
    told text not null,
    created_at bigint not null,
    expires_at bigint not null,
    failure_count bigint not null,
    failing_since bigint,
    next_attempt_at bigint not null)`);
  await tx.run("create index push_subscription_by_agent on push_subscription (agent_id)");
  await tx.run("insert into counter (name, value) values ('push_subscription', 0)");
}
