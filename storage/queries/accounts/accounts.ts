/** Accounts and domains. */

import type { AccountRow, DomainRow } from "../../rows.ts";
import { selectList } from "../../schema/select-list.ts";
import type { Reader } from "../../sql.ts";

const accountColumns = selectList<AccountRow, "account">({
  account: "account.account_id",
  name: "account.name",
  state: "account.state",
  createdAt: "account.created_at",
});
const domainColumns = selectList<DomainRow, "domain">({
  name: "domain.name",
  account: "domain.account_id",
  createdAt: "domain.created_at",
});

export function listAccounts(reader: Reader): Promise<AccountRow[]> {
  return reader.all(`select ${accountColumns} from account order by account_id`);
}

export function findDomain(reader: Reader, name: string): Promise<DomainRow | undefined> {
  return reader.get(`select ${domainColumns} from domain where name = ?`, name);
}

export function listDomains(reader: Reader): Promise<DomainRow[]> {
  return reader.all(`select ${domainColumns} from domain order by name`);
}
