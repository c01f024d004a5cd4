/** Accounts and domains. */
import type { AccountRow, DomainRow } from "../../rows.ts";
import type { Reader } from "../../sql.ts";

const accountColumns = `account_id as account, name, state, created_at as "createdAt"`;
const domainColumns = `name, account_id as account, created_at as "createdAt"`;

export function listAccounts(reader: Reader): Promise<AccountRow[]> {
  return reader.all(`select ${accountColumns} from account order by account_id`);
}

export function findDomain(reader: Reader, name: string): Promise<DomainRow | undefined> {
  return reader.get(`select ${domainColumns} from domain where name = ?`, name);
}

export function listDomains(reader: Reader): Promise<DomainRow[]> {
  return reader.all(`select ${domainColumns} from domain order by name`);
}
