import type { DomainKeyRow } from "../../rows.ts";
import type { Reader } from "../../sql.ts";

/** The keys of one domain, the newest first. */
export function listDomainKeys(reader: Reader, domain: string): Promise<DomainKeyRow[]> {
  return reader.all(
    `select domain, selector, algorithm, private_key as "privateKey", created_at as "createdAt", state,
      retired_at as "retiredAt"
    from domain_key
    where domain = ?
    order by created_at desc, algorithm desc`,
    domain,
  );
}
