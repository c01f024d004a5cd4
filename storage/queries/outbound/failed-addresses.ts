/** Addresses at which the last mail of a mailbox failed for good. */
import type { AgentNumber } from "#/src/model/numbers.ts";
import { selectList } from "../../schema/select-list.ts";
import { paddedList, placesFor, type Reader } from "../../sql.ts";

export interface FailedAddressRow {
  /** Its key. */
  readonly address: string;
  /** RFC 3463. */
  readonly status: string;
}

/** Those of the given addresses, each as its key. */
export async function listFailedAddresses(
  reader: Reader,
  agent: AgentNumber,
  addresses: readonly string[],
): Promise<FailedAddressRow[]> {
  if (addresses.length === 0) return [];
  const padded = paddedList(addresses);
  return reader.all(
    `select ${selectList<FailedAddressRow, "failed_address">({
      address: "failed_address.address",
      status: "failed_address.status",
    })}
    from failed_address
    where agent_id = ? and address in (${placesFor(padded)})
    order by address`,
    agent,
    ...padded,
  );
}
