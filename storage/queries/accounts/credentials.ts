/** Tokens, app passwords and grants. Rows are given as they are: the caller has to check expiry and revocation. */

import { type GrantedKind, type GrantedObjects, ofGrantedKinds } from "#/src/model/grants.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { GrantRow, PasswordRow, TokenRow } from "../../rows.ts";
import { selectList } from "../../schema/select-list.ts";
import type { Reader } from "../../sql.ts";

type Stored<T, K extends keyof T> = Omit<T, K> & Record<K, string>;

const selectToken = `
  select ${selectList<Stored<TokenRow, "scopes">, "token">({
    token: "token.token_id",
    agent: "token.agent_id",
    name: "token.name",
    scopes: "token.scopes",
    createdAt: "token.created_at",
    expiresAt: "token.expires_at",
    revokedAt: "token.revoked_at",
  })}
  from token`;

/** Finds a token by its SHA-256. */
export async function findToken(reader: Reader, hash: Uint8Array): Promise<TokenRow | undefined> {
  const row = await reader.get<Stored<TokenRow, "scopes">>(`${selectToken} where hash = ?`, hash);
  return row && tokenOf(row);
}

export async function findTokenByNumber(reader: Reader, token: number): Promise<TokenRow | undefined> {
  const row = await reader.get<Stored<TokenRow, "scopes">>(`${selectToken} where token_id = ?`, token);
  return row && tokenOf(row);
}

export async function listTokens(reader: Reader, agent: AgentNumber): Promise<TokenRow[]> {
  const rows = await reader.all<Stored<TokenRow, "scopes">>(
    `${selectToken} where agent_id = ? order by token_id`,
    agent,
  );
  return rows.map(tokenOf);
}

function tokenOf(row: Stored<TokenRow, "scopes">): TokenRow {
  return { ...row, scopes: JSON.parse(row.scopes) as string[] };
}

const selectPassword = `
  select ${selectList<StoredPassword, "app_password">({
    password: "app_password.password_id",
    agent: "app_password.agent_id",
    name: "app_password.name",
    storedKey: "app_password.stored_key",
    serverKey: "app_password.server_key",
    createdAt: "app_password.created_at",
    revokedAt: "app_password.revoked_at",
    scopes: "app_password.scopes",
  })}
  from app_password`;

type StoredPassword = Omit<PasswordRow, "scopes"> & { readonly scopes: string | null };

export async function findPassword(reader: Reader, password: number): Promise<PasswordRow | undefined> {
  const row = await reader.get<StoredPassword>(`${selectPassword} where password_id = ?`, password);
  return row && passwordOf(row);
}

export async function listPasswords(reader: Reader, agent: AgentNumber): Promise<PasswordRow[]> {
  const rows = await reader.all<StoredPassword>(
    `${selectPassword} where agent_id = ? order by password_id`,
    agent,
  );
  return rows.map(passwordOf);
}

function passwordOf(row: StoredPassword): PasswordRow {
  return { ...row, scopes: row.scopes === null ? null : (JSON.parse(row.scopes) as string[]) };
}

const selectGrant = `
  select ${selectList<StoredGrant, "agent_grant">({
    grant: "agent_grant.grant_id",
    agent: "agent_grant.agent_id",
    targetAgent: "agent_grant.target_agent_id",
    scopes: "agent_grant.scopes",
    lostMailboxes: "agent_grant.lost_mailboxes",
    createdAt: "agent_grant.created_at",
    expiresAt: "agent_grant.expires_at",
    revokedAt: "agent_grant.revoked_at",
  })}
  from agent_grant`;

type StoredGrant = Omit<GrantRow, "scopes" | "objects" | "lostMailboxes"> & {
  scopes: string;
  lostMailboxes: string | null;
};

interface StoredObject {
  readonly grant: number;
  readonly kind: GrantedKind;
  /** 0: all objects of the kind. */
  readonly object: number;
}

const selectObject = `
  select ${selectList<StoredObject, "grant_object">({
    grant: "grant_object.grant_id",
    kind: "grant_object.kind",
    object: "grant_object.object_id",
  })}
  from grant_object`;

/** The grants that an agent has on others. */
export async function listGrants(reader: Reader, agent: AgentNumber): Promise<GrantRow[]> {
  const rows = await reader.all<StoredGrant>(`${selectGrant} where agent_id = ? order by grant_id`, agent);
  if (rows.length === 0) return [];
  return grantsOf(
    rows,
    await reader.all(`${selectObject} where agent_id = ? order by grant_id, kind, object_id`, agent),
  );
}

/** The grants that others have on an agent's data. */
export async function listGrantsOn(reader: Reader, targetAgent: AgentNumber): Promise<GrantRow[]> {
  const rows = await reader.all<StoredGrant>(
    `${selectGrant} where target_agent_id = ? order by grant_id`,
    targetAgent,
  );
  if (rows.length === 0) return [];
  return grantsOf(
    rows,
    await reader.all(`${selectObject} where target_agent_id = ? order by kind, object_id`, targetAgent),
  );
}

function grantsOf(rows: readonly StoredGrant[], objects: readonly StoredObject[]): GrantRow[] {
  const byGrant = Map.groupBy(objects, ({ grant }) => grant);
  return rows.map((row) => ({
    ...row,
    scopes: JSON.parse(row.scopes) as string[],
    objects: objectsOf(byGrant.get(row.grant) ?? []),
    lostMailboxes: row.lostMailboxes === null ? [] : (JSON.parse(row.lostMailboxes) as string[]),
  }));
}

function objectsOf(rows: readonly StoredObject[]): GrantedObjects {
  return ofGrantedKinds((kind) => {
    const numbers = rows.filter((row) => row.kind === kind).map(({ object }) => object);
    return numbers.includes(0) ? "all" : numbers;
  });
}
