/** `failed_address`: addresses at which the last mail of a mailbox failed for good because of the address, by their keys. It begins empty:
 *  older failures are told in the mail itself. */
import type { Sql } from "../sql.ts";

export async function failedAddresses(tx: Sql): Promise<void> {
  await tx.run(
    `create table failed_address (
      agent_id bigint not null,
      address text not null,
      status text not null,
      failed_at bigint not null,
      primary key (agent_id, address)) without rowid`,
  );
}
