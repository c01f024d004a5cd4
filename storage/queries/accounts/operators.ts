/** Operator tokens, and the calls of operators. The caller has to check expiry and revocation. */

import type { OperatorCallRow, OperatorTokenRow } from "../../rows.ts";
import { expression, selectList } from "../../schema/select-list.ts";
import type { Reader } from "../../sql.ts";

type StoredToken = Omit<OperatorTokenRow, "scopes"> & { readonly scopes: string };

const selectToken = `
  select ${selectList<StoredToken, "operator_token">({
    token: "operator_token.operator_token_id",
    name: "operator_token.name",
    scopes: "operator_token.scopes",
    createdAt: "operator_token.created_at",
    expiresAt: "operator_token.expires_at",
    revokedAt: "operator_token.revoked_at",
  })}
  from operator_token`;

/** Finds a token by its SHA-256. */
export async function findOperatorToken(
  reader: Reader,
  hash: Uint8Array,
): Promise<OperatorTokenRow | undefined> {
  const row = await reader.get<StoredToken>(`${selectToken} where hash = ?`, hash);
  return row && tokenOf(row);
}

export async function findOperatorByNumber(
  reader: Reader,
  token: number,
): Promise<OperatorTokenRow | undefined> {
  const row = await reader.get<StoredToken>(`${selectToken} where operator_token_id = ?`, token);
  return row && tokenOf(row);
}

export async function listOperatorTokens(reader: Reader): Promise<OperatorTokenRow[]> {
  const rows = await reader.all<StoredToken>(`${selectToken} order by operator_token_id`);
  return rows.map(tokenOf);
}

function tokenOf(row: StoredToken): OperatorTokenRow {
  return { ...row, scopes: JSON.parse(row.scopes) as string[] };
}

/** Calls before a number, the newest first. */
export function listOperatorCalls(
  reader: Reader,
  { before, limit }: { readonly before: number; readonly limit: number },
): Promise<OperatorCallRow[]> {
  return reader.all(
    `select ${selectList<OperatorCallRow, "operator_call">({
      call: "operator_call.operator_call_id",
      token: "operator_call.operator_token_id",
      name: expression("operator_token.name"),
      requestId: "operator_call.request_id",
      operation: "operator_call.operation",
      input: "operator_call.input",
      outcome: "operator_call.outcome",
      startedAt: "operator_call.started_at",
      endedAt: "operator_call.ended_at",
    })}
    from operator_call
    left join operator_token on operator_token.operator_token_id = operator_call.operator_token_id
    where operator_call.operator_call_id < ?
    order by operator_call.operator_call_id desc
    limit ?`,
    before,
    limit,
  );
}
