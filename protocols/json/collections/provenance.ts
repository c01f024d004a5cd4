import type { Item } from "#/src/collections/item.ts";
import { isoTime } from "#/src/render/iso-time.ts";
import type { RemovalDetail } from "#/src/render/removal.ts";
import type { ReadResult } from "../schemas.ts";

/** The origin of an event or contact and what was left out of its rendering ("Read result" of the interface). */
export function itemProvenance(
  { provenance, isAuthenticated, createdAt }: Item,
  removed: readonly RemovalDetail[],
): NonNullable<ReadResult["provenance"]> {
  const { source, fromDomain, checks } = provenance;
  return {
    authenticated: isAuthenticated,
    removed: [...new Set(removed.map(({ what }) => what))],
    source,
    ...(fromDomain === undefined ? {} : { from_domain: fromDomain }),
    ...(checks === undefined ? {} : { checks: { ...checks } }),
    removed_detail: [...removed],
    received_at: isoTime(createdAt),
  };
}
