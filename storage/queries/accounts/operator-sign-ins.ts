/** Sessions, passkeys and links of operators at the pages. The caller has to check whether a session or its operator has expired. */

import type { OperatorPasskeyRow, OperatorSessionRow } from "../../rows.ts";
import { selectList } from "../../schema/select-list.ts";
import type { Reader } from "../../sql.ts";

const selectSession = `
  select ${selectList<OperatorSessionRow, "operator_session">({
    session: "operator_session.operator_session_id",
    operator: "operator_session.operator_token_id",
    device: "operator_session.device",
    network: "operator_session.network",
    proof: "operator_session.proof",
    createdAt: "operator_session.created_at",
    seenAt: "operator_session.seen_at",
    endedAt: "operator_session.ended_at",
  })}
  from operator_session`;

/** By the SHA-256 of its token. */
export function findOperatorSession(
  reader: Reader,
  hash: Uint8Array,
): Promise<OperatorSessionRow | undefined> {
  return reader.get(`${selectSession} where hash = ?`, hash);
}

export function findOperatorSessionByNumber(
  reader: Reader,
  session: number,
): Promise<OperatorSessionRow | undefined> {
  return reader.get(`${selectSession} where operator_session_id = ?`, session);
}

/** The newest first, also those that have ended. */
export function listOperatorSessions(reader: Reader, operator: number): Promise<OperatorSessionRow[]> {
  return reader.all(
    `${selectSession} where operator_token_id = ? order by operator_session_id desc`,
    operator,
  );
}

type StoredPasskey = Omit<OperatorPasskeyRow, "transports"> & { readonly transports: string };

const selectPasskey = `
  select ${selectList<StoredPasskey, "operator_passkey">({
    passkey: "operator_passkey.operator_passkey_id",
    operator: "operator_passkey.operator_token_id",
    credential: "operator_passkey.credential",
    publicKey: "operator_passkey.public_key",
    signCount: "operator_passkey.sign_count",
    transports: "operator_passkey.transports",
    host: "operator_passkey.host",
    name: "operator_passkey.name",
    createdAt: "operator_passkey.created_at",
    usedAt: "operator_passkey.used_at",
  })}
  from operator_passkey`;

function passkeyOf(row: StoredPasskey): OperatorPasskeyRow {
  return { ...row, transports: JSON.parse(row.transports) as string[] };
}

export async function findOperatorPasskey(
  reader: Reader,
  credential: Uint8Array,
): Promise<OperatorPasskeyRow | undefined> {
  const row = await reader.get<StoredPasskey>(`${selectPasskey} where credential = ?`, credential);
  return row && passkeyOf(row);
}

export async function listOperatorPasskeys(reader: Reader, operator: number): Promise<OperatorPasskeyRow[]> {
  const rows = await reader.all<StoredPasskey>(
    `${selectPasskey} where operator_token_id = ? order by operator_passkey_id`,
    operator,
  );
  return rows.map(passkeyOf);
}

/** The operator of a link that can be used. */
export async function findLinkedOperator(
  reader: Reader,
  hash: Uint8Array,
  now: number,
): Promise<number | undefined> {
  const row = await reader.get<{ operator: number }>(
    `select operator_token_id as operator
    from operator_link
    where hash = ? and used_at is null and expires_at > ?`,
    hash,
    now,
  );
  return row?.operator;
}

/** The operators who sign in to the pages: they have no token. */
export async function listPageOperators(reader: Reader): Promise<number[]> {
  const rows = await reader.all<{ operator: number }>(
    "select operator_token_id as operator from operator_link order by operator_token_id",
  );
  return rows.map(({ operator }) => operator);
}
