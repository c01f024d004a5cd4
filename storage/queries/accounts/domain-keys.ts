import type { DomainKeyRow } from "../../rows.ts";
import { selectList } from "../../schema/select-list.ts";
import type { Reader } from "../../sql.ts";

/** The keys of one domain, the newest first. */
export function listDomainKeys(reader: Reader, domain: string): Promise<DomainKeyRow[]> {
  return reader.all(
    `select ${selectList<DomainKeyRow, "domain_key">({
      domain: "domain_key.domain",
      selector: "domain_key.selector",
      algorithm: "domain_key.algorithm",
      privateKey: "domain_key.private_key",
      createdAt: "domain_key.created_at",
      state: "domain_key.state",
      retiredAt: "domain_key.retired_at",
    })}
    from domain_key
    where domain = ?
    order by created_at desc, algorithm desc`,
    domain,
  );
}
